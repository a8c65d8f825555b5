"""The screen: what is on the shelf, a line of search, the selected session's preview, hints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from sapwood.errors import SapwoodError
from sapwood.modes.tui.canvas import TextLines
from sapwood.modes.tui.dialogs.panel import Fact
from sapwood.modes.tui.dialogs.question import confirm
from sapwood.modes.tui.in_order import run_bound
from sapwood.modes.tui.keys import bindings
from sapwood.modes.tui.picker.changing import (
    move_to_trash,
    refuse_if_open,
    rename,
    same_file,
)
from sapwood.modes.tui.picker.drawing import RowLook, title_of
from sapwood.modes.tui.picker.keys import HINTS, PICKER
from sapwood.modes.tui.picker.list import SessionList
from sapwood.modes.tui.picker.preview import SessionPreview, last_messages, session_facts
from sapwood.modes.tui.picker.reading import Reading
from sapwood.modes.tui.picker.shelf import Shelf, Shown, Sort, Wanted
from sapwood.modes.tui.picker.words import empty_words, hidden_words, title_words
from sapwood.modes.tui.rows_view import RowsView
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.tree.label import LabelField
from sapwood.modes.tui.typed_search import pasted_words, typed_letter, without_last_word
from sapwood.modes.tui.words import count_text
from sapwood.session.info import SessionInfo
from sapwood.text import one_line

WIDE = 110
TALL = 22
PREVIEW_PAUSE = 0.08
"""Seconds the selection rests before the end of a session is read for the preview."""


class SessionPicker(Screen[Path], inherit_bindings=False):
    """See the package. ``current``: the session that is open; ``rename_current`` names that one."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings(PICKER))
    DEFAULT_CSS = """
    SessionPicker {
        layers: base above; layout: vertical; background: $background;
        & .title, & .search, & .note { height: 1; }
        & .hints { height: 2; }
        & Horizontal { height: 1fr; }
        & SessionPreview { display: none; }
        & .below { height: 30%; }
        &.wide .beside { display: block; width: 38%; }
        &.tall .below { display: block; }
        &.low .hints { display: none; }
    }
    """

    def __init__(
        self,
        cwd: Path,
        session_dir: Path | None,
        *,
        current: Path | None,
        palette: Palette,
        rename_current: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self.cwd = cwd
        self.session_dir = session_dir
        self.current = current
        self.rename_current = rename_current
        self.shelf = Shelf()
        self.wanted = Wanted(cwd)
        self.shown = Shown()
        self.note = ""
        self._look = RowLook(palette, 80, time.time())
        self._list = SessionList(current, palette)
        self._beside = SessionPreview(palette, beside=True)
        self._below = SessionPreview(palette, beside=False)
        self._title = TextLines(classes="title")
        self._search = TextLines(classes="search")
        self._hidden = TextLines(classes="note")
        self._hints = TextLines(classes="hints")
        self.reading = Reading(
            self, self.shelf, cwd, session_dir, more=self._draw, read_to_end=self._read_to_end
        )
        self._naming: SessionInfo | None = None
        self._asking = False
        self._previewed: Path | None = None
        self._preview_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._search
        with Horizontal():
            yield self._list
            yield self._beside
        yield self._below
        yield self._hidden
        yield self._hints

    # Reading

    def on_mount(self) -> None:
        self.reading.sessions_here()
        self._arrange()
        self._draw()

    def _read_to_end(self) -> None:
        self._draw()
        if self.wanted.words:
            self.reading.look_for(self.wanted.words)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Reading that fails says so instead of looking for sessions for ever."""
        if event.state is WorkerState.ERROR:
            self.reading.stop()
            self.note = f"Reading stopped: {event.worker.error}"
            self._draw()

    # Drawing

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """What there is room for."""
        width, height = self.app.size
        self.set_class(width >= WIDE, "wide")
        self.set_class(width < WIDE and height >= TALL, "tall")
        self.set_class(height < 14, "low")

    def _draw(self, *, first: bool = False) -> None:
        wanted = self.wanted
        self.shown = self.shelf.show(wanted)
        self._look = replace(
            self._look,
            now=time.time(),
            paths=wanted.paths,
            folders=wanted.cwd is None,
        )
        elsewhere = self.shown.elsewhere
        if wanted.cwd is not None:
            elsewhere += self.reading.files_elsewhere
        waiting = self.reading.is_under_way
        empty = empty_words(wanted, self.shown, elsewhere, loading=waiting)
        self._list.show(self.shown.rows, self._look, empty, first=first)
        title = title_words(self.shelf, wanted, self.shown) + self.reading.words
        palette = self._look.palette
        self._title.show(palette["strong"], one_line(title))
        self._hidden.show(palette["dim"], one_line(hidden_words(self.shelf, self.shown, elsewhere)))
        self._hints.show(palette["dim"], *HINTS)
        self._follow()

    def _follow(self) -> None:
        """Show what goes with the selected row."""
        prompt = f"/{self.wanted.query}▏" if self.wanted.query else "Search names and text"
        self._search.show(self._look.palette["accent"], one_line(self.note or prompt))
        self._preview()

    def _preview(self) -> None:
        row = self._list.row
        if row is None or row.info.path == self._previewed:
            return
        self._previewed = row.info.path
        self._show_facts(session_facts(row.info))
        if self._preview_timer is not None:
            self._preview_timer.stop()
        info = row.info
        self._preview_timer = self.set_timer(PREVIEW_PAUSE, lambda: self._read_preview(info))

    def _read_preview(self, info: SessionInfo) -> None:
        def read() -> None:
            facts = last_messages(info.path)
            self.app.call_from_thread(self._add_preview, info, facts)

        if self._beside.display or self._below.display:
            self.run_worker(read, thread=True, group="preview", exclusive=True, exit_on_error=False)

    def _add_preview(self, info: SessionInfo, facts: list[Fact]) -> None:
        if info.path == self._previewed:
            self._show_facts(session_facts(info, facts))

    def _show_facts(self, facts: list[Fact]) -> None:
        for preview in (self._beside, self._below):
            preview.show(facts)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a name is edited or a question is open, no key of the picker counts."""
        return self._naming is None and not self._asking

    def action_move(self, step: int) -> None:
        if self._list.rows:
            self._select((self._list.index + step) % len(self._list.rows))

    def action_page(self, pages: int) -> None:
        self._select(self._list.index + pages * max(self._list.size.height - 1, 1))

    def action_end(self, end: int) -> None:
        self._select(len(self._list.rows) if end > 0 else 0)

    def _select(self, index: int) -> None:
        self.note = ""
        self._list.select(index)
        self._follow()

    def on_rows_view_clicked(self, event: RowsView.Clicked) -> None:
        if not self.check_action("choose", ()):
            return
        self._select(event.index)
        if event.double:
            self.action_choose()

    def action_choose(self) -> None:
        if (row := self._list.row) is not None:
            self.dismiss(row.info.path)

    def action_cancel(self) -> None:
        if self.wanted.query:
            self._search_for("")
        else:
            self.dismiss(None)

    def action_scope(self) -> None:
        everywhere = self.wanted.cwd is not None
        self.wanted = replace(self.wanted, cwd=None if everywhere else self.cwd)
        if everywhere:
            self.reading.sessions_everywhere()
        self._draw()

    def action_sort(self) -> None:
        sorts = list(Sort)
        following = sorts[(sorts.index(self.wanted.sort) + 1) % len(sorts)]
        self.wanted = replace(self.wanted, sort=following)
        self._draw()

    def action_named(self) -> None:
        self.wanted = replace(self.wanted, named_only=not self.wanted.named_only)
        self._draw()

    def action_paths(self) -> None:
        self.wanted = replace(self.wanted, paths=not self.wanted.paths)
        self._draw()

    # Searching

    async def on_key(self, event: events.Key) -> None:
        letter = typed_letter(self, event)
        if letter is None:
            await run_bound(self, event)
        elif self.check_action("choose", ()):
            event.stop()
            self._search_for(self.wanted.query + letter)

    def on_paste(self, event: events.Paste) -> None:
        if self.check_action("choose", ()):
            event.stop()
            self._search_for(self.wanted.query + pasted_words(event))

    def _search_for(self, query: str) -> None:
        self.note = ""
        before = self.wanted.words
        self.wanted = replace(self.wanted, query=query.lstrip())
        if self.wanted.words != before:
            self.reading.look_for(self.wanted.words)
        self._draw(first=bool(self.wanted.query))

    def action_delete_char(self) -> None:
        self._search_for(self.wanted.query[:-1])

    def action_delete_word(self) -> None:
        self._search_for(without_last_word(self.wanted.query))

    def action_clear_search(self) -> None:
        self._search_for("")

    # Renaming

    async def action_rename(self) -> None:
        row = self._list.row
        if row is None:
            return
        self._naming = row.info
        field = LabelField(
            row.info.name or "",
            y=self._list.marked_y,
            width=self._list.size.width,
            placeholder="Name; Enter takes it",
        )
        await self.mount(field)
        field.focus()

    async def on_label_field_done(self, event: LabelField.Done) -> None:
        info, self._naming = self._naming, None
        await self.query(LabelField).remove()
        if info is not None and event.text is not None and event.text != (info.name or ""):
            self._rename(info, event.text)
        self._draw()

    def _rename(self, info: SessionInfo, name: str) -> None:
        try:
            if same_file(info.path, self.current) and self.rename_current is not None:
                self.rename_current(name)
            else:
                rename(info.path, name)
        except SapwoodError as error:
            self.note = f"Not renamed: {_said(error, info)}"
            return
        self.shelf.rename(info.path, name)
        self.note = f"Renamed to “{name}”" if name else "The name is gone"
        self._previewed = None

    # Deleting

    def action_delete(self) -> None:
        if (row := self._list.row) is not None:
            self._asking = True
            self.run_worker(self._delete(row.info), exit_on_error=False)

    async def _delete(self, info: SessionInfo) -> None:
        """Ask about this session and delete this one, whatever the list has become meanwhile."""
        try:
            refuse_if_open(info.path, self.current)
            messages = count_text(info.message_count, "message")
            question = confirm(
                f"Move “{title_of(info)[:60]}” to the trash?",
                "Yes, to the trash",
                text=f"{messages}. Forks of it stay, they are complete by themselves.",
            )
            if await self.app.push_screen_wait(question):
                move_to_trash(info, self.current)
                self.shelf.remove(info.path)
                self.note = "Moved to the trash"
        except SapwoodError as error:
            self.note = f"Not deleted: {_said(error, info)}"
        finally:
            self._asking = False
        self._draw()


def _said(error: SapwoodError, info: SessionInfo) -> str:
    """The message of an error without the path, which the row shows."""
    return str(error).removeprefix(f"{info.path}: ")
