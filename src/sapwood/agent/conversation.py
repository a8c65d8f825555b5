"""A session being worked on: the record, who answers, and the few steps all else is made of.

It holds no copy of the messages. What the model sees is projected from the tree when asked for, and
whatever changes that is appended through the manager. Model, thinking level and tools are the live
wishes; `record_settings` and `record_prompt` bring the path in line with them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

from sapwood.agent import events
from sapwood.agent.activity import Activities
from sapwood.agent.interrupt import Interrupt, Interrupted
from sapwood.agent.learned import learned_windows, store_window
from sapwood.agent.queue import MessageQueue, QueuedMessage
from sapwood.agent.recovery import Attempts, RetryPolicy
from sapwood.agent.system_prompt import system_patch
from sapwood.context.estimate import estimate_projection, estimate_tail
from sapwood.context.projection import Projection, project
from sapwood.errors import SessionWriteError
from sapwood.models.thinking import clamp_level
from sapwood.session.replay import path_settings, prompt_checkpoint

if TYPE_CHECKING:
    from pathlib import Path

    from sapwood.agent.extensions import ExtensionHost
    from sapwood.agent.prompt_source import PromptSource
    from sapwood.agent.settings import Settings
    from sapwood.agent.shorthand import Shorthand
    from sapwood.agent.toolset import Toolset
    from sapwood.compaction.settings import CompactionSettings
    from sapwood.context.estimate import ContextEstimate
    from sapwood.models.catalogue import Catalogue
    from sapwood.models.model import Model
    from sapwood.models.options import StreamOptions
    from sapwood.session.entry import Entry
    from sapwood.session.manager import SessionManager
    from sapwood.session.schema import Message, UserMessage


class Conversation:
    """The state that running, compacting and navigating share. `AgentSession` is its face."""

    def __init__(
        self,
        *,
        settings: Settings,
        catalogue: Catalogue,
        extensions: ExtensionHost,
        tools: Toolset,
        prompt_source: PromptSource,
        shorthand: Shorthand,
        model: Model | None,
        thinking_level: str,
        given_key: tuple[str, str] | None = None,
    ) -> None:
        self.settings = settings
        self.catalogue = catalogue
        self.extensions = extensions
        self.tools = tools
        self.prompt_source = prompt_source
        self.shorthand = shorthand
        self.model = model
        self.wished_level = thinking_level
        self._given_key = given_key
        values = settings.values
        self.queue = MessageQueue(values.steering_mode, values.follow_up_mode)
        self.activities = Activities()
        self.attempts = Attempts()
        self.interrupt = Interrupt()
        """Stops the activity in progress and all its parts."""
        self.compaction_interrupt = Interrupt()
        self.summary_interrupt = Interrupt()
        self.retry_interrupt = Interrupt()
        self._prompt_may_differ = True
        self.unsaved: list[Message] = []
        """Answers and results that the disk refused, in order; the next message tries again."""
        self._listeners: list[events.Listener] = []
        self._deferred: list[Callable[[], object]] = []

    # The record

    def attach(self, manager: SessionManager) -> None:
        """Work on this session from now on."""
        self.manager = manager
        self._forget_manager = manager.subscribe(self._on_entry)
        self.attempts = Attempts()
        self._windows = learned_windows(manager.tree)

    def detach(self) -> None:
        """Let go of the session's file."""
        self._forget_manager()
        self.manager.close()

    @property
    def cwd(self) -> Path:
        return self.manager.cwd

    def _on_entry(self, entry: Entry) -> None:
        if entry.type == "message":
            return
        self.emit(events.entry_appended(entry.data))
        if entry.type == "session_info":
            self.emit(events.session_info_changed(self.manager.get_session_name()))

    def store(self, message: Message) -> str:
        """Append a message, after those that could not be stored before.

        Raises `SessionWriteError`. What nobody can type again is then kept in `unsaved`.
        """
        self.save_unsaved()
        try:
            return self.manager.append_message(message)
        except SessionWriteError:
            if message["role"] in ("assistant", "toolResult", "bashExecution"):
                self.unsaved.append(message)
            raise

    def save_unsaved(self) -> None:
        """Try again to store what the disk refused; raises `SessionWriteError` if it still does."""
        while self.unsaved:
            self.manager.append_message(self.unsaved[0])
            del self.unsaved[0]

    def store_whole(self, message: Message) -> str:
        """Store a message that did not stream, with its two events."""
        self.emit(events.message_start(message))
        entry_id = self.store(message)
        self.emit(events.message_end(message))
        return entry_id

    def omit(self, entry_id: str) -> None:
        """Leave an entry out of the context; the record keeps it."""
        self.manager.append_context_edit(entry_id, None)

    def at_boundary(self, append: Callable[[], object]) -> None:
        """Do it now, or between two turns: nothing may stand between a call and its result."""
        if self.activities.is_idle:
            append()
        else:
            self._deferred.append(append)

    def reach_boundary(self) -> None:
        """Do what had to wait."""
        while self._deferred:
            self._deferred.pop(0)()

    async def heard(self, messages: Sequence[QueuedMessage]) -> list[QueuedMessage]:
        """The messages in full, as the extensions want them, without those that one has handled.

        None when an abort comes meanwhile: what was queued is then queued again.
        """
        try:
            heard = [await self.interrupt.guard(self._heard(message)) for message in messages]
        except Interrupted:
            self.queue.put_back(messages)
            self.emit_queue()
            return []
        return [message for message in heard if message is not None]

    async def _heard(self, message: QueuedMessage) -> QueuedMessage | None:
        event = {
            "text": message.text,
            "images": list(message.images),
            "source": message.source,
        }
        answer = await self.extensions.emit("input", event)
        if answer.get("handled"):
            return None
        return replace(
            message,
            text=self.shorthand.expand(answer.get("text", message.text)),
            images=tuple(answer.get("images", message.images)),
        )

    # What the model sees

    def projection(self) -> Projection:
        return project(self.manager.tree)

    def context_estimate(self) -> ContextEstimate:
        """Tokens the model would be sent now; of a long session only its end is read, as a rule."""
        return estimate_tail(self.manager.tree) or estimate_projection(self.projection())

    def context_tokens(self) -> int:
        return self.context_estimate().tokens

    @property
    def context_window(self) -> int | None:
        """Tokens: as declared or, where that is less or missing, as learnt."""
        if self.model is None:
            return None
        known = (self.model.context_window, self._windows.get(self.model.ref))
        return min((tokens for tokens in known if tokens), default=None)

    def learn_window(self, tokens: int | None) -> None:
        """Remember the window that a refusal named, unless it tells nothing new."""
        known = self.context_window
        if self.model is None or not tokens or (known is not None and tokens >= known):
            return
        self._windows[self.model.ref] = tokens
        store_window(self.manager, self.model, tokens)

    @property
    def compaction_settings(self) -> CompactionSettings:
        settings = self.settings.compaction
        if self.model is None:
            return settings
        return settings.for_model(self.model.provider, self.model.id)

    @property
    def retry_policy(self) -> RetryPolicy:
        retry = self.settings.values.retry
        return RetryPolicy(
            retry.enabled, retry.max_retries, retry.base_delay_ms, retry.max_agent_delay_ms
        )

    # Model, level, tools and prompt

    @property
    def thinking_level(self) -> str:
        """The wished level as far as the model can follow it."""
        if self.model is None:
            return self.wished_level
        return clamp_level(self.model, self.wished_level)

    def follow_path(self, *, keep_model: bool = False, keep_level: bool = False) -> None:
        """Take model, level and tools from the active path, as far as it names them."""
        recorded = path_settings(self.manager.tree)
        self.tools.follow(self.manager.tree)
        self._prompt_may_differ = True
        if recorded.model is not None and not keep_model:
            self._follow_model(recorded.model.provider, recorded.model.model_id)
        if self._says_level() and not keep_level:
            self.wished_level = recorded.thinking_level

    def _follow_model(self, provider: str, model_id: str) -> None:
        if self.model is not None and (self.model.provider, self.model.id) == (provider, model_id):
            return
        found = self.catalogue.get(provider, model_id)
        if found is not None and self.catalogue.has_key(provider):
            self.model = found
            return
        instead = self.model.ref if self.model else "no model"
        self.notice(
            f"The session's model {provider}/{model_id} is not available here; using {instead}."
        )

    def model_in_force(self, model: Model) -> Model:
        """`model` with the window that counts, and blind where images are blocked."""
        if model == self.model:
            model = replace(model, context_window=self.context_window)
        blind = self.settings.values.images.block_images
        return replace(model, inputs=("text",)) if blind else model

    def api_key(self, model: Model) -> str | None:
        """The key to ask `model` with; raises `ModelError` when there is none."""
        provider, key = self._given_key or ("", None)
        return self.catalogue.key_for(model, key if provider == model.provider else None)

    async def fetch_key(self) -> None:
        """Have the model's key at hand; a command that prints it holds nothing else up meanwhile.

        Raises `ModelError` as `api_key` does.
        """
        if self.model is not None and self.catalogue.key_takes_long(self.model):
            await asyncio.to_thread(self.api_key, self.model)

    def stream_options(self, model: Model, *, level: str, max_tokens: int | None) -> StreamOptions:
        from sapwood.models.options import StreamOptions

        return StreamOptions(
            api_key=self.api_key(model),
            thinking_level=level,
            max_tokens=max_tokens,
            session_id=self.manager.session_id,
        )

    def record_settings(self) -> None:
        """Store model and thinking level where the path says otherwise."""
        recorded = path_settings(self.manager.tree)
        model = self.model
        if model is not None and (
            recorded.model is None
            or (recorded.model.provider, recorded.model.model_id) != (model.provider, model.id)
        ):
            self.manager.append_model_change(model.provider, model.id)
        if recorded.thinking_level != self.thinking_level or not self._says_level():
            self.manager.append_thinking_level_change(self.thinking_level)

    def _says_level(self) -> bool:
        tree = self.manager.tree
        return any(e.type == "thinking_level_change" for e in tree.ancestors(tree.leaf_id))

    def set_tools(self, names: Sequence[str]) -> None:
        self.tools.set_active(names)
        self._prompt_may_differ = True

    def record_prompt(self, *, if_changed: bool = False) -> None:
        """Store how prompt and tools differ from what the path says.

        `if_changed` skips the look at the path unless something happened that calls for it.
        """
        if if_changed and not self._prompt_may_differ:
            return
        self._prompt_may_differ = False
        active = self.tools.active_tools
        patch = system_patch(
            prompt_checkpoint(self.manager.tree),
            self.prompt_source.sections(active),
            active,
            timestamp=now_ms(),
        )
        if patch is not None:
            self.store_whole(patch)

    # Events

    def subscribe(self, listener: events.Listener) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def emit(self, event: events.Event) -> None:
        """Tell the listeners, then the extensions, which cannot change the record by it."""
        for listener in tuple(self._listeners):
            listener(event)
        if self.extensions.listens(event["type"]):
            self.extensions.post(event["type"], deepcopy(event))

    def notice(self, message: str) -> None:
        self.emit(events.notice(message))

    def shell_environment(self) -> dict[str, str]:
        """What commands of the ``bash`` tool are told about the session."""
        path = self.manager.path
        values = {
            "PI_SESSION_ID": self.manager.session_id,
            "PI_SESSION_FILE": str(path) if path is not None else None,
            "PI_PROVIDER": self.model.provider if self.model else None,
            "PI_MODEL": self.model.id if self.model else None,
            "PI_REASONING_LEVEL": self.thinking_level,
        }
        return {name: value for name, value in values.items() if value is not None}

    def emit_queue(self) -> None:
        waiting = self.queue.waiting()
        self.emit(
            events.queue_update(
                [message.text for message in waiting.steering],
                [message.text for message in waiting.follow_up],
            )
        )


def now_ms() -> int:
    """Unix time in ms."""
    return int(time.time() * 1000)


def user_message(queued: QueuedMessage) -> UserMessage:
    return {"role": "user", "content": queued.content(), "timestamp": now_ms()}
