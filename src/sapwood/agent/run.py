"""A run: from a prompt until the session settles.

One run is a series of low-level runs (`loop`). Between them stands what recovery decided: wait and
send again, leave an attempt out and compact, go on with queued messages. Order of events:
``agent_end``, omissions, compaction or pause, the next ``agent_start``; ``agent_settled`` at last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sapwood.agent import events
from sapwood.agent.activity import Activity
from sapwood.agent.conversation import Conversation, now_ms, user_message
from sapwood.agent.interrupt import Interrupted
from sapwood.agent.loop import RunOutcome, run_turns
from sapwood.agent.queue import QueuedMessage
from sapwood.agent.recovery import (
    CompactAndRerun,
    CompactOnly,
    GiveUp,
    Resend,
    Retry,
    decide,
)
from sapwood.agent.room import make_room, recover_old_overflow
from sapwood.agent.tools.running import run_tool
from sapwood.agent.tools.tool import ToolContext, ToolResult, text_result
from sapwood.context.request import build_request
from sapwood.models.stream import stream

if TYPE_CHECKING:
    from sapwood.models.model import Model
    from sapwood.models.stream import ModelStream
    from sapwood.session.schema import AssistantMessage, Message, ToolCallBlock


class Run:
    """Implements `loop.LoopPorts` for one conversation and one model."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._interrupt = conversation.interrupt
        self._answer_id = ""

    async def drive(self, first: Sequence[QueuedMessage]) -> None:
        """Answer `first`, then whatever is queued, until there is nothing more to do."""
        conversation = self._conversation
        try:
            if not self._interrupt.requested:
                await recover_old_overflow(conversation)
                await make_room(conversation)
            await self._until_settled(first)
        finally:
            conversation.reach_boundary()
            conversation.emit(events.agent_settled(aborted=self._interrupt.requested))

    async def _until_settled(self, first: Sequence[QueuedMessage]) -> None:
        conversation = self._conversation
        messages = list(first)
        while True:
            if messages:
                conversation.attempts.prompted()
            outcome = await run_turns(self, self._interrupt, self._opening(messages))
            again = await self._after(outcome)
            conversation.reach_boundary()
            if self._interrupt.requested:
                return
            messages = [] if again else await self._next_queued()
            if not again and not messages:
                return

    def _opening(self, messages: Sequence[QueuedMessage]) -> Callable[[], Sequence[Message]]:
        def store_settings_then_messages() -> list[Message]:
            self._conversation.save_unsaved()
            self._conversation.record_settings()
            self._conversation.reach_boundary()
            self._conversation.record_prompt()
            return [user_message(message) for message in messages]

        return store_settings_then_messages

    async def _next_queued(self) -> list[QueuedMessage]:
        """What goes on after this low-level run; queued messages may all be handled elsewhere."""
        conversation = self._conversation
        while taken := conversation.queue.take_next():
            conversation.emit_queue()
            if messages := await conversation.heard(taken):
                return messages
        return []

    # After a low-level run

    async def _after(self, outcome: RunOutcome) -> bool:
        """Close the low-level run, do what recovery decides; whether to run again."""
        conversation, answer = self._conversation, outcome.answer
        decision = decide(
            answer.message,
            answer.failure,
            conversation.attempts,
            conversation.retry_policy,
            context_window=conversation.context_window,
            requested_max=answer.max_tokens,
        )
        will_retry = isinstance(decision, Retry)
        conversation.emit(events.agent_end(outcome.messages, will_retry=will_retry))
        if answer.failure is not None and answer.failure.kind == "overflow":
            conversation.learn_window(answer.failure.context_window)
        match decision:
            case Retry(attempt, delay_ms):
                return await self._retry(attempt, delay_ms, answer.message.get("errorMessage", ""))
            case Resend(max_tokens):
                conversation.omit(self._answer_id)
                conversation.attempts.max_tokens = max_tokens
                return True
            case CompactAndRerun(overshoot):
                return await self._compact_and_rerun(overshoot)
            case CompactOnly():
                from sapwood.agent.compacting import try_compact

                await try_compact(conversation, "overflow")
            case GiveUp(reason):
                conversation.emit(events.compaction_end("overflow", error=reason))
            case _:
                self._end_retries(answer.message)
                if not self._interrupt.requested:
                    await make_room(conversation)
        return False

    async def _retry(self, attempt: int, delay_ms: int, error: str) -> bool:
        conversation = self._conversation
        conversation.attempts.retries = attempt
        most = conversation.retry_policy.max_retries
        conversation.emit(events.auto_retry_start(attempt, most, delay_ms, error))
        conversation.omit(self._answer_id)
        pause = conversation.retry_interrupt = self._interrupt.child()
        try:
            with conversation.activities.during(Activity.RETRYING):
                await pause.guard(asyncio.sleep(delay_ms / 1000))
        except Interrupted:
            conversation.attempts.retries = 0
            told = "Aborted" if self._interrupt.requested else "The retry was cancelled."
            conversation.emit(
                events.auto_retry_end(success=False, attempt=attempt, final_error=told)
            )
            return False
        return True

    def _end_retries(self, message: AssistantMessage) -> None:
        """The last retry failed too."""
        attempts = self._conversation.attempts
        if attempts.retries and message["stopReason"] in ("error", "aborted"):
            error = message.get("errorMessage")
            self._conversation.emit(
                events.auto_retry_end(success=False, attempt=attempts.retries, final_error=error)
            )
            attempts.retries = 0

    async def _compact_and_rerun(self, overshoot: float) -> bool:
        from sapwood.agent.compacting import try_compact

        conversation = self._conversation
        conversation.attempts.overflow_handled = True
        conversation.omit(self._answer_id)
        return await try_compact(conversation, "overflow", will_retry=True, overshoot=overshoot)

    # What the loop needs

    def emit(self, event: events.Event) -> None:
        self._conversation.emit(event)
        if event["type"] == "message_end" and event["message"]["role"] == "assistant":
            self._answered(event["message"])

    def _answered(self, message: AssistantMessage) -> None:
        attempts = self._conversation.attempts
        if message["stopReason"] not in ("stop", "toolUse"):
            return
        if attempts.retries:
            self._conversation.emit(events.auto_retry_end(success=True, attempt=attempts.retries))
        attempts.accepted()

    def store(self, message: Message) -> None:
        entry_id = self._conversation.store(message)
        if message["role"] == "assistant":
            self._answer_id = entry_id

    def ask(self) -> ModelStream:
        conversation, model = self._conversation, self._model
        options = conversation.stream_options(
            model,
            level=conversation.thinking_level,
            max_tokens=conversation.attempts.max_tokens,
        )
        return stream(
            conversation.model_in_force(model), build_request(conversation.projection()), options
        )

    def unasked(self) -> AssistantMessage:
        from sapwood.models.builder import AssistantMessageBuilder
        from sapwood.models.thinking import clamp_level

        level = clamp_level(self._model, self._conversation.wished_level)
        return AssistantMessageBuilder(self._model, level, now_ms()).aborted()

    @property
    def _model(self) -> Model:
        model = self._conversation.model
        assert model is not None, "a run needs a model; AgentSession checks before it starts one"
        return model

    async def execute(
        self, call: ToolCallBlock, on_update: Callable[[ToolResult], None]
    ) -> ToolResult:
        conversation = self._conversation
        payload: dict[str, Any] = {
            "toolName": call["name"],
            "toolCallId": call["id"],
            "input": dict(call["arguments"]),
        }
        verdict = await conversation.extensions.emit("tool_call", payload)
        if verdict.get("block"):
            return text_result(verdict.get("reason") or "Blocked by an extension.", is_error=True)
        context = ToolContext(
            conversation.cwd,
            on_update,
            conversation.shell_environment(),
            conversation.settings.shell,
            conversation.settings.values.images.auto_resize,
        )
        tools = {tool.name: tool for tool in conversation.tools.active_tools}
        result = await run_tool(tools, call["name"], call["id"], payload.get("input"), context)
        return await self._reviewed(payload, result)

    async def _reviewed(self, payload: dict[str, Any], result: ToolResult) -> ToolResult:
        """The result as the extensions want it."""
        changes = await self._conversation.extensions.emit(
            "tool_result",
            {
                **payload,
                "content": result.content,
                "details": result.details,
                "isError": result.is_error,
            },
        )
        if not changes:
            return result
        return ToolResult(
            changes.get("content", result.content),
            changes.get("details", result.details),
            changes.get("isError", result.is_error),
        )

    async def between_turns(self) -> None:
        self._conversation.reach_boundary()
        await make_room(self._conversation)
        if not self._interrupt.requested:
            self._conversation.record_settings()
            self._conversation.record_prompt(if_changed=True)

    async def take_steering(self) -> list[Message]:
        taken = self._conversation.queue.take_steering()
        if taken:
            self._conversation.emit_queue()
        return [user_message(message) for message in await self._conversation.heard(taken)]
