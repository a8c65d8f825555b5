"""Ask for a text: one line, or several in a small editor."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from sapwood.modes.tui.dialogs.dialog import Dialog
from sapwood.modes.tui.in_order import Box, Field


class TextField(Dialog[str]):
    """Dismissed with the line as typed (perhaps empty)."""

    hints = "Enter take it · Esc back"

    def __init__(
        self,
        title: str,
        value: str = "",
        *,
        text: str = "",
        placeholder: str = "",
        secret: bool = False,
    ) -> None:
        super().__init__(title, text)
        self.value = value
        self.placeholder = placeholder
        self.secret = secret

    def body(self) -> list[Widget]:
        return [Field(self.value, placeholder=self.placeholder, password=self.secret)]

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class TextBox(Dialog[str]):
    """Several lines; Enter takes them, Shift+Enter or Ctrl+J makes a new one."""

    hints = "Enter take it · Shift+Enter new line · Esc back"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", show=False),
        Binding("shift+enter,ctrl+j", "newline", show=False),
    ]
    DEFAULT_CSS = """
    TextBox Box, TextBox Box:focus {
        border: none; height: auto; min-height: 3; max-height: 10; padding: 0;
        background: $surface;
    }
    """

    def __init__(self, title: str, value: str = "", *, text: str = "") -> None:
        super().__init__(title, text)
        self.value = value

    def body(self) -> list[Widget]:
        area = Box(self.value, soft_wrap=True, show_line_numbers=False, compact=True)
        area.cursor_blink = False
        return [area]

    def action_take(self) -> None:
        self.dismiss(self.query_one(Box).text)

    def action_newline(self) -> None:
        self.query_one(Box).insert("\n")
