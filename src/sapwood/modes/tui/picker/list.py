"""The sessions on the screen. The selection is a session, not a row number.

Rows may come, go and change places while one looks; what is selected stays selected, and Enter
opens what is marked.
"""

from __future__ import annotations

from pathlib import Path

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from sapwood.modes.tui.picker.changing import same_file
from sapwood.modes.tui.picker.drawing import RowLook, draw_row
from sapwood.modes.tui.picker.shelf import ShelfRow
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import cut, full_line, strip


class SessionList(ScrollView, can_focus=False, inherit_bindings=False):
    """``empty`` is said where there are no rows."""

    DEFAULT_CSS = """
    SessionList {
        height: 1fr; overflow-x: hidden; overflow-y: auto; background: $background;
        scrollbar-size-vertical: 1;
    }
    """

    class Clicked(Message):
        """A row was clicked, and selected by that."""

        def __init__(self, *, double: bool) -> None:
            super().__init__()
            self.double = double

    def __init__(self, current: Path | None, palette: Palette) -> None:
        super().__init__()
        self.current = current
        self.look = RowLook(palette, 80, 0.0)
        self.rows: list[ShelfRow] = []
        self.empty: list[str] = []
        self.index = 0
        self._selected: Path | None = None

    @property
    def row(self) -> ShelfRow | None:
        """The selected row."""
        return self.rows[self.index] if self.rows else None

    def show(self, rows: list[ShelfRow], look: RowLook, empty: list[str], *, first: bool) -> None:
        """Other rows. The same session stays selected unless ``first`` says: the first one.

        When it is gone, what has come to its place is selected.
        """
        self.rows, self.look, self.empty = rows, look, empty
        at = 0 if first else self._index_of_selected()
        self.select(min(self.index, len(rows) - 1) if at is None else at)

    def _index_of_selected(self) -> int | None:
        paths = (index for index, row in enumerate(self.rows) if row.info.path == self._selected)
        return next(paths, None)

    def select(self, index: int) -> None:
        """Select a row, or the first or last when there is none with this index."""
        self.index = min(max(index, 0), max(len(self.rows) - 1, 0))
        self._selected = self.row.info.path if self.row is not None else self._selected
        self.virtual_size = Size(self.size.width, max(len(self.rows), len(self.empty)))
        self.scroll_to_region(
            Region(0, self.index, 1, 1), animate=False, immediate=True, force=True
        )
        self.refresh()

    @property
    def selected_y(self) -> int:
        """The line of the screen on which the selected row is."""
        return self.region.y + self.index - self.scroll_offset.y

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width = self.size.width
        if index < len(self.rows):
            row = self.rows[index]
            line = draw_row(
                row,
                self.look,
                selected=index == self.index,
                current=same_file(row.info.path, self.current),
            )
            return full_line(line, width, self.look.palette["ground"])
        words = self.empty[index] if not self.rows and index < len(self.empty) else ""
        empty = strip((cut(f"   {words}", width), self.look.palette["dim"]))
        return full_line(empty, width, self.look.palette["ground"])

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self.rows):
            self.select(index)
            self.post_message(self.Clicked(double=event.chain > 1))
