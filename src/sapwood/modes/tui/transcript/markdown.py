"""Markdown to strips, top-level block by top-level block.

While an answer streams only its last block can still change: finished blocks are rendered once and
kept, so a frame costs one block and not the answer. Raw HTML is shown as the text it is, links show
their address as text (no terminal hyperlinks), nothing is read as Rich markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import lru_cache
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, TableElement
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.theme import Theme
from textual.strip import Strip

from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import BLANK, MAX_CHARACTERS, harmless, paragraph
from sapwood.modes.tui.transcript.look import Look

INDENT = 2


class _Heading(Heading):
    """Flush left and plain: the level shows as weight, not as a box."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _CodeBlock(CodeBlock):
    """Code on the transcript's own background, set in by two cells."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Syntax(
            str(self.text).rstrip(),
            self.lexer_name,
            theme=self.theme,
            word_wrap=True,
            background_color="default",
        )
        yield Padding(code, (0, 0, 0, INDENT))


class _Table(TableElement):
    """A table with one rule under its head."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                table.box = box.SIMPLE_HEAD
            yield table


class _Blocks(Markdown):
    """Some already parsed blocks, drawn with our elements."""

    elements: ClassVar = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "table_open": _Table,
    }

    def __init__(self, syntax: str) -> None:
        super().__init__("", code_theme=syntax, hyperlinks=False)

    @classmethod
    def of(cls, tokens: list[Token], syntax: str) -> _Blocks:
        blocks = copy(_nothing(syntax))
        blocks.parsed = tokens
        return blocks


@lru_cache(maxsize=4)
def _nothing(syntax: str) -> _Blocks:
    """No blocks: making one makes a parser each time, ours are copies of this one."""
    return _Blocks(syntax)


_parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


@lru_cache(maxsize=4)
def _console(palette: Palette) -> Console:
    accent, code = palette["accent"], palette["code"]
    styles = {
        "markdown.paragraph": palette["text"],
        "markdown.text": palette["text"],
        "markdown.h1": palette["heading"] + Style(underline=True),
        **{f"markdown.h{level}": palette["heading"] for level in range(2, 7)},
        "markdown.code": code,
        "markdown.code_block": palette["text"],
        "markdown.block_quote": palette["dim"],
        "markdown.hr": palette["faint"],
        "markdown.item.bullet": accent,
        "markdown.item.number": accent,
        "markdown.list": palette["text"],
        "markdown.link": palette["user"],
        "markdown.link_url": palette["dim"],
        "markdown.table.border": palette["faint"],
        "markdown.table.header": palette["strong"],
    }
    return Console(
        theme=Theme(styles), color_system="truecolor", force_terminal=True, legacy_windows=False
    )


def _top_level(tokens: list[Token]) -> Iterator[tuple[int, list[Token]]]:
    """The top-level blocks: first line number and tokens of each."""
    start = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            line = tokens[start].map
            yield (line[0] if line else 0), tokens[start : index + 1]
            start = index + 1


def _on_our_ground(segment: Segment) -> Segment:
    """A part without the background that syntax colouring gives it."""
    style = segment.style
    if style is None or style.bgcolor is None:
        return segment
    return Segment(segment.text, _without_background(style))


@lru_cache(maxsize=256)
def _without_background(style: Style) -> Style:
    return Style(
        color=style.color,
        bold=style.bold,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
    )


def _draw(tokens: list[Token], look: Look) -> list[Strip]:
    """One block as strips, without blank lines around it."""
    console = _console(look.palette)
    options = console.options.update(width=max(look.width - INDENT, 8), height=None)
    rendered = console.render_lines(
        _Blocks.of(tokens, look.palette.syntax), options, style=look.style("text"), pad=False
    )
    margin = Segment(" " * INDENT, Style.null())
    strips = [Strip([margin, *map(_on_our_ground, line)]) for line in rendered]
    while strips and not strips[-1].text.strip():
        strips.pop()
    while strips and not strips[0].text.strip():
        strips.pop(0)
    return strips


def render_markdown(text: str, look: Look) -> list[Strip]:
    """A finished text. Above ``MAX_CHARACTERS`` it is shown as plain text, cut with a note."""
    if len(text) > MAX_CHARACTERS:
        return paragraph(text, look.width, look.style("text"))
    return _draw_all(_parser.parse(harmless(text)[0]), look)


def _draw_all(tokens: list[Token], look: Look) -> list[Strip]:
    strips: list[Strip] = []
    for _, block in _top_level(tokens):
        _append(strips, _draw(block, look))
    return strips


def _append(strips: list[Strip], more: list[Strip]) -> None:
    """Add the lines of another block, a blank line before them."""
    if more and strips:
        strips.append(BLANK)
    strips.extend(more)


class StreamedMarkdown:
    """A text that grows at its end; call ``lines`` with all of it as often as you like."""

    def __init__(self) -> None:
        self._look: Look | None = None
        self._finished = ""
        self._strips: list[Strip] = []

    def lines(self, text: str, look: Look) -> list[Strip]:
        """The strips of ``text``; only what follows the finished blocks is parsed and drawn."""
        if look != self._look or not text.startswith(self._finished):
            self._look, self._finished, self._strips = look, "", []
        self._finish(text[len(self._finished) : text.rfind("\n") + 1], look)
        tail = text[len(self._finished) :]
        strips = list(self._strips)
        _append(strips, _draw_all(_parser.parse(harmless(tail)[0]), look))
        return strips

    def _finish(self, whole_lines: str, look: Look) -> None:
        """Keep all blocks but the last of these; a line that is not whole may still join them."""
        blocks = list(_top_level(_parser.parse(harmless(whole_lines)[0])))
        for _, tokens in blocks[:-1]:
            _append(self._strips, _draw(tokens, look))
        if len(blocks) > 1:
            self._finished += _first_lines(whole_lines, blocks[-1][0])


def _first_lines(text: str, count: int) -> str:
    """The first ``count`` lines with their newlines; only LF ends a line, as the parser has it."""
    end = 0
    for _ in range(count):
        end = text.index("\n", end) + 1
    return text[:end]
