"""A list of rows with one selected: the line-API list that every dialog with choices uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from sapwood.modes.tui.dialogs.dialog import Dialog
from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import cut, full_line, painted
from sapwood.text import one_line

Value = TypeVar("Value")

MAX_ROWS = 14


@dataclass(frozen=True, slots=True)
class Row(Generic[Value]):
    """One choice: its value, what it is called, a few words, and whether it is the present one."""

    value: Value
    label: str
    detail: str = ""
    current: bool = False


class Rows(Widget, Generic[Value]):
    """Draws the rows in sight. Keys and clicks move the selection; Enter and clicks choose."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False, id="tui.select.up"),
        Binding("down", "move(1)", show=False, id="tui.select.down"),
        Binding("pageup", "page(-1)", show=False, id="tui.select.pageUp"),
        Binding("pagedown", "page(1)", show=False, id="tui.select.pageDown"),
        Binding("home", "end(-1)", show=False),
        Binding("end", "end(1)", show=False),
        Binding("enter", "choose", show=False, id="tui.select.confirm"),
    ]
    DEFAULT_CSS = "Rows { height: auto; background: $surface; }"
    can_focus = True
    selected: reactive[int] = reactive(0)

    class Chosen(Message):
        """The selected row was chosen."""

    def __init__(self, rows: Sequence[Row[Value]], palette: Palette = DARK, start: int = 0) -> None:
        super().__init__()
        self.rows = rows
        self.palette = palette
        self.set_reactive(Rows.selected, start)

    @property
    def row(self) -> Row[Value] | None:
        return self.rows[self.selected] if self.rows else None

    def show(self, rows: Sequence[Row[Value]]) -> None:
        """Other rows; the selection stays on its value where it can, else goes to the first."""
        kept = self.row.value if self.row else None
        self.rows = rows
        values = [row.value for row in rows]
        self.selected = values.index(kept) if kept in values else 0
        self.refresh(layout=True)

    def action_move(self, step: int) -> None:
        if self.rows:
            self.selected = (self.selected + step) % len(self.rows)

    def action_page(self, step: int) -> None:
        last = len(self.rows) - 1
        self.selected = min(
            max(self.selected + step * max(self.size.height - 1, 1), 0), max(last, 0)
        )

    def action_end(self, step: int) -> None:
        self.selected = max(len(self.rows) - 1, 0) if step > 0 else 0

    def action_choose(self) -> None:
        if self.rows:
            self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        index = self._top() + event.y
        if index < len(self.rows):
            self.selected = index
            self.action_choose()

    def on_mouse_scroll_down(self) -> None:
        self.selected = min(self.selected + 1, max(len(self.rows) - 1, 0))

    def on_mouse_scroll_up(self) -> None:
        self.selected = max(self.selected - 1, 0)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        room = self.screen.room if isinstance(self.screen, Dialog) else MAX_ROWS
        return max(min(len(self.rows), MAX_ROWS, room), 1)

    def _top(self) -> int:
        height = max(self.size.height, 1)
        return max(0, min(self.selected - height // 2, len(self.rows) - height))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        index = self._top() + y
        if index >= len(self.rows):
            text = "  Nothing fits" if y == 0 else ""
            return painted(Strip([Segment(text, self.palette["dim"])]), self)
        window = self.rows[self._top() : self._top() + self.size.height]
        longest = max(cell_len(one_line(row.label)) for row in window)
        column = max(
            min(longest, width * 3 // 5 if any(row.detail for row in window) else width), 1
        )
        return painted(self._strip(self.rows[index], index == self.selected, column, width), self)

    def _strip(self, row: Row[Value], selected: bool, column: int, width: int) -> Strip:
        back = self.palette["selected"] if selected else Style()
        label = cut(one_line(row.label), min(column, width - 4))
        mark = ("›" if selected else " ") + ("•" if row.current else " ")
        gap = " " * (column - cell_len(label) + 2)
        detail = cut(one_line(row.detail), max(width - column - 5, 0))
        strip = Strip(
            [
                Segment(f"{mark} ", self.palette["accent"] + back),
                Segment(label, self.palette["strong" if selected else "text"] + back),
                Segment(gap, back),
                Segment(detail, self.palette["dim"] + back),
            ]
        )
        return full_line(strip, width, back)
