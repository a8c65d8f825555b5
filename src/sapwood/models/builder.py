"""Putting an assistant message together while it streams in.

The builder is the one place that knows the message so far. Events name what was added; the message
they add up to can be read at any moment, so that a cancelled stream still leaves its part behind.
Only documented fields ever reach the message: argument text that is still streaming stays in here.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias, cast

from sapwood.models.failures import Failure
from sapwood.models.model import Model
from sapwood.models.thinking import ThinkingLevel
from sapwood.models.usage import no_usage
from sapwood.session.schema import (
    AssistantBlock,
    AssistantMessage,
    JsonObject,
    StopReason,
    ToolCallBlock,
    Usage,
)

StreamEvent: TypeAlias = dict[str, Any]
"""One step of a streaming answer, shaped as ``assistantMessageEvent``: see
`sapwood.models.stream`."""

MALFORMED_ARGUMENTS = "malformed_tool_arguments"
UNFINISHED_CALL = "unfinished_tool_call"
USAGE_MISSING = "usage_not_reported"

_EVENT_PREFIX = {"text": "text", "thinking": "thinking", "toolCall": "toolcall"}


class AssistantMessageBuilder:
    """An assistant message under construction, and the events that describe its growth."""

    def __init__(self, model: Model, thinking_level: ThinkingLevel, timestamp: int) -> None:
        self._blocks: list[AssistantBlock] = []
        self._arguments: dict[int, str] = {}
        self._open: set[int] = set()
        self._diagnostics: list[JsonObject] = []
        self._message: AssistantMessage = {
            "role": "assistant",
            "content": self._blocks,
            "api": model.api,
            "provider": model.provider,
            "model": model.id,
            "usage": no_usage(),
            "stopReason": "stop",
            "timestamp": timestamp,
        }
        if model.reasoning:
            self._message["thinkingLevel"] = thinking_level

    @property
    def message(self) -> AssistantMessage:
        """The message so far. It grows; take a copy to keep a state of it."""
        return self._message

    def start(self) -> StreamEvent:
        return {"type": "start", "partial": self._message}

    def open(self, block: AssistantBlock) -> tuple[int, StreamEvent]:
        """Add `block`, still empty; gives its content index."""
        index = len(self._blocks)
        self._blocks.append(block)
        self._open.add(index)
        kind = _EVENT_PREFIX[block["type"]]
        event: StreamEvent = {"type": f"{kind}_start", "contentIndex": index}
        if block["type"] == "toolCall":
            self._arguments[index] = ""
            event |= {"id": block["id"], "toolName": block["name"]}
        return index, event

    def delta(self, index: int, text: str) -> StreamEvent:
        """Add `text` to a text or thinking block, or argument text to a tool call."""
        block = self._blocks[index]
        if block["type"] == "text":
            block["text"] += text
        elif block["type"] == "thinking":
            block["thinking"] += text
        else:
            self._arguments[index] += text
        kind = _EVENT_PREFIX[block["type"]]
        return {"type": f"{kind}_delta", "contentIndex": index, "delta": text}

    def annotate(self, index: int, **fields: object) -> None:
        """Set optional fields of a block, such as its signature, skipping empty ones."""
        cast(dict[str, object], self._blocks[index]).update(
            {name: value for name, value in fields.items() if value}
        )

    def replace_arguments(self, index: int, arguments: str) -> None:
        """Set a tool call's argument text, when the provider sends it whole at the end."""
        self._arguments[index] = arguments

    def close(self, index: int) -> StreamEvent:
        """The block is whole. A tool call's arguments become an object now."""
        self._open.discard(index)
        block = self._blocks[index]
        event: StreamEvent = {"type": f"{_EVENT_PREFIX[block['type']]}_end", "contentIndex": index}
        if block["type"] == "text":
            event["content"] = block["text"]
        elif block["type"] == "thinking":
            event["content"] = block["thinking"]
        else:
            self._settle_arguments(index, block)
            event["toolCall"] = block
        return event

    def _settle_arguments(self, index: int, block: ToolCallBlock) -> None:
        raw = self._arguments.pop(index, "")
        try:
            block["arguments"] = parse_arguments(raw)
        except ValueError as error:
            block["arguments"] = {}
            self._diagnostics.append(
                {
                    "type": MALFORMED_ARGUMENTS,
                    "toolCallId": block["id"],
                    "toolName": block["name"],
                    "raw": raw,
                    "error": str(error),
                }
            )

    def open_indices(self) -> list[int]:
        """Blocks that were opened and not closed yet, in content order."""
        return sorted(self._open)

    def note(
        self,
        *,
        usage: Usage | None = None,
        response_id: str | None = None,
        response_model: str | None = None,
        raw_stop_reason: str | None = None,
    ) -> None:
        """Record what the provider says about the answer as a whole; None leaves it as it was."""
        message = self._message
        if usage is not None:
            message["usage"] = usage
        if response_id:
            message["responseId"] = response_id
        if response_model and response_model != message["model"]:
            message["responseModel"] = response_model
        if raw_stop_reason:
            message["rawStopReason"] = raw_stop_reason

    def done(self, stop_reason: StopReason, *, usage_reported: bool) -> StreamEvent:
        """The last event of an answer that came to its end."""
        if not usage_reported:
            self._diagnostics.append({"type": USAGE_MISSING})
        self._finish(stop_reason)
        return {"type": "done", "reason": stop_reason, "message": self._message}

    def error(self, failure: Failure) -> StreamEvent:
        """The last event of an answer that failed; what arrived before stays in the message."""
        self._drop_unfinished_calls()
        self._message["errorMessage"] = failure.message
        self._finish("error")
        return {"type": "error", "reason": "error", "message": self._message, "failure": failure}

    def aborted(self) -> AssistantMessage:
        """The message of an answer that was cancelled, with what had arrived until then."""
        self._drop_unfinished_calls()
        self._message["errorMessage"] = "The request was aborted"
        self._finish("aborted")
        return self._message

    def _finish(self, stop_reason: StopReason) -> None:
        self._open.clear()
        self._message["stopReason"] = stop_reason
        if self._diagnostics:
            self._message["diagnostics"] = list(self._diagnostics)

    def _drop_unfinished_calls(self) -> None:
        """A call whose arguments never arrived in full was never made; its text is kept aside."""
        for index in sorted(self._arguments, reverse=True):
            block = cast(ToolCallBlock, self._blocks.pop(index))
            self._diagnostics.append(
                {
                    "type": UNFINISHED_CALL,
                    "toolCallId": block["id"],
                    "toolName": block["name"],
                    "raw": self._arguments[index],
                }
            )
        self._arguments.clear()


def parse_arguments(text: str) -> JsonObject:
    """The argument object that a model wrote; no text is no arguments. Raises ValueError.

    Raw control characters inside strings are let through: models write them, and they are harmless.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, strict=False, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("the arguments are nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("the arguments are not a JSON object")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def malformed_arguments(message: AssistantMessage) -> dict[str, str]:
    """Tool call ids whose arguments were no JSON object, each with what was wrong.

    Such a call is answered with an error result instead of being run.
    """
    return {
        str(note.get("toolCallId")): str(note.get("error"))
        for note in message.get("diagnostics", [])
        if note.get("type") == MALFORMED_ARGUMENTS
    }
