"""Pairing rule for tools: every call is answered once, right after the message that made it.

Records break this in many ways: a run was interrupted, a message came in between, an answer was
left out by an edit, a server used one id twice. What a tool really said is never replaced or lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from sapwood.context.projection import Projected
from sapwood.context.wrapping import wrap
from sapwood.session.schema import JsonObject, Message
from sapwood.text import one_line

NO_RESULT = "No result was recorded: the call was interrupted before it ended."


class _Call(NamedTuple):
    """Where a call stands: which item, and which of its calls."""

    item: int
    number: int


def answer_calls(items: list[Projected]) -> list[Projected]:
    """Rule: each call has one result, and results stand next to their calls, in call order.

    * A result that came late, or after other messages, is moved to its call.
    * A call without a result gets an error result that says so.
    * A result without a call, or a second one, becomes text by the user.
    * A call id that was used before gets a number behind it.

    Results answer the latest open call of their id.
    """
    results, surplus = _match(items)
    used: set[str] = set()
    answered: list[Projected] = []
    for index, item in enumerate(items):
        if index in surplus:
            answered.append(_as_text(item))
        elif item.message["role"] != "toolResult":
            item, calls = _with_unique_ids(item, used)
            answered.append(item)
            for number, call in enumerate(calls):
                result = results.get(_Call(index, number))
                answered.append(_answer(call, result) if result else _no_result(call, item))
    return answered


def calls_of(message: Message) -> list[JsonObject]:
    """The tool calls of an assistant message, in order; none for others."""
    if message["role"] != "assistant":
        return []
    return [cast(JsonObject, b) for b in message["content"] if b["type"] == "toolCall"]


def _match(items: list[Projected]) -> tuple[dict[_Call, Projected], set[int]]:
    """Call → its result, and the indices of results that no call is left for."""
    open_calls: dict[str, list[_Call]] = {}
    results: dict[_Call, Projected] = {}
    surplus: set[int] = set()
    for index, item in enumerate(items):
        message = item.message
        for number, call in enumerate(calls_of(message)):
            open_calls.setdefault(call["id"], []).append(_Call(index, number))
        if message["role"] == "toolResult":
            waiting = open_calls.get(message["toolCallId"])
            if not waiting:
                surplus.add(index)
                continue
            answered = max(waiting, key=lambda call: (call.item, -call.number))
            waiting.remove(answered)
            results[answered] = item
    return results, surplus


def _with_unique_ids(item: Projected, used: set[str]) -> tuple[Projected, list[JsonObject]]:
    """The item with ids no earlier call has, and its calls."""
    message: Any = item.message
    if not calls_of(message):
        return item, []
    content = [
        _rename(block, used) if block["type"] == "toolCall" else block
        for block in message["content"]
    ]
    if any(new is not old for new, old in zip(content, message["content"], strict=True)):
        item = item.with_message(cast(Message, {**message, "content": content}))
    return item, calls_of(item.message)


def _rename(call: JsonObject, used: set[str]) -> JsonObject:
    wanted = call["id"] or "call"
    name, number = wanted, 1
    while name in used:
        number += 1
        name = f"{wanted}-{number}"
    used.add(name)
    return call if name == call["id"] else {**call, "id": name}


def _answer(call: JsonObject, result: Projected) -> Projected:
    """The result under the id and name of its call."""
    message: Any = result.message
    if (message["toolCallId"], message["toolName"]) == (call["id"], call["name"]):
        return result
    renamed = {**message, "toolCallId": call["id"], "toolName": call["name"]}
    return result.with_message(cast(Message, renamed))


def _no_result(call: JsonObject, caller: Projected) -> Projected:
    message = {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "content": [{"type": "text", "text": NO_RESULT}],
        "isError": True,
        "timestamp": cast(Any, caller.message).get("timestamp"),
    }
    return Projected(cast(Message, message), caller.entry)


def _as_text(item: Projected) -> Projected:
    """A result without a call, told by the user. Images stay images."""
    message: Any = item.message
    content: list[JsonObject] = message["content"]
    tool = one_line(message["toolName"]).strip() or "unknown"
    intro = f"A result of the tool {tool}, whose call is no longer part of this conversation:"
    text = "\n".join(_texts(content))
    user = {
        "role": "user",
        "content": [
            {"type": "text", "text": f"{intro}\n\n{wrap('tool-result', text)}"},
            *(block for block in content if block["type"] == "image"),
        ],
        "timestamp": message.get("timestamp"),
    }
    return item.with_message(cast(Message, user))


def _texts(content: Iterable[JsonObject]) -> Iterable[str]:
    return (block["text"] for block in content if block["type"] == "text")
