"""The rows of the tree on the screen: only those in sight are made and drawn."""

from __future__ import annotations

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import cut, full_line, strip
from sapwood.modes.tui.tree.browser import TreeBrowser
from sapwood.modes.tui.tree.drawing import RowLook, draw_row


class TreeList(ScrollView, can_focus=False, inherit_bindings=False):
    """Draws a `TreeBrowser`. ``empty`` is said where there are no rows."""

    DEFAULT_CSS = """
    TreeList {
        height: 1fr; overflow-x: hidden; overflow-y: auto; background: $background;
        scrollbar-size-vertical: 1;
    }
    """

    class Clicked(Message):
        """A row was clicked; ``index`` of the row."""

        def __init__(self, index: int, *, double: bool) -> None:
            super().__init__()
            self.index = index
            self.double = double

    def __init__(self, browser: TreeBrowser, palette: Palette) -> None:
        super().__init__()
        self.browser = browser
        self.look = RowLook(palette, 80, 0.0)
        self.empty: list[str] = []

    def show(self, look: RowLook, empty: list[str]) -> None:
        """Draw again: other rows, another cursor, another look."""
        self.look = look
        self.empty = empty
        self.virtual_size = Size(self.size.width, max(len(self.browser.rows), len(empty)))
        self.scroll_to_region(
            Region(0, self.browser.cursor, 1, 1), animate=False, immediate=True, force=True
        )
        self.refresh()

    @property
    def cursor_y(self) -> int:
        """The line of the screen on which the cursor's row is."""
        return self.region.y + self.browser.cursor - self.scroll_offset.y

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        index = y + self.scroll_offset.y
        browser, palette = self.browser, self.look.palette
        if index < len(browser.rows):
            row = browser.rows[index]
            label = browser.tree.labels.get(row.entry.id) if row.label is not None else None
            line = draw_row(
                row,
                self.look,
                cursor=index == browser.cursor,
                here=index == browser.leaf_row,
                label_time=label.timestamp if label is not None else "",
            )
            return full_line(line, width, palette["ground"])
        words = self.empty[index] if not len(browser.rows) and index < len(self.empty) else ""
        empty = strip((cut(f"   {words}", width), palette["dim"]))
        return full_line(empty, width, palette["ground"])

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self.browser.rows):
            self.post_message(self.Clicked(index, double=event.chain > 1))
