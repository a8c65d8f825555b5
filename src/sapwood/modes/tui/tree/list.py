"""The rows of the tree on the screen."""

from __future__ import annotations

from dataclasses import replace

from textual.strip import Strip

from sapwood.library.tree_rows import TreeRows
from sapwood.modes.tui.rows_view import RowsView
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.tree.browser import TreeBrowser
from sapwood.modes.tui.tree.drawing import RowLook, draw_row

AGES_KEPT = 20
"""Seconds for which the ages of rows stay as they are."""


class TreeList(RowsView):
    """Draws a `TreeBrowser`."""

    DEFAULT_CSS = "TreeList { width: 1fr; height: 1fr; background: $background; }"

    def __init__(self, browser: TreeBrowser, palette: Palette) -> None:
        super().__init__(palette)
        self.browser = browser
        self.look = RowLook(palette, 80, 0.0)
        self._rows: TreeRows | None = None

    def show(self, look: RowLook, empty: list[str]) -> None:
        """Draw again: other rows, another cursor, another look."""
        browser = self.browser
        look = replace(look, width=self.row_width)
        if look.now - self.look.now < AGES_KEPT:
            look = replace(look, now=self.look.now)
        if browser.rows is self._rows and look == self.look:
            self.mark(browser.cursor)
        else:
            self.look, self._rows = look, browser.rows
            self.show_rows(len(browser.rows), browser.cursor, empty)

    def on_resize(self) -> None:
        super().on_resize()
        self.look = replace(self.look, width=self.row_width)

    def draw_row(self, index: int) -> Strip:
        browser = self.browser
        row = browser.rows[index]
        label = browser.tree.labels.get(row.entry.id) if row.label is not None else None
        return draw_row(
            row,
            self.look,
            cursor=index == self.marked,
            here=index == browser.leaf_row,
            label_time=label.timestamp if label is not None else "",
        )
