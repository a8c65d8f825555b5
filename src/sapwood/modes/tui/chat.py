"""The chat screen: transcript, status lines, editor, menu and footer, and where a text goes.

A text becomes a prompt, a steering message, a shell command or a slash command. Keys are in
`chat_keys`, commands in ``commands/``, what is shown of the session is `session_view`'s affair.
Work that waits runs in workers through `start`, which turns every failure into a notice and, for a
prompt that was not accepted, gives the text back.
"""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer

from sapwood import __version__
from sapwood.errors import ReadOnlySessionError, SapwoodError, SessionWriteError
from sapwood.modes.tui.branches import has_prompt_since
from sapwood.modes.tui.chat_keys import ChatKeys
from sapwood.modes.tui.completing import sources_for
from sapwood.modes.tui.editor.draft import Draft, draft_of
from sapwood.modes.tui.editor.editor import Editor
from sapwood.modes.tui.editor.history import History
from sapwood.modes.tui.editor.menu import CompletionMenu
from sapwood.modes.tui.footer import Footer, FooterInfo
from sapwood.modes.tui.searching import Search, SearchBar
from sapwood.modes.tui.status import StatusLines
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.view import HeaderBlocks, Transcript
from sapwood.modes.tui.welcome import welcome
from sapwood.modes.tui.words import count_text

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.app import SapwoodApp
    from sapwood.modes.tui.launch import Launch
    from sapwood.modes.tui.session_view import SessionView
    from sapwood.modes.tui.warming import TreeWarmer
    from sapwood.session.schema import ImageBlock

DRAFT_PAUSE = 0.5

READ_ONLY = "This session is open read only; /fork or /clone goes on in a copy"

_COMMAND = re.compile(r"/([A-Za-z][\w:.-]*)(?:\s+(.*))?$", re.DOTALL)


