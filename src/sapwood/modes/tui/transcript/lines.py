"""Plain text into strips: wrapped, indented, and cut to what a person would look at.

Text is made harmless first (``printable``) and never read as markup. A display never works on more
than ``MAX_CHARACTERS`` of a text, whatever its size; what is left out is said in a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from sapwood.text import printable

MAX_CHARACTERS = 60_000
MAX_LINES = 2_000
TAB = " " * 4

BLANK = Strip([])
PLAIN = Style.null()


def strip(*parts: tuple[str, Style]) -> Strip:
    """One line made of styled parts."""
    return Strip([Segment(text, style) for text, style in parts if text])


def painted(line: Strip, widget: Widget) -> Strip:
    """What ``render_line`` of a widget gives: the line in its width, on its colours."""
    return full_line(line, widget.size.width, widget.rich_style)


def full_line(line: Strip, width: int, base: Style = PLAIN) -> Strip:
    """A line in exactly ``width`` cells, every part styled over ``base``.

    Textual's NO_COLOR filter cannot take a part without a style.
    """
    fitted = line.adjust_cell_length(width)
    return Strip([Segment(text, base + own if own else base) for text, own, _ in fitted], width)


def wrap(text: str, width: int) -> Iterator[str]:
    """The lines of ``text`` broken at words to ``width`` cells; longer words are broken too."""
    for line in text.split("\n"):
        yield from wrap_line(line.rstrip("\r").replace("\t", TAB), max(width, 1))


def wrap_line(line: str, width: int) -> Iterator[str]:
    """One line broken at words; leading spaces stay, spaces at a break go."""
    if line.isascii() and len(line) <= width:
        yield line
        return
    start = 0
    while start < len(line):
        end = _fitting(line, start, width)
        if end < len(line):
            space = line.rfind(" ", start + 1, end + 1)
            if space > start and line[start:space].strip():
                end = space
        yield line[start:end].rstrip(" ") if end < len(line) else line[start:end]
        start = end
        while end < len(line) and start < len(line) and line[start] == " ":
            start += 1
    if not line:
        yield ""


def _fitting(line: str, start: int, width: int) -> int:
    """The end of the longest slice from ``start`` that fits; at least one character.

    A character of no width (combining marks, joiners) stays with the one before it.
    """
    used = 0
    for index in range(start, min(len(line), start + width * 4 + 64)):
        size = get_character_cell_size(line[index])
        if used + size > width:
            return max(index, start + 1)
        used += size
    return min(len(line), start + width * 4 + 64)


def cut(line: str, width: int) -> str:
    """A line in one row: what does not fit is replaced by ``…``."""
    line = line.replace("\t", TAB)
    if len(line) <= width and cell_len(line) <= width:
        return line
    if width < 2:
        return "…"[:width]
    return line[: _fitting(line, 0, width - 1)] + "…"


_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\|$)|[@-Z\\^_=>]|[ -/][0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]",
    re.DOTALL,
)


def harmless(text: str) -> tuple[str, int]:
    """``printable`` text of at most ``MAX_CHARACTERS`` and how many characters were left out.

    Escape sequences that programs print for colour and such go entirely.
    """
    shown = text[:MAX_CHARACTERS]
    if "\x1b" in shown or "\x9b" in shown:
        shown = _ESCAPES.sub("", shown)
    return printable(shown), max(0, len(text) - MAX_CHARACTERS)


def paragraph(
    text: str, width: int, style: Style, *, mark: str = "  ", mark_style: Style | None = None
) -> list[Strip]:
    """Wrapped text with ``mark`` in front of every line, cut with a note when it is very long."""
    shown, left_out = harmless(text)
    strips: list[Strip] = []
    edge = mark_style or style
    for line in wrap(shown, width - cell_len(mark)):
        if len(strips) == MAX_LINES:
            left_out += 1
            break
        strips.append(strip((mark, edge), (line, style)))
    if left_out:
        strips.append(strip((mark, edge), ("… the rest is too long to show here", style)))
    return strips


def join(groups: Iterable[list[Strip]]) -> list[Strip]:
    """Groups of lines with one blank line between them."""
    result: list[Strip] = []
    for group in groups:
        if group and result:
            result.append(BLANK)
        result.extend(group)
    return result
