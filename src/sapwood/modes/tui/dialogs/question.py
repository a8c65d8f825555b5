"""A question with a few answers: arrows and Enter, or the number of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from textual import events
from textual.widget import Widget

from sapwood.modes.tui.dialogs.dialog import Dialog
from sapwood.modes.tui.dialogs.rows import Row, Rows

Value = TypeVar("Value")


class Question(Dialog[Value]):
    """Dismissed with the value of the chosen row."""

    hints = "↑↓ move · Enter choose · Esc back"

    def __init__(self, title: str, rows: Sequence[Row[Value]], text: str = "") -> None:
        super().__init__(title, text)
        self.rows = rows

    def body(self) -> list[Widget]:
        start = next((index for index, row in enumerate(self.rows) if row.current), 0)
        return [Rows(self.rows, self.palette, start)]

    def on_rows_chosen(self) -> None:
        row = self.query_one(Rows).row
        self.dismiss(row.value if row else None)

    def on_key(self, event: events.Key) -> None:
        if event.key.isdigit() and 0 < int(event.key) <= len(self.rows):
            event.stop()
            self.dismiss(self.rows[int(event.key) - 1].value)


def confirm(title: str, yes: str, no: str = "No, leave it", text: str = "") -> Question[bool]:
    """A yes-or-no question whose safe answer comes first."""
    return Question(title, [Row(False, no), Row(True, yes)], text)
