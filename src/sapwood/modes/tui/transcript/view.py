"""The transcript widget: a window on a row of blocks that renders only the lines in sight.

While something streams it repaints at most 20 times a second, less often when a frame is expensive,
so that a long answer never takes the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from sapwood.modes.tui.canvas import Canvas
from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import BLANK, PLAIN, full_line
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.marking import cells_marked, marked
from sapwood.modes.tui.transcript.selecting import Place, Selected
from sapwood.modes.tui.transcript.viewport import Anchor, View, scrolled, view

FRAME = 1 / 20
"""Seconds between repaints while streaming."""
SHARE = 5
"""A frame that takes t seconds is followed by a pause of at least SHARE × t."""
WHEEL_LINES = 3
REVERSED = Style(reverse=True)


if TYPE_CHECKING:
    from sapwood.modes.tui.transcript.find import Span


class Blocks(Protocol):
    """What the transcript shows; see `path.PathBlocks`."""

    def __len__(self) -> int: ...

    def lines(self, index: int, look: Look) -> list[Strip]: ...

    def is_prompt(self, index: int) -> bool: ...

    def toggle(self, index: int, look: Look) -> bool: ...


Header: TypeAlias = Callable[[Look], list[Strip]]


class HeaderBlocks:
    """Only a header: what is shown before there is a session."""

    def __init__(self, header: Header = lambda look: []) -> None:
        self._header = header

    def __len__(self) -> int:
        return 1

    def lines(self, index: int, look: Look) -> list[Strip]:
        return self._header(look)

    def is_prompt(self, index: int) -> bool:
        return False

    def toggle(self, index: int, look: Look) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Marks:
    """What is searched for, folded (`find.folded`), and which place of a block one stands at."""

    query: str
    block: int
    nth: int


class Transcript(Canvas):
    """Shows blocks; follows the end until it is scrolled back."""

    DEFAULT_CSS = "Transcript { height: 1fr; background: $background; }"
    ALLOW_SELECT = False  # Textual's way of selecting knows no blocks

    @dataclass
    class TextSelected(Message):
        """The user has selected a text with the mouse."""

        text: str

    def __init__(self, palette: Palette = DARK, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._blocks: Blocks = HeaderBlocks()
        self._look = Look(palette, 80)
        self._anchor: Anchor | None = None
        self._view = View(None, Anchor(0, 0), [])
        self._in_sight: dict[int, list[Strip]] = {}
        self._full: dict[tuple[int, str], tuple[Strip, Strip]] = {}
        self._full_before = self._full
        self._stale = True
        self._drawn: tuple[Size, Style, Palette] | None = None
        self._base = PLAIN
        self._timer: Timer | None = None
        self._painted_at = 0.0
        self._cost = 0.0
        self._marks: Marks | None = None
        self._spans: dict[int, list[list[Span]]] = {}
        self._pressed: Place | None = None
        self._selected: Selected | None = None

    @property
    def look(self) -> Look:
        return self._look

    @property
    def follows(self) -> bool:
        """Whether the end is in sight and stays so."""
        return self._anchor is None

    def show(self, blocks: Blocks) -> None:
        """Show other blocks, from their end."""
        self._blocks = blocks
        self._anchor = self._selected = None
        self.redraw()

    def restyle(
        self,
        *,
        palette: Palette | None = None,
        expanded: bool | None = None,
        thinking: bool | None = None,
    ) -> None:
        """Draw in another way; what is at the top of the view stays there."""
        look = self._look
        self._look = replace(
            look,
            palette=palette or look.palette,
            expanded=look.expanded if expanded is None else expanded,
            thinking=look.thinking if thinking is None else thinking,
        )
        self.redraw()

    def redraw(self) -> None:
        """Paint what the blocks are now, at once."""
        self._stale = True
        self.refresh()

    def changed(self) -> None:
        """The blocks changed; paint soon. Call as often as you like."""
        if self._timer is not None:
            return
        pause = max(FRAME, self._cost * SHARE) - (perf_counter() - self._painted_at)
        self._timer = self.set_timer(max(pause, 0.001), self._frame, name="transcript frame")

    def _frame(self) -> None:
        self._timer = None
        self.redraw()

    # Scrolling

    def scroll_rows(self, rows: int) -> None:
        """Move the view down (up, when negative); reaching the end follows it again."""
        self._layout()
        anchor = scrolled(self._view.top, len(self._blocks), self._lines, rows)
        self._go(anchor)

    def scroll_page(self, pages: int) -> None:
        self.scroll_rows(pages * max(self.size.height - 2, 1))

    def go_top(self) -> None:
        self._go(Anchor(0, 0))

    def go_bottom(self) -> None:
        self._go(None)

    def jump_prompt(self, step: int) -> None:
        """Put the previous or next prompt at the top of the view."""
        self._layout()
        block = self._view.top.block + step
        while 0 <= block < len(self._blocks):
            if self._blocks.is_prompt(block):
                return self._go(Anchor(block, 0))
            block += step
        return self._go(Anchor(0, 0) if step < 0 else None)

    def _go(self, anchor: Anchor | None) -> None:
        self._anchor = anchor
        self.redraw()

    # Searching

    def show_block(self, block: int, line: int = 0) -> None:
        """Put a line of a block about a third down the view."""
        top = Anchor(block, line)
        above = self.size.height // 3
        self._in_sight.clear()
        self._go(scrolled(top, len(self._blocks), self._lines, -above))

    def mark(self, marks: Marks | None) -> None:
        """Set off what is searched for; None ends that."""
        self._marks = marks
        self.redraw()

    def spans_of(self, block: int) -> list[list[Span]]:
        """Where a block says what is searched for."""
        found = self._spans.get(block)
        if found is None:
            from sapwood.modes.tui.transcript.find import spans

            query = self._marks.query if self._marks else ""
            found = self._spans[block] = spans(self._lines(block), query)
        return found

    @property
    def last_block(self) -> int:
        """The block at the bottom of the view."""
        self._layout()
        return self._view.rows[-1][0] if self._view.rows else 0

    # Mouse

    def _place(self, x: int, y: int) -> Place | None:
        rows = self._view.rows
        if not rows:
            return None
        block, line = rows[min(max(y, 0), len(rows) - 1)]
        return Place(block, line, max(x, 0))

    def deselect(self) -> bool:
        """Let go of the selected text; False when there is none."""
        selected, self._selected = self._selected, None
        self.refresh()
        return selected is not None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and 0 <= event.y < len(self._view.rows):
            self._pressed = self._place(event.x, event.y)
            self._selected = None
            self.capture_mouse()
            self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._pressed is None:
            return
        if event.y < 0 or event.y >= self.size.height:
            self.scroll_rows(-1 if event.y < 0 else 1)
            self._layout()
        if (place := self._place(event.x, event.y)) is not None:
            self._selected = Selected(self._pressed, place)
            self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            return
        self.release_mouse()
        if self._selected is None or self._selected.is_empty:
            self._selected = None
            self._toggle(pressed.block)
        elif text := self._selected.text(self._lines):
            self.post_message(self.TextSelected(text))

    def _toggle(self, block: int) -> None:
        """Fold or unfold a block; what comes into being below the view is brought into it."""
        first = next(y for y, (at, _) in enumerate(self._view.rows) if at == block)
        top = self._view.top
        if self._blocks.toggle(block, self._look):
            self._go(top)
            self._layout()
            below = first + len(self._lines(block)) - self.size.height
            self.scroll_rows(min(max(below, 0), first))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows(-WHEEL_LINES)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows(WHEEL_LINES)

    # Drawing

    def _lines(self, index: int) -> list[Strip]:
        """The lines of a block, made once for each frame."""
        lines = self._in_sight.get(index)
        if lines is None:
            lines = self._in_sight[index] = self._blocks.lines(index, self._look)
        return lines

    def _layout(self) -> None:
        if not self._stale and self._drawn and self._drawn[0] == self.size:
            return
        drawn = self.size, self.rich_style, self._look.palette
        self._full_before = self._full if drawn == self._drawn else {}
        self._full = {}
        self._drawn = drawn
        self._base = self.rich_style
        self._look = replace(self._look, width=max(self.size.width - 2, 10))
        started = perf_counter()
        self._in_sight.clear()
        self._spans.clear()
        self._view = view(self._anchor, len(self._blocks), self._lines, self.size.height)
        self._anchor = self._view.anchor
        self._painted_at = perf_counter()
        self._cost = self._painted_at - started
        self._stale = False

    def render_line(self, y: int) -> Strip:
        self._layout()
        rows = self._view.rows
        if y >= len(rows):
            return self._full_line(BLANK, y)
        block, line = rows[y]
        lines = self._lines(block)
        strip = lines[line] if line < len(lines) else BLANK
        return self._full_line(self._set_off(block, line, strip), y)

    def _full_line(self, strip: Strip, y: int) -> Strip:
        """A line in full width, with its part of the bar; the same as in the frame before.

        With it Textual keeps what it has made of it for the terminal.
        """
        bar = self._bar(y)
        key = (id(strip), bar)
        made = self._full.get(key) or self._full_before.get(key)
        if made is None:
            width, base = self.size.width, self._base
            edge = Segment(bar, base + self._look.style("faint"))
            made = strip, Strip([*full_line(strip, max(width - 1, 0), base), edge], width)
        self._full[key] = made  # with the line itself, so that its id stays its own
        return made[1]

    def _set_off(self, block: int, line: int, strip: Strip) -> Strip:
        """A line with what is searched for and what is selected in it."""
        if (marks := self._marks) is not None:
            for nth, place in enumerate(self.spans_of(block)):
                here = marks.block == block and marks.nth == nth
                style = self._look.style("match") + (REVERSED if here else PLAIN)
                parts = [(start, end) for at, start, end in place if at == line]
                strip = marked(strip, parts, style)
        if self._selected is not None and (cells := self._selected.cells(block, line)):
            strip = cells_marked(strip, *cells, REVERSED)
        return strip

    def _bar(self, y: int) -> str:
        """The scroll mark of a row while scrolled back: where the view is among the blocks."""
        rows, height, count = self._view.rows, self.size.height, len(self._blocks)
        if self._anchor is None:
            return " "
        first, last = rows[0][0] / count, (rows[-1][0] + 1) / count
        top = min(int(first * height), height - 1)
        bottom = max(int(last * height), top + 1)
        return "▐" if top <= y < bottom else " "
