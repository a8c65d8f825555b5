"""Searching the conversation: a line to type in, the hits one after the other, newest first.

The record is read in slices, so that a key is heard at once however long it is; the number of hits
grows meanwhile. The block of the hit one stands at is unfolded as long as one stands there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from sapwood.modes.tui.dialogs.dialog import plain
from sapwood.modes.tui.in_order import Field
from sapwood.modes.tui.keys import SEARCH, bindings

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.transcript.find import Finder

SLICE = 0.012
"""Seconds of reading at a time."""
PAUSE = 0.02
"""Seconds between two slices."""


class SearchBar(Horizontal):
    """The line; what it says is decided by `Search`."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings(SEARCH))
    DEFAULT_CSS = """
    SearchBar {
        height: 1; padding: 0 1; background: $background; display: none;
        & .title { width: auto; color: $accent; }
        & .count { width: auto; color: $text-muted; }
        & Field, & Field:focus {
            width: 1fr; border: none; height: 1; padding: 0; background: $background;
            background-tint: $background 0%;
        }
    }
    """

    @dataclass
    class Asked(Message):
        """The text was changed."""

        query: str

    @dataclass
    class Stepped(Message):
        """Go to another hit: ``step`` 1 to an older one, -1 to a newer one."""

        step: int

    class Left(Message):
        """Back to the editor."""

    def compose(self) -> ComposeResult:
        yield Static("Search ", classes="title")
        yield Field(select_on_focus=True)
        yield Static("", classes="count")

    def on_mount(self) -> None:
        self.query_one(Field).cursor_blink = False

    def open(self) -> None:
        """Show the line, with what was searched for last."""
        self.display = True
        self.query_one(Field).focus()

    def say(self, words: str) -> None:
        self.query_one(".count", Static).update(plain(f"  {words}"))

    @property
    def query_text(self) -> str:
        return self.query_one(Field).value

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Asked(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_step(1)

    def action_step(self, step: int) -> None:
        self.post_message(self.Stepped(step))

    def action_leave(self) -> None:
        self.display = False
        self.post_message(self.Left())


class Search:
    """One search through the active path of a chat's session, from where the view stands."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._finder: Finder | None = None
        self._from = 0
        self._number: int | None = None
        self._unfolded: int | None = None
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Open the line, or go to the next hit when it is open."""
        bar = self._chat.search_bar
        if bar.display:
            return self.step(1)
        self._from = self._chat.transcript.last_block - 1
        bar.open()
        return self.look_for(bar.query_text)

    def look_for(self, query: str) -> None:
        """Search for another text."""
        from sapwood.modes.tui.transcript.find import Finder

        blocks = self._chat.view.blocks
        if blocks is None:
            return
        self._finder = Finder(tuple(blocks.entries), query)
        self._number = None
        if self._timer is None:
            self._timer = self._chat.set_interval(PAUSE, self._read_on, name="search")
        self._read_on()

    def step(self, step: int) -> None:
        """Go to an older or a newer hit; around the ends once all are known."""
        finder = self._finder
        if finder is None or self._number is None:
            return
        number = self._number + step
        if finder.done:
            number %= finder.total
        if 0 <= number < finder.total:
            self._go(number)

    def end(self) -> None:
        """Back to the editor; the view stays where it is."""
        if self._timer is not None:
            self._timer.stop()
        self._finder = self._number = self._timer = None
        self._chat.transcript.mark(None)
        self._chat.editor.focus()

    def _read_on(self) -> None:
        finder = self._finder
        if finder is None or (finder.done and self._number is not None):
            return
        finder.read_on(SLICE)
        if self._number is None and finder.total:
            number = finder.number_at(self._from)
            if number < finder.total or finder.done:
                self._go(min(number, finder.total - 1))
        self._say()
        if finder.done and not finder.total:
            self._fold_again()
            self._chat.transcript.mark(None)

    def _go(self, number: int) -> None:
        from sapwood.modes.tui.transcript.view import Marks

        finder, blocks = self._finder, self._chat.view.blocks
        if finder is None or blocks is None:
            return
        self._number = number
        hit = finder.hit(number)
        if hit.position >= len(blocks.entries):
            return
        block = blocks.block_of(hit.position)
        if block != self._unfolded:
            self._fold_again()
            self._unfolded = block
            blocks.fold(block, True)
        view = self._chat.transcript
        view.mark(Marks(finder.query, block, 0))
        view.show_block(block)
        if places := view.spans_of(block):
            nth = min(finder.place(hit, block - 1), len(places) - 1)
            view.mark(Marks(finder.query, block, nth))
            view.show_block(block, places[nth][0].line)
        self._say()

    def _fold_again(self) -> None:
        blocks = self._chat.view.blocks
        if self._unfolded is not None and blocks is not None:
            blocks.fold(self._unfolded, None)
        self._unfolded = None

    def _say(self) -> None:
        self._chat.search_bar.say(self._words())

    def _words(self) -> str:
        finder = self._finder
        if finder is None or not finder.query:
            return "Esc back"
        if self._number is None:
            return "Nothing found · Esc back" if finder.done else "Searching…"
        more = "" if finder.done else "…"
        return f"{self._number + 1:,} of {finder.total:,}{more} · Enter older · ↓ newer · Esc back"
