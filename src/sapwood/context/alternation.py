"""Pairing rules for the order of roles, as the strictest chat templates want it.

They take: first a user message; then user and assistant in turn, where an assistant message with
calls is followed by its results and those by an assistant message. Two user messages in a row, two
assistant messages in a row, or a user message right after a result are refused (Mistral and many
local templates). Everybody else accepts the same order, so it is made for all.
"""

from __future__ import annotations

from typing import Any, cast

from sapwood.context.projection import Projected
from sapwood.session.schema import JsonObject, Message

EARLIER_LEFT_OUT = "(What came before is not shown.)"
NO_ANSWER_YET = "(The next message came before an answer.)"


def merge_users(items: list[Projected]) -> list[Projected]:
    """Rule: neighbouring user messages are one, their contents in order."""
    merged: list[Projected] = []
    for item in items:
        if merged and _roles(merged[-1], item) == ("user", "user"):
            content = [*_blocks(merged[-1]), *_blocks(item)]
            merged[-1] = _joined(merged[-1], item, merged[-1].message, content)
        else:
            merged.append(item)
    return merged


def merge_assistants(items: list[Projected]) -> list[Projected]:
    """Rule: neighbouring assistant messages are one, known as the later of them.

    The earlier gives its text alone: its thinking belongs to another answer. What the later thought
    stays in front, where providers look for it.
    """
    merged: list[Projected] = []
    for item in items:
        if merged and _roles(merged[-1], item) == ("assistant", "assistant"):
            said = [_plain(block) for block in _blocks(merged[-1]) if block["type"] == "text"]
            later = _blocks(item)
            lead = 0
            while lead < len(later) and later[lead]["type"] == "thinking":
                lead += 1
            content = [*later[:lead], *said, *later[lead:]]
            merged[-1] = _joined(merged[-1], item, item.message, content)
        else:
            merged.append(item)
    return merged


def start_with_user(items: list[Projected]) -> list[Projected]:
    """Rule: a conversation starts with a user message; one that does not says what is missing."""
    if not items or items[0].message["role"] == "user":
        return items
    return [_note("user", EARLIER_LEFT_OUT, items[0]), *items]


def answer_before_user(items: list[Projected]) -> list[Projected]:
    """Rule: an assistant message stands between a result and a user message.

    It comes to that when a run is interrupted after its tools ended, or the user steers it.
    """
    spaced: list[Projected] = []
    for item in items:
        if spaced and _roles(spaced[-1], item) == ("toolResult", "user"):
            spaced.append(_note("assistant", NO_ANSWER_YET, item))
        spaced.append(item)
    return spaced


def _roles(first: Projected, second: Projected) -> tuple[str, str]:
    return first.message["role"], second.message["role"]


def _blocks(item: Projected) -> list[JsonObject]:
    content: Any = cast(Any, item.message)["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _plain(block: JsonObject) -> JsonObject:
    """A text block without the signature that ties it to its message."""
    return {"type": "text", "text": block["text"]}


def _joined(
    first: Projected, second: Projected, message: Message, content: list[JsonObject]
) -> Projected:
    joined = cast(Message, {**cast(Any, message), "content": content})
    return Projected(joined, first.entry, (*first.merged, second.entry, *second.merged))


def _note(role: str, text: str, beside: Projected) -> Projected:
    message: JsonObject = {"role": role, "content": [{"type": "text", "text": text}]}
    if role == "assistant":
        message["stopReason"] = "stop"
    message["timestamp"] = cast(Any, beside.message).get("timestamp")
    return Projected(cast(Message, message), beside.entry)
