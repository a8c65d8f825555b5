"""What dialogs have in common: a box at the bottom, a title, a line of hints, Escape to leave."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import harmless

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """Subclasses give `body`, the widgets between the title and the hints."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", show=False, id="tui.select.cancel"),
    ]

    DEFAULT_CSS = """
    Dialog {
        align: left bottom; background: transparent;
        & > Vertical {
            height: auto; max-height: 85%; width: 100%; padding: 0 1;
            background: $surface; border-top: solid $primary; border-bottom: solid $border-blurred;
        }
        & .title { text-style: bold; height: auto; }
        & .text { height: auto; max-height: 8; color: $foreground; margin: 0 0 1 0; }
        & .hints { color: $text-muted; height: 1; margin-top: 1; }
        & Input, & Input:focus { border: none; height: 1; padding: 0; background: $surface; }
    }
    """

    hints = "Esc back"

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self.title_text = title
        self.text = text

    @property
    def palette(self) -> Palette:
        """The palette of the app; the dark one when a dialog runs in another app."""
        palette = getattr(self.app, "palette", None)
        return palette if isinstance(palette, Palette) else DARK

    def body(self) -> list[Widget]:
        """The widgets of this dialog."""
        return []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self.title_text), classes="title")
            if self.text:
                yield Static(plain(self.text), classes="text")
            yield from self.body()
            yield Static(plain(self.hints), classes="hints")

    def action_cancel(self) -> None:
        self.dismiss(None)


def plain(text: str) -> Content:
    """Text as it is: no markup, nothing a terminal would obey."""
    return Content(harmless(text)[0])
