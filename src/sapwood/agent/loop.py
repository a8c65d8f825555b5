"""One low-level run: turns until the model has nothing more to do.

A turn is one answer and the results of its tool calls. The loop knows neither session nor model: it
works through `LoopPorts`. What it guarantees: messages are stored when they are complete, results
follow their answer in call order, every call gets a result, and an interrupt ends in a stored,
aborted answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from sapwood.agent import events
from sapwood.agent.interrupt import Interrupt, Interrupted
from sapwood.agent.tools.tool import ToolResult, text_result
from sapwood.models.failures import Failure
from sapwood.session.schema import (
    AssistantMessage,
    JsonObject,
    Message,
    ToolCallBlock,
    ToolResultMessage,
)

CUT_OFF = "Not run: the answer reached its output limit before the call was complete."
ABORTED = "Aborted by the user before it finished."


class LoopPorts(Protocol):
    """What the loop needs of its surroundings."""

    def emit(self, event: events.Event) -> None: ...

    def store(self, message: Message) -> None:
        """Append the message to the record."""

    def answer(self) -> AsyncIterator[Mapping[str, Any]]:
        """Ask the model with what the record projects to now; ends in ``done`` or ``error``."""

    def blank_answer(self) -> AssistantMessage:
        """An answer without content, by the current model, as of now."""

    async def execute(
        self, call: ToolCallBlock, on_update: Callable[[ToolResult], None]
    ) -> ToolResult:
        """Run one tool call; cancelling it stops the work."""

    async def between_turns(self) -> None:
        """After tool results, before the next request: the place to make room."""

    def take_steering(self) -> Sequence[Message]:
        """Messages that go in before the next request."""


@dataclass(slots=True)
class RunOutcome:
    """How a low-level run ended: its last answer and everything it added, in order."""

    answer: AssistantMessage
    failure: Failure | None
    messages: list[Message] = field(default_factory=list)


async def run_turns(
    ports: LoopPorts, interrupt: Interrupt, opening: Callable[[], Sequence[Message]]
) -> RunOutcome:
    """Run turns until the model stops; `opening` yields what goes in before the first request."""
    added: list[Message] = []

    def add(messages: Sequence[Message]) -> None:
        for message in messages:
            store_whole(ports, message)
            added.append(message)

    ports.emit(events.agent_start())
    ports.emit(events.turn_start())
    add(opening())
    while True:
        answer, failure = await _ask(ports, interrupt)
        added.append(answer)
        results = await _results(ports, interrupt, answer)
        added.extend(results)
        ports.emit(events.turn_end(answer, results))
        if answer["stopReason"] in ("error", "aborted"):
            break
        steering = [] if interrupt.requested else ports.take_steering()
        if not results and not steering:
            break
        if not interrupt.requested:
            await ports.between_turns()
        ports.emit(events.turn_start())
        add(steering)
    return RunOutcome(answer, failure, added)


def store_whole(ports: LoopPorts, message: Message) -> None:
    """Store a message that did not stream, with its two events."""
    ports.emit(events.message_start(message))
    ports.store(message)
    ports.emit(events.message_end(message))


def tool_calls(answer: AssistantMessage) -> list[ToolCallBlock]:
    return [
        cast(ToolCallBlock, block) for block in answer["content"] if block["type"] == "toolCall"
    ]


async def _ask(ports: LoopPorts, interrupt: Interrupt) -> tuple[AssistantMessage, Failure | None]:
    """Stream one answer and store it, whatever becomes of it."""
    partial: list[AssistantMessage] = []
    try:
        answer, failure = await interrupt.guard(_stream(ports, partial))
    except Interrupted:
        answer, failure = _aborted(partial[0] if partial else ports.blank_answer()), None
    if not partial:
        ports.emit(events.message_start(answer))
    ports.store(answer)
    ports.emit(events.message_end(answer))
    return answer, failure


async def _stream(
    ports: LoopPorts, partial: list[AssistantMessage]
) -> tuple[AssistantMessage, Failure | None]:
    """Forward the stream; `partial` receives the growing answer once there is one."""
    async for event in ports.answer():
        kind = event["type"]
        if kind == "start":
            partial.append(event["partial"])
            ports.emit(events.message_start(event["partial"]))
        elif kind == "done":
            return event["message"], None
        elif kind == "error":
            return event["message"], event["failure"]
        else:
            usage = partial[0].get("usage") if partial else None
            ports.emit(events.message_update(usage, event))
    raise RuntimeError("the model's stream ended without a result")


def _aborted(partial: AssistantMessage) -> AssistantMessage:
    """The answer as far as it came; calls are left out, since they were not made."""
    answer = cast(AssistantMessage, dict(partial))
    answer["content"] = [block for block in partial["content"] if block["type"] != "toolCall"]
    answer["stopReason"] = "aborted"
    return answer


async def _results(
    ports: LoopPorts, interrupt: Interrupt, answer: AssistantMessage
) -> list[ToolResultMessage]:
    calls = tool_calls(answer)
    if not calls or answer["stopReason"] in ("error", "aborted"):
        return []
    if answer["stopReason"] == "length":
        results = [_result_message(call, text_result(CUT_OFF, is_error=True), 0) for call in calls]
        for result in results:
            store_whole(ports, result)
        return results
    return await _run_calls(ports, interrupt, calls)


async def _run_calls(
    ports: LoopPorts, interrupt: Interrupt, calls: Sequence[ToolCallBlock]
) -> list[ToolResultMessage]:
    """Run all calls at once; a result is stored as soon as all before it are."""
    for call in calls:
        ports.emit(events.tool_execution_start(call))
    tasks = [asyncio.ensure_future(_run_call(ports, interrupt, call)) for call in calls]
    results: list[ToolResultMessage] = []
    try:
        for task in tasks:
            result = await task
            store_whole(ports, result)
            results.append(result)
    finally:
        await _cancel(tasks)
    return results


async def _run_call(
    ports: LoopPorts, interrupt: Interrupt, call: ToolCallBlock
) -> ToolResultMessage:
    def on_update(partial: ToolResult) -> None:
        ports.emit(events.tool_execution_update(call, _shown(partial)))

    started = time.monotonic()
    try:
        result = await interrupt.guard(ports.execute(call, on_update))
    except Interrupted:
        result = text_result(ABORTED, is_error=True)
    duration_ms = round((time.monotonic() - started) * 1000)
    ports.emit(
        events.tool_execution_end(
            call, _shown(result), is_error=result.is_error, duration_ms=duration_ms
        )
    )
    return _result_message(call, result, duration_ms)


def _shown(result: ToolResult) -> JsonObject:
    shown: JsonObject = {"content": result.content}
    if result.details is not None:
        shown["details"] = result.details
    return shown


def _result_message(call: ToolCallBlock, result: ToolResult, duration_ms: int) -> ToolResultMessage:
    return cast(
        ToolResultMessage,
        {
            "role": "toolResult",
            "toolCallId": call["id"],
            "toolName": call["name"],
            **_shown(result),
            "isError": result.is_error,
            "durationMs": duration_ms,
            "timestamp": int(time.time() * 1000),
        },
    )


async def _cancel(tasks: Sequence[asyncio.Future[Any]]) -> None:
    """Leave no task behind when the surrounding one is cancelled."""
    pending = [task for task in tasks if not task.done()]
    for task in pending:
        task.cancel()
    if pending:
        await asyncio.gather(*pending, return_exceptions=True)
