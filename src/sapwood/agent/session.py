"""`AgentSession`: everything that can be done with a session, one thing at a time.

The faces (print, JSON, terminal UI, RPC) and programs talk to this class. It decides by the table
in `activity` whether a request is done, queued, refused, or first ends the run; the work itself is
in `run`, `compacting` and `navigation`, on a shared `Conversation`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sapwood.agent import events
from sapwood.agent.activity import Activity, Rule
from sapwood.agent.bash import UserCommands
from sapwood.agent.conversation import Conversation
from sapwood.agent.outside import OutsideCompletion, answer_text, complete_outside
from sapwood.agent.queue import QueuedMessage, QueuedMessages, QueueKind
from sapwood.agent.scheduling import OnAccepted, Scheduler
from sapwood.agent.stats import ContextUsage, SessionStats, session_stats
from sapwood.agent.switches import Switches
from sapwood.errors import SapwoodError, SessionError, SessionWriteError
from sapwood.models.thinking import is_level

if TYPE_CHECKING:
    from typing import Unpack

    from sapwood.agent.extensions import ExtensionHost
    from sapwood.agent.navigation import Navigation, SummaryChoice
    from sapwood.agent.settings import Settings
    from sapwood.agent.shorthand import Shorthand
    from sapwood.compaction.compact import CompactionResult
    from sapwood.library.export import ExportKind, How
    from sapwood.models.catalogue import Catalogue
    from sapwood.models.model import Model
    from sapwood.session.manager import SessionManager
    from sapwood.session.schema import (
        AssistantMessage,
        BashExecutionMessage,
        ImageBlock,
        Json,
        Message,
        Replacement,
        UserBlock,
    )

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork was opened; ``text`` is what the chosen user message says, for the editor."""

    text: str | None = None


