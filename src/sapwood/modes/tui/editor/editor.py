"""The prompt editor: several lines, history, undo, cut and yank, placeholders for long pastes.

It knows nothing of sessions. It posts `Submitted` with everything put back in place, and asks its
`sources` for completions. Keys come from the table in `modes.tui.keys`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import unquote, urlparse

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from sapwood.errors import SapwoodError
from sapwood.modes.tui.editor import completion
from sapwood.modes.tui.editor.attachments import Attachments, is_long
from sapwood.modes.tui.editor.completion import Choice
from sapwood.modes.tui.editor.history import History
from sapwood.modes.tui.editor.menu import CompletionMenu
from sapwood.modes.tui.in_order import run_bound, types_text
from sapwood.modes.tui.keys import EDITOR, bindings
from sapwood.text import printable

if TYPE_CHECKING:
    from sapwood.session.schema import ImageBlock

MAX_IMAGE_BYTES = 20_000_000


@dataclass
class Sources:
    """Where completions come from. Each is asked again whenever a menu opens."""

    commands: Callable[[], Sequence[tuple[str, str]]] = lambda: ()
    arguments: Callable[[str], Sequence[tuple[str, str]]] = lambda command: ()
    files: Callable[[], Sequence[str]] = lambda: ()


class Editor(TextArea, inherit_bindings=False):
    """A text area that behaves like a prompt."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(EDITOR),
        ("shift+left", "cursor_left(True)"),
        ("shift+right", "cursor_right(True)"),
        ("shift+up", "cursor_up(True)"),
        ("shift+down", "cursor_down(True)"),
        ("shift+home", "cursor_line_start(True)"),
        ("shift+end", "cursor_line_end(True)"),
        ("ctrl+shift+z", "redo"),
    ]

    DEFAULT_CSS = """
    Editor, Editor:focus {
        height: auto; min-height: 1; max-height: 40vh; padding: 0 1;
        border: none; background: $background; color: $foreground;
        scrollbar-size-vertical: 1;
        & .text-area--cursor-line { background: $background; }
        & .text-area--placeholder { color: $text-muted; }
    }
    """

    @dataclass
    class Submitted(Message):
        """The user sent the text. ``follow_up``: for after the run."""

        text: str
        images: Sequence[ImageBlock]
        follow_up: bool = False

    def __init__(self, menu: CompletionMenu, sources: Sources | None = None) -> None:
        super().__init__(soft_wrap=True, tab_behavior="focus", show_line_numbers=False)
        self.cursor_blink = False
        self.menu = menu
        self.sources = sources or Sources()
        self.prompts = History()
        self.attachments = Attachments()
        self._request: completion.Request | None = None
        self._offered_for = ""
        self._cut = ""
        self._setting = False

    # Text

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    def set_text(self, text: str) -> None:
        """Replace the text, cursor at its end; can be undone."""
        self._setting = True
        self.replace(text, self.document.start, self.document.end, maintain_selection_offset=False)
        self.move_cursor(self.document.end)
        self.menu.offer(())

    def edit(self, edit: Edit) -> EditResult:
        """Every change of the text comes through here: a stored prompt, a paste, a draft, a key."""
        edit.text = printable(edit.text)
        return super().edit(edit)

    def add_text(self, text: str) -> None:
        """Put a text before what is being written, as when queued messages come back."""
        text = text.strip("\n")
        if text:
            self.set_text(f"{text}\n\n{self.text}" if not self.is_blank else text)

    def restore(self, text: str, images: Sequence[ImageBlock] = ()) -> None:
        """Put text and images back, before what is being written."""
        names = [self.attachments.add_block(image) for image in images]
        self.add_text("\n".join(part for part in (text, " ".join(names)) if part))

    def take(self) -> tuple[str, Sequence[ImageBlock]]:
        """The text with pastes and images resolved; the editor is empty afterwards."""
        shown = self.text
        text, images = self.attachments.resolve(shown)
        self.prompts.add(text if len(text) < 20_000 else shown)
        self.attachments.clear()
        self.load_text("")
        self.menu.offer(())
        return text, images

    # Sending

    def action_submit(self) -> None:
        self._catch_up()
        if self.menu.is_open and self._accept(run=True):
            return
        self.submit(follow_up=False)

    def submit(self, *, follow_up: bool) -> None:
        """Post what is written, unless it is blank."""
        if self.is_blank:
            return
        text, images = self.take()
        self.post_message(self.Submitted(text, images, follow_up))

    def action_newline(self) -> None:
        start, end = self.selection
        self._replace_via_keyboard("\n", start, end)

    # Moving

    def action_up(self) -> None:
        if self.menu.is_open:
            self.menu.move(-1)
        elif self.cursor_at_first_line:
            self._browse(self.prompts.older(self.text))
        else:
            self.action_cursor_up()

    def action_down(self) -> None:
        if self.menu.is_open:
            self.menu.move(1)
        elif self.prompts.browsing and self.cursor_at_last_line:
            self._browse(self.prompts.newer())
        else:
            self.action_cursor_down()

    def _browse(self, text: str | None) -> None:
        if text is not None:
            self.set_text(text)

    # Cutting

    def action_kill_word_left(self) -> None:
        self._kill(self.get_cursor_word_left_location())

    def action_kill_word_right(self) -> None:
        self._kill(self.get_cursor_word_right_location())

    def action_kill_to_start(self) -> None:
        row, column = self.cursor_location
        self._kill((row, 0) if column else self.get_cursor_left_location())

    def action_kill_to_end(self) -> None:
        end = self.get_cursor_line_end_location()
        at_end = end == self.cursor_location
        self._kill(self.get_cursor_right_location() if at_end else end)

    def _kill(self, to: tuple[int, int]) -> None:
        start, end = sorted((self.cursor_location, to))
        if start != end:
            self._cut = self.get_text_range(start, end)
            self.delete(start, end, maintain_selection_offset=False)

    def action_yank(self) -> None:
        if self._cut:
            self.insert(self._cut)

    # Pasting

    def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Insert pasted text: harmless, images for image paths, a placeholder when it is long."""
        text = printable(text)
        if names := self._images_of(text):
            text = " ".join(names) + " "
        elif is_long(text):
            text = self.attachments.add_text(text)
        self.insert(text)

    def attach_image(self, data: bytes) -> bool:
        """Attach an image by its bytes; False when it is none."""
        try:
            self.insert(self.attachments.add_image(data) + " ")
        except SapwoodError:
            return False
        return True

    def _images_of(self, text: str) -> list[str]:
        """Placeholders, when a paste is nothing but paths of images (as terminals drop files)."""
        names: list[str] = []
        for line in text.strip().split("\n")[:20]:
            data = _image_at(line.strip())
            if data is None:
                return []
            try:
                names.append(self.attachments.add_image(data))
            except SapwoodError:
                return []
        return names

    # Completing

    def on_text_area_changed(self) -> None:
        if self._setting:
            self._setting = False
            return
        self.prompts.rest()
        self._refresh_menu()

    def _before_cursor(self) -> str:
        row, column = self.cursor_location
        return str(self.document.get_line(row))[:column]

    def _catch_up(self) -> None:
        """Let the menu be about the text as it is now: after a burst of keys it is not yet."""
        if self._offered_for != self._before_cursor() and not self.prompts.browsing:
            self._refresh_menu()

    def _refresh_menu(self, *, by_key: bool = False) -> None:
        first = self.cursor_location[0] == 0
        request = completion.request_at(self._before_cursor(), first_line=first)
        if request is None and by_key:
            request = _path_request(self._before_cursor())
        self._request = request
        self._offered_for = self._before_cursor()
        self.menu.offer(self._choices(request) if request else ())

    def refresh_menu(self) -> None:
        """Ask the sources again, when one of them learnt something."""
        if self.menu.is_open or self._request is not None:
            self._refresh_menu()

    def _choices(self, request: completion.Request) -> list[Choice]:
        if request.kind == "command":
            return completion.command_choices(request.word, self.sources.commands())
        if request.kind == "argument":
            offers = dict(self.sources.arguments(request.command))
            ranked = completion.rank(request.word, offers)
            return [Choice(name, offers[name], name) for name in ranked if name != request.word]
        return completion.file_choices(request.word, self.sources.files())

    def action_complete(self) -> None:
        self._catch_up()
        if not self.menu.is_open:
            self._refresh_menu(by_key=True)
            if len(self.menu.choices) != 1:
                return
        self._accept()

    def _accept(self, *, run: bool = False) -> bool:
        """Insert the selected choice. With ``run``, False when the text is to be sent instead."""
        choice, request = self.menu.choice, self._request
        if choice is None or request is None:
            return False
        row, column = self.cursor_location
        if run and request.kind == "command":
            self.replace(choice.insert.rstrip(), (row, request.start), (row, column))
            self.menu.offer(())
            return False
        self.replace(choice.insert, (row, request.start), (row, column))
        if not choice.insert.endswith("/"):
            self.menu.offer(())
        return True

    def close_menu(self) -> bool:
        """Close the menu; False when none was open."""
        was_open = self.menu.is_open
        self.menu.offer(())
        self._request = None
        return was_open

    async def on_key(self, event: events.Key) -> None:
        """Enter, Tab, Escape and the like mean what they are bound to, and at once."""
        if event.key in {"enter", "tab", "escape"} or not types_text(event):
            event.prevent_default()
            await run_bound(self, event)


def _path_request(before: str) -> completion.Request | None:
    """A file completion for the word before the cursor, asked for with Tab."""
    word = before.rpartition(" ")[2]
    start = len(before) - len(word)
    return completion.Request("file", word.removeprefix("@"), start) if word else None


def _image_at(text: str) -> bytes | None:
    """The bytes of the image a pasted path or file URL names; None when it names none."""
    if not text or len(text) > 4_096:
        return None
    path = unquote(urlparse(text).path) if text.startswith("file://") else text.strip("'\"")
    path = path.replace("\\ ", " ")
    if not path.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp")):
        return None
    try:
        file = Path(path).expanduser()
        if not file.is_file() or file.stat().st_size > MAX_IMAGE_BYTES:
            return None
        return file.read_bytes()
    except (OSError, ValueError, RuntimeError):
        return None
