"""A long list: only the rows in sight are drawn, and only those that changed are drawn again.

One row is marked and always in sight. Which rows there are is the subclass's affair.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from sapwood.modes.tui.canvas import Canvas
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import cut, full_line, strip

WHEEL_ROWS = 3


class RowsView(Canvas):
    """Subclasses give `draw_row`. The last column is a margin; in a long list it tells where."""

    class Clicked(Message):
        """A row was clicked; ``index`` of the row."""

        def __init__(self, index: int, *, double: bool) -> None:
            super().__init__()
            self.index = index
            self.double = double

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette = palette
        self.marked = 0
        """The index of the marked row."""
        self._count = 0
        self._empty: Sequence[str] = ()
        self._top = 0
        self._drawn: dict[int, Strip] = {}

    def draw_row(self, index: int) -> Strip:
        """The row, `row_width` cells wide."""
        raise NotImplementedError

    @property
    def row_width(self) -> int:
        return max(self.size.width - 1, 1)

    @property
    def marked_y(self) -> int:
        """The line of the screen on which the marked row is."""
        return self.region.y + self.marked - self._top

    def show_rows(self, count: int, marked: int, empty: Sequence[str] = ()) -> None:
        """Other rows; without any, ``empty`` is said."""
        self._count, self.marked, self._empty = count, marked, empty
        self._drawn.clear()
        self._keep_in_sight()
        self.refresh()

    def mark(self, index: int) -> None:
        """The same rows, another one marked."""
        before, self.marked = self.marked, index
        top = self._top
        self._keep_in_sight()
        for row in {before, index}:
            self._drawn.pop(row, None)
            if top == self._top and 0 <= row - top < self.size.height:
                self.refresh(Region(0, row - top, self.size.width, 1))
        if top != self._top:
            self.refresh()

    def _keep_in_sight(self) -> None:
        height = max(self.size.height, 1)
        top = min(max(self._top, self.marked - height + 1), self.marked)
        self._top = max(min(top, self._count - height), 0)

    def on_resize(self) -> None:
        self._drawn.clear()
        self._keep_in_sight()

    def render_line(self, y: int) -> Strip:
        index = y + self._top
        ground = self.palette["ground"]
        if not self._count:
            words = self._empty[y] if y < len(self._empty) else ""
            text = strip((cut(f"   {words}", self.size.width), self.palette["dim"]))
            return full_line(text, self.size.width, ground)
        if index >= self._count:
            return full_line(Strip([]), self.size.width, ground)
        row = self._drawn.get(index)
        if row is None:
            row = self._drawn[index] = full_line(self.draw_row(index), self.row_width, ground)
        edge = Segment(self._place_mark(y), ground + self.palette["faint"])
        return Strip([*row, edge], self.size.width)

    def _place_mark(self, y: int) -> str:
        """What the last column shows: in a list longer than the screen, where in it this is."""
        height, count = self.size.height, self._count
        if count <= height:
            return " "
        first = min(self._top * height // count, height - 1)
        last = max(-(-(self._top + height) * height // count), first + 1)
        return "▐" if first <= y < last else " "

    def on_click(self, event: events.Click) -> None:
        index = event.y + self._top
        if index < self._count:
            self.post_message(self.Clicked(index, double=event.chain > 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, WHEEL_ROWS)

    def _scroll(self, event: events.MouseEvent, rows: int) -> None:
        """Look elsewhere without marking another row."""
        event.stop()
        self._top = max(min(self._top + rows, self._count - self.size.height), 0)
        self.refresh()
