"""Choose from a long list by typing words: every word must occur in what the row shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input, Static

from sapwood.modes.tui.dialogs.dialog import Dialog, plain
from sapwood.modes.tui.dialogs.rows import Row, Rows
from sapwood.modes.tui.in_order import Field

Value = TypeVar("Value")


def matching(query: str, rows: Sequence[Row[Value]]) -> list[Row[Value]]:
    """The rows in which every word of the query can be read."""
    words = query.lower().split()
    return [
        row for row in rows if all(word in f"{row.label} {row.detail}".lower() for word in words)
    ]


class PickList(Dialog[Value]):
    """Dismissed with the value of the chosen row."""

    beside = 2
    hints = "Type to search · ↑↓ move · Enter choose · Esc back"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "rows('move', -1)", show=False, id="tui.select.up"),
        Binding("down", "rows('move', 1)", show=False, id="tui.select.down"),
        Binding("pageup", "rows('page', -1)", show=False, id="tui.select.pageUp"),
        Binding("pagedown", "rows('page', 1)", show=False, id="tui.select.pageDown"),
    ]

    def __init__(
        self, title: str, rows: Sequence[Row[Value]], *, query: str = "", text: str = ""
    ) -> None:
        super().__init__(title, text)
        self.rows = rows
        self.search_text = query

    def body(self) -> list[Widget]:
        shown = matching(self.search_text, self.rows)
        start = next((index for index, row in enumerate(shown) if row.current), 0)
        rows = Rows(shown, self.palette, start)
        rows.can_focus = False
        return [
            Field(self.search_text, placeholder="Search", select_on_focus=False),
            rows,
            Static(plain(self._count(len(shown))), classes="count"),
        ]

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def _count(self, shown: int) -> str:
        total = len(self.rows)
        return f"{total:,} in all" if shown == total else f"{shown:,} of {total:,}"

    def on_input_changed(self, event: Input.Changed) -> None:
        shown = matching(event.value, self.rows)
        self.query_one(Rows).show(shown)
        self.query_one(".count", Static).update(plain(self._count(len(shown))))

    def on_input_submitted(self) -> None:
        self._choose()

    def on_rows_chosen(self) -> None:
        self._choose()

    def action_rows(self, what: str, step: int) -> None:
        rows = self.query_one(Rows)
        getattr(rows, f"action_{what}")(step)

    def _choose(self) -> None:
        if row := self.query_one(Rows).row:
            self.dismiss(row.value)
