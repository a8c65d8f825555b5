"""One thing at a time: starting an activity, doing it to the end, and what comes after it.

Every activity runs in a task of its own, so that a caller who is cancelled does not tear it apart.
However it ends, the session is idle again, what had to wait for a place between turns is stored,
and queued messages start a run. Only an abort holds them back, until the next message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from sapwood.agent.activity import Activity, Rule
from sapwood.agent.interrupt import Interrupt
from sapwood.agent.run import Run
from sapwood.errors import ModelError, SapwoodError

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.agent.queue import QueuedMessage

T = TypeVar("T")
Disposition: TypeAlias = Literal["started", "queued", "handled"]
"""What became of a prompt: a run answers it, it waits for one, or an extension took it."""
OnAccepted: TypeAlias = Callable[[Disposition], None]

NO_MODEL = (
    "No model is set: give the key of a provider, for instance in ANTHROPIC_API_KEY, or name a "
    "model with --model (--list-models shows them)."
)


class Scheduler:
    """Does the work of one conversation, in the order in which it may be done."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._queue_is_held = False
        self._task: asyncio.Task[Any] | None = None

    def rule(self, operation: str) -> Rule:
        """What the table says of the operation now; raises `BusyError` for a refusal."""
        return self._conversation.activities.rule(operation)

    def require_model(self) -> None:
        """Raise `ModelError` unless there is a model, and a key for it."""
        model = self._conversation.model
        if model is None:
            raise ModelError(NO_MODEL)
        self._conversation.api_key(model)

    async def make_way(self, operation: str) -> None:
        """End the run in progress if the operation wants that, and leave nothing unsaved behind."""
        if self.rule(operation) is Rule.INTERRUPT:
            await self.abort()
            self.rule(operation)
        self._conversation.save_unsaved()

    async def abort(self) -> None:
        """Stop what is going on; return when it is stored and over."""
        self._queue_is_held = True
        self._conversation.interrupt.request()
        await self._conversation.activities.wait_for_idle()

    def release_queue(self) -> None:
        """A message has come in: what an abort held back may go with it."""
        self._queue_is_held = False

    async def do(self, activity: Activity, work: Coroutine[Any, Any, T]) -> T:
        """Work to the end. A caller that is cancelled meanwhile aborts the work in order."""
        task = self._begin(activity, work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                await self.abort()
            raise

    async def run(
        self, messages: Sequence[QueuedMessage], on_accepted: OnAccepted = lambda _: None
    ) -> None:
        """Answer the messages and whatever is queued; part of an activity that has begun.

        Nothing happens when extensions have handled every message. Which it is `on_accepted` hears
        before anything else does.
        """
        self.release_queue()
        heard = await self._conversation.heard(messages)
        starts = bool(heard) or not messages
        on_accepted("started" if starts else "handled")
        if starts:
            await Run(self._conversation).drive(heard)

    def run_unattended(self, messages: Sequence[QueuedMessage]) -> None:
        """Start a run that nobody waits for; trouble becomes a notice."""
        self._begin(Activity.RUNNING, self.run(messages)).add_done_callback(self._report)

    def start_queued(self) -> None:
        """Start a run with queued messages, if there are any and nothing keeps them back."""
        queue = self._conversation.queue
        if not queue or self._queue_is_held or not self._conversation.activities.is_idle:
            return
        messages = queue.take_next()
        self._conversation.emit_queue()
        self.run_unattended(messages)

    def _begin(self, activity: Activity, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Enter the activity now, work in a task, and leave it whatever happens."""
        self._conversation.interrupt = Interrupt()
        during = self._conversation.activities.during(activity)
        during.__enter__()
        self._task = task = asyncio.get_running_loop().create_task(work)

        def leave(_: asyncio.Task[T]) -> None:
            during.__exit__(None, None, None)
            try:
                self._conversation.reach_boundary()
                self.start_queued()
            except SapwoodError as error:
                self._conversation.notice(str(error))

        task.add_done_callback(leave)
        return task

    def _report(self, task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._conversation.notice(str(error))
