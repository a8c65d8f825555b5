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
from sapwood.modes.tui.transcript.lines import harmless, wrap

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
            height: auto; max-height: 90%; width: 100%; padding: 0 1;
            background: $surface; border-top: solid $primary; border-bottom: solid $border-blurred;
        }
        & .title { text-style: bold; height: auto; }
        & .text { height: auto; max-height: 8; color: $foreground; margin: 0 0 1 0; }
        & .hints { color: $text-muted; height: auto; margin-top: 1; }
        &.low .text { display: none; }
        &.low .hints { margin-top: 0; }
        & Input, & Input:focus {
            border: none; height: 1; padding: 0; background: $surface; background-tint: $surface 0%;
        }
    }
    """

    hints = "Esc back"
    beside = 0
    """Lines of the body beside the widget that grows."""

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

    @property
    def room(self) -> int:
        """Lines for the one widget that grows: what the screen has beside all others."""
        width, height = self.app.size
        low = self.has_class("low")
        shown = [self.title_text, self.hints, "" if low else self.text]
        others = sum(len(list(wrap(text, width - 2))) for text in shown if text)
        gaps = 2 + (0 if low else 1 + bool(self.text))
        return max(height * 9 // 10 - others - gaps - self.beside, 2)

    def on_resize(self) -> None:
        self.set_class(self.app.size.height < 16, "low")

    def action_cancel(self) -> None:
        self.dismiss(None)


def plain(text: str) -> Content:
    """Text as it is: no markup, nothing a terminal would obey."""
    return Content(harmless(text)[0])