class AgentSession:
    """One session and the agent that works in it. Made by `create_agent_session`.

    Methods raise `BusyError` where `activity.RULES` refuses them. Use it from one event loop.
    """

    def __init__(
        self,
        conversation: Conversation,
        manager: SessionManager,
        *,
        keep_model: bool = False,
        keep_level: bool = False,
    ) -> None:
        self._conversation = conversation
        self._scheduler = Scheduler(conversation)
        self._commands = UserCommands(conversation)
        self.notices: list[str] = []
        """What a person should know about how the session was opened."""
        stop = conversation.subscribe(self._collect_notice)
        conversation.attach(manager)
        conversation.follow_path(keep_model=keep_model, keep_level=keep_level)
        stop()
        conversation.extensions.bind(self)

    def _collect_notice(self, event: events.Event) -> None:
        if event["type"] == "notice":
            self.notices.append(event["message"])

    # What it is

    @property
    def manager(self) -> SessionManager:
        """The record. Append through the session, not through this, while something runs."""
        return self._conversation.manager

    @property
    def model(self) -> Model | None:
        return self._conversation.model

    @property
    def model_name(self) -> str | None:
        return self.model.ref if self.model else None

    @property
    def thinking_level(self) -> str:
        """The level in force: what was wished for, as far as the model can do it."""
        return self._conversation.thinking_level

    @property
    def settings(self) -> Settings:
        return self._conversation.settings

    @property
    def catalogue(self) -> Catalogue:
        return self._conversation.catalogue

    @property
    def extensions(self) -> ExtensionHost:
        return self._conversation.extensions

    @property
    def shorthand(self) -> Shorthand:
        """The prompt templates and skills that messages may name."""
        return self._conversation.shorthand

    @property
    def switches(self) -> Switches:
        """What may be switched for as long as the session is open."""
        return Switches(self._conversation)

    def what_is_loaded(self) -> list[tuple[str, str]]:
        """Record, model, tools, files and extensions, each with its name, for people."""
        from sapwood.agent.loaded import what_is_loaded

        return what_is_loaded(self._conversation)

    @property
    def active_tools(self) -> list[str]:
        return self._conversation.tools.active

    @property
    def known_tools(self) -> list[str]:
        return list(self._conversation.tools.known)

    @property
    def activity(self) -> Activity:
        return self._conversation.activities.current

    @property
    def is_idle(self) -> bool:
        return self._conversation.activities.is_idle

    @property
    def queued(self) -> QueuedMessages:
        return self._conversation.queue.waiting()

    @property
    def unsaved(self) -> Sequence[Message]:
        """Answers and results that the disk refused; they are stored with the next message."""
        return tuple(self._conversation.unsaved)

    def save_unsaved(self) -> None:
        """Try to store them now; raises `SessionWriteError` when the disk still refuses."""
        self._conversation.save_unsaved()

    @property
    def cwd(self) -> Path:
        return self._conversation.cwd

    @property
    def session_id(self) -> str:
        return self.manager.session_id

    @property
    def session_name(self) -> str | None:
        return self.manager.get_session_name()

    def last_answer(self) -> AssistantMessage | None:
        """The newest answer on the active path."""
        tree = self.manager.tree
        for entry in tree.ancestors(tree.leaf_id):
            message: Any = entry.message
            if message is not None and message.get("role") == "assistant":
                return message  # type: ignore[no-any-return]
        return None

    def last_assistant_text(self) -> str:
        """The text of the newest answer on the active path, "" without one."""
        answer = self.last_answer()
        return answer_text(answer) if answer is not None else ""

    def subscribe(self, listener: events.Listener) -> Callable[[], None]:
        """Call `listener` with each event (see `events`); returns what ends it."""
        return self._conversation.subscribe(listener)

    # Prompts

    async def prompt(
        self,
        text: str,
        images: Sequence[ImageBlock] = (),
        *,
        on_accepted: OnAccepted = lambda _: None,
    ) -> None:
        """Send a message and return when the session has settled.

        Text that begins with the name of an extension's command runs that; a prompt template or a
        skill is put in for its name. During a compaction or a navigation the message is queued; it
        then runs on what these leave behind. `on_accepted` is called once, before the run's first
        event, with what became of the message. How the run ended is told by events and by
        `last_answer`.

        Raises:
            BusyError: a run is in progress; see `steer` and `follow_up`.
            ModelError: no model, or no key for it.
        """
        if await self.extensions.run_command(text):
            on_accepted("handled")
            return
        await self._conversation.fetch_key()
        if self._scheduler.rule("prompt") is Rule.QUEUE:
            self._enqueue("follow_up", QueuedMessage(text, tuple(images), "follow_up"))
            on_accepted("queued")
            await self.wait_for_idle()
            return
        self._scheduler.require_model()
        message = QueuedMessage(text, tuple(images))
        await self._scheduler.do(Activity.RUNNING, self._scheduler.run([message], on_accepted))

    def steer(self, text: str, images: Sequence[ImageBlock] = ()) -> None:
        """Put a message in as soon as the current turn's tools are done; when idle, at once."""
        message = QueuedMessage(text, tuple(images), "steering")
        self._queue_or_start("steering", message, "steer")

    def follow_up(self, text: str, images: Sequence[ImageBlock] = ()) -> None:
        """Put a message in when the run would end; when idle, at once."""
        message = QueuedMessage(text, tuple(images), "follow_up")
        self._queue_or_start("follow_up", message, "follow_up")

    def _queue_or_start(self, kind: QueueKind, message: QueuedMessage, operation: str) -> None:
        starts = self._scheduler.rule(operation) is Rule.ALLOW
        if starts:
            self._scheduler.require_model()
        self._enqueue(kind, message)
        if starts:
            self._scheduler.start_queued()

    def _enqueue(self, kind: QueueKind, message: QueuedMessage) -> None:
        self._scheduler.release_queue()
        self._conversation.queue.add(kind, message)
        self._conversation.emit_queue()

    def take_back_queued(self) -> QueuedMessages:
        """Empty the queue; for the editor."""
        taken = self._conversation.queue.take_back()
        if taken:
            self._conversation.emit_queue()
        return taken

    async def abort(self) -> None:
        """Stop whatever is going on and return when it is stored and over.

        Queued messages stay queued: take them back, or they go with the next prompt.
        """
        await self._scheduler.abort()

    def abort_retry(self) -> None:
        """Do not send the failed request again that is waiting for it; the run ends with it."""
        self._conversation.retry_interrupt.request()

    async def wait_for_idle(self) -> None:
        """Return when nothing is going on any more, queued messages included."""
        await self._conversation.activities.wait_for_idle()

    # Context

    async def compact(self, focus: str | None = None) -> CompactionResult:
        """Make the context smaller now; `focus` says what the summary should pay attention to.

        Raises:
            CompactionError: nothing was stored; also when cancelled (`CompactionCancelledError`).
        """
        from sapwood.agent.compacting import compact_context

        await self._scheduler.make_way("compact")
        work = compact_context(self._conversation, "manual", focus=focus)
        return await self._scheduler.do(Activity.COMPACTING, work)

    def abort_compaction(self) -> None:
        """Cancel the compaction in progress; a run that waits for it goes on without."""
        self._conversation.compaction_interrupt.request()

    async def navigate_tree(
        self,
        target_id: str,
        *,
        summary: SummaryChoice = "none",
        focus: str | None = None,
        label: str | None = None,
        exact: bool = False,
    ) -> Navigation:
        """Go on from another entry; a run in progress is aborted and stored first.

        A user message is opened for editing (leaf = its parent) unless `exact`. `summary`: what to
        keep of the branch that is left. Raises `EntryNotFoundError`.
        """
        from sapwood.agent.navigation import navigate

        await self._scheduler.make_way("navigate_tree")
        work = navigate(
            self._conversation, target_id, summary=summary, focus=focus, label=label, exact=exact
        )
        return await self._scheduler.do(Activity.NAVIGATING, work)

    def abort_branch_summary(self) -> None:
        """Cancel the summary of a navigation in progress; the session stays where it is."""
        self._conversation.summary_interrupt.request()

    def edit_context(self, entry_id: str, replacement: Replacement | None) -> None:
        """Change what the model sees of an entry on this branch; None leaves it out."""
        self._scheduler.rule("edit_context")
        self.manager.append_context_edit(entry_id, replacement)

    def get_context_usage(self) -> ContextUsage:
        """How full the window is."""
        return ContextUsage.of(
            self._conversation.context_estimate(), self._conversation.context_window
        )

    def get_session_stats(self) -> SessionStats:
        """Tokens and cost per model, of this branch and in all."""
        return session_stats(self.manager)

    # Exports

    def export(
        self, path: str | Path | None = None, kind: ExportKind | None = None, **how: Unpack[How]
    ) -> Path:
        """Write the session to a file of the kind that its name tells, and give its path.

        `path` is below `cwd` unless absolute; without one, the file is named after the session.
        See `library.export.export_session` for `how`: `path_only`, `leaf`, `force`, `masker`. May
        be called in a thread, also during a run. Raises `SapwoodError`; nothing is replaced then.
        """
        from sapwood.library.export import export_session

        target = None if path is None else self.cwd / os.path.expanduser(path)
        return export_session(self.manager, target, kind=kind, **how)

    def export_to_html(self, path: str | Path | None = None, **how: Unpack[How]) -> Path:
        """Write the session as a page, with all branches."""
        return self.export(path, "html", **how)

    def export_to_markdown(self, path: str | Path | None = None, **how: Unpack[How]) -> Path:
        """Write the active path as a transcript."""
        return self.export(path, "md", **how)

    def export_to_jsonl(self, path: str | Path | None = None, **how: Unpack[How]) -> Path:
        """Write the session's lines as they are; with `path_only` a session of its own."""
        return self.export(path, "jsonl", **how)

    # Settings of the session

    def set_model(self, model: Model, level: str | None = None) -> None:
        """Use another model from the next request on, with `level` if one goes with it."""
        self._scheduler.rule("set_model")
        self._conversation.api_key(model)
        before = self.thinking_level
        self._conversation.model = model
        wished = level or self.settings.values.model_thinking_levels.get(model.ref)
        if wished is not None:
            self._conversation.wished_level = wished
        self._record_if_begun()
        if self.thinking_level != before:
            self._conversation.emit(events.thinking_level_changed(self.thinking_level))

    def set_thinking_level(self, level: str) -> None:
        """Think as much as this from the next request on; raises `SapwoodError` for no level."""
        self._scheduler.rule("set_thinking_level")
        if not is_level(level):
            raise SapwoodError(f"There is no thinking level {level}.")
        self._conversation.wished_level = level
        self._record_if_begun()
        self._conversation.emit(events.thinking_level_changed(self.thinking_level))

    def set_tools(self, names: Sequence[str]) -> None:
        """Offer exactly these tools from the next request on."""
        self._scheduler.rule("set_tools")
        self._conversation.set_tools(names)

    def _record_if_begun(self) -> None:
        """An empty session records its settings with the first prompt."""
        if self.manager.tree.entries:
            self._conversation.record_settings()

    def set_session_name(self, name: str) -> None:
        self._scheduler.rule("set_session_name")
        self.manager.append_session_info(name)

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Name an entry; None removes the name."""
        self._scheduler.rule("set_label")
        self.manager.append_label_change(entry_id, label)

    # Commands of the user

    async def execute_bash(
        self,
        command: str,
        *,
        exclude_from_context: bool = False,
        on_output: Callable[[str], None] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> BashExecutionMessage:
        """Run a command for the user (``!``; excluded: ``!!``) and store it with its output.

        `on_output` gets the tail of the output so far, `on_text` each piece of it once. While a run
        is in progress the result is stored between two turns.
        """
        return await self._commands.run(
            command,
            exclude_from_context=exclude_from_context,
            on_output=on_output,
            on_text=on_text,
        )

    def abort_bash(self) -> None:
        """Stop the commands that `execute_bash` runs."""
        self._commands.stop()

    # Other sessions

    async def _leave(self, operation: str) -> None:
        """Bring to an end what goes on, so that another session can take this one's place."""
        self._scheduler.rule(operation)
        await self._commands.end()
        await self._scheduler.make_way(operation)

    async def fork(self, entry_id: str, *, position: str = "before") -> Forked:
        """Copy the path to an entry into a new session and open that.

        ``before``: up to the entry's parent, with its text for the editor; ``at``: up to it.
        """
        from sapwood.agent.navigation import destination

        await self._leave("fork")
        entry = self.manager.tree.require(entry_id)
        where = destination(entry, exact=position == "at")
        leaf = entry.id if position == "at" else entry.parent_id
        fork = self._replace(lambda: self.manager.branched(leaf))
        await self._scheduler.do(Activity.NAVIGATING, fork)
        return Forked(where.editor_text)

    async def clone(self) -> Forked:
        """Copy the active path into a new session and open that."""
        leaf = self.manager.get_leaf()
        if leaf is None:
            raise SapwoodError("There is nothing to clone yet.")
        return await self.fork(leaf, position="at")

    async def new_session(self, parent_session: str | Path | None = None) -> None:
        """Open an empty session in the same folder; it is on disk if this one is.

        Its header names `parent_session` as the file it comes from.
        """
        await self._leave("new_session")
        replacing = self._replace(lambda: self.manager.successor(parent_session))
        await self._scheduler.do(Activity.NAVIGATING, replacing)

    async def switch_session(self, path: Path) -> None:
        """Open another session in place of this one; nothing happens if it is the same.

        Raises `SessionError` for one of another folder: prompt, settings and extensions are those
        of this folder. Open that one with `create_agent_session`.
        """
        if self.manager.path is not None and path.resolve() == self.manager.path.resolve():
            return
        await self._leave("switch_session")
        await self._scheduler.do(
            Activity.NAVIGATING, self._replace(lambda: self._of_this_folder(path))
        )

    def _of_this_folder(self, path: Path) -> SessionManager:
        from sapwood.session.manager import SessionManager

        manager = SessionManager.open(path)
        if manager.cwd.resolve() != self.cwd.resolve():
            manager.close()
            raise SessionError(f"{path} is a session of {manager.cwd}, not of this folder.")
        return manager

    async def _replace(self, open_next: Callable[[], SessionManager]) -> None:
        """Open the next session, let go of this one, and tell everybody."""
        manager = open_next()
        self.extensions.post("session_shutdown", {"reason": "switch"})
        await self.extensions.flush()
        self._conversation.detach()
        self._conversation.attach(manager)
        self._conversation.follow_path()
        path = manager.path
        self._conversation.emit(
            events.session_changed(self.session_id, str(path) if path is not None else None)
        )
        self.extensions.post("session_start", {"reason": "switch"})

    async def dispose(self) -> None:
        """Stop everything and let go of the file. The session cannot be used any more.

        What the disk refused is tried once more; `unsaved` tells whether anything is lost.
        """
        self.take_back_queued()
        await self._commands.end()
        await self.abort()
        with contextlib.suppress(SessionWriteError):
            self._conversation.save_unsaved()
        self.extensions.post("session_shutdown", {"reason": "quit"})
        await self.extensions.flush()
        self._conversation.detach()

    # For extensions

    def append_entry(self, custom_type: str, data: Json) -> str:
        return self.manager.append_custom_entry(custom_type, data)

    def send_message(
        self,
        custom_type: str,
        content: str | list[UserBlock],
        *,
        display: bool,
        details: Json,
        trigger_turn: bool,
    ) -> None:
        """Add a message to the context where one may stand; a turn answers it if asked for."""
        self._scheduler.rule("send_message")

        def append() -> None:
            self._conversation.record_settings()
            self.manager.append_custom_message(custom_type, content, display, details)

        self._conversation.at_boundary(append)
        if trigger_turn and self.is_idle:
            self._scheduler.require_model()
            self._scheduler.run_unattended([])

    async def complete(
        self, prompt: str, *, system_prompt: str, model: str | None, max_tokens: int
    ) -> OutsideCompletion:
        return await complete_outside(self._conversation, prompt, system_prompt, model, max_tokens)
