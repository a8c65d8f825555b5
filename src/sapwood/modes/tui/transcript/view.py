"""The transcript widget: a window on a row of blocks that renders only the lines in sight.

While something streams it repaints at most 20 times a second, less often when a frame is expensive,
so that a long answer never takes the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Protocol, TypeAlias

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import PLAIN, full_line
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.viewport import Anchor, View, scrolled, view

FRAME = 1 / 20
"""Seconds between repaints while streaming."""
SHARE = 5
"""A frame that takes t seconds is followed by a pause of at least SHARE × t."""
WHEEL_LINES = 3


class Blocks(Protocol):
    """What the transcript shows; see `path.PathBlocks`."""

    def __len__(self) -> int: ...

    def lines(self, index: int, look: Look) -> list[Strip]: ...

    def is_prompt(self, index: int) -> bool: ...


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


class Transcript(Widget):
    """Shows blocks; follows the end until it is scrolled back."""

    DEFAULT_CSS = "Transcript { height: 1fr; background: $background; }"
    can_focus = False

    def __init__(self, palette: Palette = DARK, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._blocks: Blocks = HeaderBlocks()
        self._look = Look(palette, 80)
        self._anchor: Anchor | None = None
        self._view = View(None, Anchor(0, 0), [])
        self._in_sight: dict[int, list[Strip]] = {}
        self._stale = True
        self._laid_out = Size(0, 0)
        self._base = PLAIN
        self._timer: Timer | None = None
        self._painted_at = 0.0
        self._cost = 0.0

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
        self._anchor = None
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
        if not self._stale and self._laid_out == self.size:
            return
        self._laid_out = self.size
        self._base = self.rich_style
        self._look = replace(self._look, width=max(self.size.width - 2, 10))
        started = perf_counter()
        self._in_sight.clear()
        self._view = view(self._anchor, len(self._blocks), self._lines, self.size.height)
        self._anchor = self._view.anchor
        self._painted_at = perf_counter()
        self._cost = self._painted_at - started
        self._stale = False

    def render_line(self, y: int) -> Strip:
        self._layout()
        width = self.size.width
        rows = self._view.rows
        strip = Strip([])
        if y < len(rows):
            block, line = rows[y]
            lines = self._lines(block)
            strip = lines[line] if line < len(lines) else strip
        base = self._base
        bar = Segment(self._bar(y), base + self._look.style("faint"))
        return Strip([*full_line(strip, max(width - 1, 0), base), bar], width)

    def _bar(self, y: int) -> str:
        """The scroll mark of a row while scrolled back: where the view is among the blocks."""
        rows, height, count = self._view.rows, self.size.height, len(self._blocks)
        if self._anchor is None:
            return " "
        first, last = rows[0][0] / count, (rows[-1][0] + 1) / count
        top = min(int(first * height), height - 1)
        bottom = max(int(last * height), top + 1)
        return "▐" if top <= y < bottom else " "