class Chat(ChatKeys):
    """The screen people work in."""

    DEFAULT_CSS = """
    Chat { layout: vertical; overflow: hidden; background: $background; }
    Chat #transcript { padding-bottom: 1; }
    Chat.low #transcript { padding-bottom: 0; }
    Chat #editor {
        border-top: solid $border-blurred; border-bottom: solid $border-blurred;
        border-title-color: $warning; border-title-align: left;
    }
    Chat.shell #editor { border-top: solid $warning; border-bottom: solid $warning; }
    Chat.low Footer { height: 1; }
    Chat.low #editor { max-height: 5; }
    Chat.tiny #editor { border: none; max-height: 3; }
    Chat.tiny StatusLines { max-height: 1; }
    """

    def __init__(self, launch: Launch, palette: Palette) -> None:
        super().__init__()
        self.launch = launch
        self.transcript = Transcript(palette, id="transcript")
        self.status = StatusLines(palette)
        self.menu = CompletionMenu(palette)
        self.search_bar = SearchBar()
        self.search = Search(self)
        self.editor = Editor(self.menu, sources_for(self))
        self.editor.id = "editor"
        self.footer = Footer(palette)
        self._view: SessionView | None = None
        self._warmer: TreeWarmer | None = None
        self._last_key_at = 0.0
        self._waiting: list[tuple[str, Sequence[ImageBlock]]] = list(launch.prompts)
        self._draft: Draft | None = None
        self._draft_timer: Timer | None = None

    @property
    def session(self) -> AgentSession | None:
        return self._view.session if self._view is not None else None

    @property
    def view(self) -> SessionView:
        """What shows the session; made when there is one, after the first paint."""
        if self._view is None:
            from sapwood.modes.tui import session_view

            self._view = session_view.SessionView(
                self.transcript, self.status, self.footer, self._header, self._switched
            )
        return self._view

    @property
    def sapwood(self) -> SapwoodApp:
        """The app, typed."""
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.status
        yield self.search_bar
        yield self.editor
        yield self.menu
        yield self.footer

    # Opening

    def on_mount(self) -> None:
        from sapwood.modes.tui.app import shown_folder

        self.footer.info = FooterInfo(folder=shown_folder(self.launch.cwd), ready=False)
        self.transcript.show(HeaderBlocks(self._header))
        self.editor.focus()
        self.app.call_later(self.sapwood.take_early_input)
        self._leave_on_signals()
        self.call_after_refresh(lambda: self.start(self._open()))

    def _leave_on_signals(self) -> None:
        """A closed terminal or a polite kill ends the program in order, draft and all."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                with suppress(NotImplementedError, ValueError, RuntimeError):
                    loop.add_signal_handler(number, self.leave)

    def on_resize(self) -> None:
        self.set_class(self.size.height < 12, "low")
        self.set_class(self.size.height < 8, "tiny")

    async def _open(self) -> None:
        from sapwood.modes.tui.opening import open_first

        try:
            session = await open_first(self.sapwood, self.launch)
        except SapwoodError as error:
            self.sapwood.farewell = str(error)
            self.app.exit(1)
            return
        if session is None:
            self.app.exit(0)
            return
        self.attach(session)

    def attach(self, session: AgentSession) -> None:
        """Work with this session from now on."""
        from sapwood.modes.tui.extension_ui import ExtensionUi

        session.extensions.bind(session, ExtensionUi(self.sapwood))
        session.extensions.on_problem = lambda problem: self.status.notice(str(problem), "warn")
        self.view.attach(session)
        values = session.settings.values
        self.sapwood.use_theme(self.launch.theme or values.theme)
        shows_thinking = session.settings.raw.get("hideThinkingBlock") is False
        self.transcript.restyle(thinking=shows_thinking)
        notes = [*session.notices, *self.sapwood.keymap_problems]
        if notes:
            self.status.notice(" · ".join(notes), "warn")
        for text, images in self._take_waiting():
            self.send(text, images)
        self.call_after_refresh(self._warm_up)

    def _take_waiting(self) -> list[tuple[str, Sequence[ImageBlock]]]:
        waiting, self._waiting = self._waiting, []
        return waiting

    def _warm_up(self) -> None:
        """Import what the first answer needs and prepare the tree, while nobody waits for it."""
        from sapwood.modes.tui.opening import preload

        model = self.session.model if self.session else None
        warm_up = partial(preload, model)
        self.run_worker(warm_up, thread=True, exit_on_error=False, group="preload")

    def _switched(self) -> None:
        """Another record is shown: its history, its draft."""
        session = self.session
        if session is None:
            return
        self.save_draft()
        from sapwood.modes.tui.branches import prompts_on_path

        self.editor.prompts = History(prompts_on_path(session.manager.tree))
        self._warm_tree(session)
        self._draft = draft_of(session, self.launch.agent_dir)
        if self.editor.is_blank and (text := self._draft.load()):
            self.editor.set_text(text)

    def _warm_tree(self, session: AgentSession) -> None:
        from sapwood.modes.tui import warming

        if self._warmer is not None:
            self._warmer.stop()
        self._warmer = warming.TreeWarmer(self, session, lambda: self._last_key_at)

    def _header(self, look: Look) -> list[Strip]:
        session, verbose = self.session, self.launch.verbose
        if session is None:
            return welcome(look, __version__, has_model=False, ready=False)
        has_model = session.model is not None
        if has_model and not verbose and session.settings.values.quiet_startup is True:
            return []
        facts = session.what_is_loaded() if verbose else ()
        return welcome(look, __version__, has_model=has_model, facts=facts)

    def restyle(self, palette: Palette) -> None:
        """Draw everything with another palette."""
        for widget in (self.status, self.menu, self.footer):
            widget.palette = palette
            widget.refresh()
        self.transcript.restyle(palette=palette)

    # Work that waits

    def start(
        self, work: Coroutine[Any, Any, None], on_refused: Callable[[], None] = lambda: None
    ) -> None:
        """Run in a worker; a failure becomes a notice, and ``on_refused`` is called."""
        self.run_worker(self._guarded(work, on_refused), exit_on_error=False)

    async def _guarded(
        self, work: Coroutine[Any, Any, None], on_refused: Callable[[], None]
    ) -> None:
        try:
            await work
        except ReadOnlySessionError:
            self.may_write()
            on_refused()
        except SessionWriteError as error:
            self._tell_unsaved(error)
            on_refused()
        except SapwoodError as error:
            self.status.notice(str(error), "error")
            on_refused()
        except Exception as error:
            self.log.error(error)
            self.status.notice(f"Something went wrong inside Sapwood: {error!r}", "error")
            on_refused()

    def _tell_unsaved(self, error: SessionWriteError) -> None:
        """Say what could not be stored, and when it is tried again."""
        cause = error.__cause__
        reason = cause.strerror if isinstance(cause, OSError) else None
        if not reason:
            return self.status.notice(str(error), "error")
        again = "The next message and leaving try again" if self._unsaved() else "Nothing is lost"
        self.status.notice(f"Not saved: {reason}. {again}", "error")
        self.view.sync()
        self.view.refresh_footer()
        return self.transcript.changed()

    def _unsaved(self) -> int:
        return len(self.session.unsaved) if self.session else 0

    # Sending

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        self.status.notice("")
        self.send(event.text, event.images, follow_up=event.follow_up)
        self._schedule_draft()

    def send(
        self, text: str, images: Sequence[ImageBlock] = (), *, follow_up: bool = False
    ) -> None:
        """A text from the editor or the command line: command, shell, or message."""
        text = text.strip()
        if self.session is None:
            self._waiting.append((text, images))
            return
        match = _COMMAND.match(text)
        if match and self.run_command(match[1], match[2] or "", text):
            return
        if not match and not self.may_write():
            self.editor.restore(text, images)
            return
        if text.startswith("!") and text.strip("! \n"):
            self._run_shell(text)
            return
        self._send_message(text, images, follow_up=follow_up)

    def may_write(self) -> bool:
        """Whether the session takes new entries; if not, say how to go on."""
        if self.session is None or not self.session.manager.read_only:
            return True
        self.status.notice(READ_ONLY, "warn")
        return False

    def run_command(self, name: str, arguments: str, text: str) -> bool:
        from sapwood.modes.tui.commands.registry import find

        command = find(name)
        if command is not None:
            if not command.writes or self.may_write():
                self.start(command.run(self, arguments.strip()))
            return True
        session = self.session
        if session and (name in session.extensions.commands or session.shorthand.knows(name)):
            return False
        self.status.notice(f"There is no command /{name}; / lists them", "error")
        self.editor.add_text(text)
        return True

    def _send_message(
        self, text: str, images: Sequence[ImageBlock], *, follow_up: bool = False
    ) -> None:
        session = self.session
        assert session is not None
        self.transcript.go_bottom()
        give_back = partial(self.editor.restore, text, images)
        if session.is_idle:
            leaf = session.manager.get_leaf()
            self.start(
                self._prompt(session, text, images),
                lambda: None if has_prompt_since(session.manager.tree, leaf) else give_back(),
            )
            return
        try:
            (session.follow_up if follow_up else session.steer)(text, images)
        except SapwoodError as error:
            self.status.notice(str(error), "error")
            give_back()

    async def _prompt(self, session: AgentSession, text: str, images: Sequence[ImageBlock]) -> None:
        from sapwood.agent.activity import BusyError

        try:
            await session.prompt(text, images)
        except BusyError:
            session.steer(text, images)

    def _run_shell(self, text: str) -> None:
        hidden = text.startswith("!!")
        command = text.removeprefix("!!" if hidden else "!").strip()
        self.transcript.go_bottom()
        kept = self._unsaved()
        self.start(
            self._shell(command, hidden),
            lambda: None if self._unsaved() > kept else self.editor.restore(text),
        )

    async def _shell(self, command: str, hidden: bool) -> None:
        session, live = self.session, self.view.live
        assert session is not None
        live.start_command(command, exclude=hidden)
        if session.is_idle:
            self.status.doing("Running your command", "Esc stops")
        self.transcript.changed()

        def show(output: str) -> None:
            live.command_output(output)
            self.transcript.changed()

        try:
            await session.execute_bash(command, exclude_from_context=hidden, on_output=show)
        finally:
            live.end_command()
            if session.is_idle:
                self.status.doing("")
            self.view.sync()
            self.view.refresh_footer()
            self.transcript.changed()

    # Searching and selecting

    def on_search_bar_asked(self, event: SearchBar.Asked) -> None:
        if self.search_bar.display:
            self.search.look_for(event.query)

    def on_search_bar_stepped(self, event: SearchBar.Stepped) -> None:
        self.search.step(event.step)

    def on_search_bar_left(self) -> None:
        self.search.end()

    def on_transcript_text_selected(self, event: Transcript.TextSelected) -> None:
        self.copy(event.text)

    def copy(self, text: str) -> None:
        """Put a text that was selected on the clipboard, and say so."""
        from sapwood.modes.tui.clipboard import copy_text

        self.start(copy_text(self, text))
        self.status.notice(f"Copied {count_text(len(text), 'character')}")

    # The text being written

    def on_text_area_changed(self) -> None:
        self._last_key_at = monotonic()
        self._last_key = ("", 0.0)
        text = self.editor.text
        shell = text.startswith("!")
        self.set_class(shell, "shell")
        title = ""
        if shell:
            title = "shell, kept out of the context" if text.startswith("!!") else "shell"
        self.editor.border_title = title
        self._schedule_draft()

    def _schedule_draft(self) -> None:
        if self._draft_timer is None:
            self._draft_timer = self.set_timer(DRAFT_PAUSE, self.save_draft)

    def save_draft(self) -> None:
        """Keep what is being written on disk."""
        if self._draft_timer is not None:
            self._draft_timer.stop()
            self._draft_timer = None
        if self._draft is None or self.session is None:
            return
        draft = draft_of(self.session, self.launch.agent_dir)
        if draft.path != self._draft.path:
            self._draft.save("")
            self._draft = draft
        self._draft.save(self.editor.attachments.resolve(self.editor.text)[0])
