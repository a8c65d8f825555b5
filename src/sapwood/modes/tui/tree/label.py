"""The field that edits a label, beside what it belongs to: at the right end of its row."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from sapwood.modes.tui.in_order import Field


class LabelField(Field):
    """Enter takes the text (empty: no label), Escape leaves all as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", show=False, id="tui.select.cancel"),
    ]
    DEFAULT_CSS = """
    LabelField, LabelField:focus {
        layer: above; position: absolute; height: 1; padding: 0 1; border: none;
        background: $primary 30%; color: $foreground;
    }
    """

    class Done(Message):
        """Editing is over; ``text`` is None when it was left."""

        def __init__(self, text: str | None) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str, *, y: int, width: int, placeholder: str) -> None:
        """``y``: the line of the screen; ``width``: that of the row, of which it takes a part."""
        super().__init__(text, placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False
        room = min(max(width // 2, 24), width)
        self.styles.offset = (width - room, y)
        self.styles.width = room

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Done(self.value.strip()))

    def action_leave(self) -> None:
        self.post_message(self.Done(None))
