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
from dataclasses import dataclass
from typing import Any, Protocol, cast

from sapwood.agent import events
from sapwood.agent.interrupt import Interrupt, Interrupted
from sapwood.agent.tools.tool import ToolResult, text_result
from sapwood.models.builder import malformed_arguments
from sapwood.models.failures import Failure
from sapwood.session.schema import (
    AssistantMessage,
    JsonObject,
    Message,
    ToolCallBlock,
    ToolResultMessage,
)

CUT_OFF = "Not run: the answer reached its output limit before the call was complete."
MAX_CUT_OFF = 3
"""Answers in a row that reached their output limit amid a call, before the run ends."""
ABORTED = "Aborted by the user before it finished."


class AnswerStream(Protocol):
    """One streaming answer; ends in a ``done`` or an ``error`` event."""

    max_tokens: int | None
    """The output limit that was sent, in tokens."""

    def __aiter__(self) -> AsyncIterator[dict[str, Any]]: ...

    def aborted(self) -> AssistantMessage:
        """What had come when the stream was cancelled."""

    async def aclose(self) -> None: ...


class LoopPorts(Protocol):
    """What the loop needs of its surroundings."""

    def emit(self, event: events.Event) -> None: ...

    def store(self, message: Message) -> None:
        """Append the message to the record."""

    def ask(self) -> AnswerStream:
        """Ask the model with what the record projects to now."""

    def unasked(self) -> AssistantMessage:
        """The aborted answer to a request that was not even sent."""

    async def execute(
        self, call: ToolCallBlock, on_update: Callable[[ToolResult], None]
    ) -> ToolResult:
        """Run one tool call; cancelling it stops the work."""

    async def between_turns(self) -> None:
        """After tool results, before the next request: the place to make room."""

    async def take_steering(self) -> Sequence[Message]:
        """Messages that go in before the next request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, why it failed if it did, and the output limit it was asked with (tokens)."""

    message: AssistantMessage
    failure: Failure | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a low-level run ended: its last answer, and every message it added, in order."""

    answer: Answer
    messages: list[Message]


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
    cut_off = 0
    while True:
        answer = await _ask(ports, interrupt)
        message = answer.message
        added.append(message)
        results = await _results(ports, interrupt, message)
        added.extend(results)
        ports.emit(events.turn_end(message, results))
        if message["stopReason"] in ("error", "aborted"):
            break
        steering = [] if interrupt.requested else await ports.take_steering()
        cut_off = cut_off + 1 if message["stopReason"] == "length" else 0
        if cut_off == MAX_CUT_OFF or not (results or steering):
            break
        if not interrupt.requested:
            await ports.between_turns()
        ports.emit(events.turn_start())
        add(steering)
    return RunOutcome(answer, added)


def store_whole(ports: LoopPorts, message: Message) -> None:
    """Store a message that did not stream, with its two events."""
    ports.emit(events.message_start(message))
    ports.store(message)
    ports.emit(events.message_end(message))


def tool_calls(answer: AssistantMessage) -> list[ToolCallBlock]:
    return [block for block in answer["content"] if block["type"] == "toolCall"]


async def _ask(ports: LoopPorts, interrupt: Interrupt) -> Answer:
    """Stream one answer and store it, whatever becomes of it."""
    if interrupt.requested:
        answer = Answer(ports.unasked())
        ports.emit(events.message_start(answer.message))
    else:
        answer = await _stream(ports, interrupt)
    ports.store(answer.message)
    ports.emit(events.message_end(answer.message))
    return answer


async def _stream(ports: LoopPorts, interrupt: Interrupt) -> Answer:
    stream = ports.ask()
    started: list[AssistantMessage] = []
    try:
        answer = await interrupt.guard(_forward(ports, stream, started))
    except Interrupted:
        answer = Answer(stream.aborted())
    finally:
        await stream.aclose()
    if not started:
        ports.emit(events.message_start(answer.message))
    return answer


async def _forward(
    ports: LoopPorts, stream: AnswerStream, started: list[AssistantMessage]
) -> Answer:
    """Pass the stream's events on; `started` receives the growing answer once there is one."""
    async for event in stream:
        kind = event["type"]
        if kind == "start":
            started.append(event["partial"])
            ports.emit(events.message_start({**event["partial"], "stopReason": "pending"}))
        elif kind in ("done", "error"):
            return Answer(event["message"], event.get("failure"), stream.max_tokens)
        else:
            ports.emit(events.message_update(started[0]["usage"] if started else None, event))
    raise RuntimeError("the model's stream ended without a result")


async def _results(
    ports: LoopPorts, interrupt: Interrupt, answer: AssistantMessage
) -> list[ToolResultMessage]:
    calls = tool_calls(answer)
    if not calls or answer["stopReason"] in ("error", "aborted"):
        return []
    refused = {
        call_id: f"The arguments could not be read as a JSON object ({why}). Send the call again."
        for call_id, why in malformed_arguments(answer).items()
    }
    if answer["stopReason"] == "length":
        refused = {call["id"]: CUT_OFF for call in calls}
    return await _run_calls(ports, interrupt, calls, refused)


async def _run_calls(
    ports: LoopPorts,
    interrupt: Interrupt,
    calls: Sequence[ToolCallBlock],
    refused: Mapping[str, str],
) -> list[ToolResultMessage]:
    """Run all calls at once, but the `refused` ones, which are answered with the reason.

    A result is stored as soon as all before it are.
    """
    for call in calls:
        ports.emit(events.tool_execution_start(call))
    tasks = [
        asyncio.ensure_future(_run_call(ports, interrupt, call, refused.get(call["id"])))
        for call in calls
    ]
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
    ports: LoopPorts, interrupt: Interrupt, call: ToolCallBlock, refused: str | None
) -> ToolResultMessage:
    def on_update(partial: ToolResult) -> None:
        ports.emit(events.tool_execution_update(call, _shown(partial)))

    started = time.monotonic()
    try:
        if refused is not None:
            result = text_result(refused, is_error=True)
        else:
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
