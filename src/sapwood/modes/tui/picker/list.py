"""The sessions on the screen. The selection is a session, not a row number.

Rows may come, go and change places while one looks; what is selected stays selected, and Enter
opens what is marked.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from textual.strip import Strip

from sapwood.modes.tui.picker.changing import same_file
from sapwood.modes.tui.picker.drawing import RowLook, draw_row
from sapwood.modes.tui.picker.shelf import ShelfRow
from sapwood.modes.tui.rows_view import RowsView
from sapwood.modes.tui.theme import Palette


class SessionList(RowsView):
    """Draws the rows of a shelf."""

    DEFAULT_CSS = "SessionList { width: 1fr; height: 1fr; background: $background; }"

    def __init__(self, current: Path | None, palette: Palette) -> None:
        super().__init__(palette)
        self.current = current
        self.look = RowLook(palette, 80, 0.0)
        self.rows: list[ShelfRow] = []
        self._selected: Path | None = None

    @property
    def index(self) -> int:
        """The index of the selected row."""
        return self.marked

    @property
    def row(self) -> ShelfRow | None:
        """The selected row."""
        return self.rows[self.marked] if self.rows else None

    def show(self, rows: list[ShelfRow], look: RowLook, empty: list[str], *, first: bool) -> None:
        """Other rows. The same session stays selected unless ``first`` says: the first one.

        When it is gone, what has come to its place is selected.
        """
        self.rows, self.look = rows, replace(look, width=self.row_width)
        at = 0 if first else self._index_of_selected()
        index = max(min(self.marked, len(rows) - 1), 0) if at is None else at
        self._selected = rows[index].info.path if rows else self._selected
        self.show_rows(len(rows), index, empty)

    def _index_of_selected(self) -> int | None:
        paths = (index for index, row in enumerate(self.rows) if row.info.path == self._selected)
        return next(paths, None)

    def select(self, index: int) -> None:
        """Select a row, or the first or last when there is none with this index."""
        if self.rows:
            index = min(max(index, 0), len(self.rows) - 1)
            self._selected = self.rows[index].info.path
            self.mark(index)

    def on_resize(self) -> None:
        super().on_resize()
        self.look = replace(self.look, width=self.row_width)

    def draw_row(self, index: int) -> Strip:
        row = self.rows[index]
        return draw_row(
            row,
            self.look,
            selected=index == self.marked,
            current=same_file(row.info.path, self.current),
        )
