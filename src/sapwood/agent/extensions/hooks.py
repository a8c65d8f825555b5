"""What the handlers of each event may do, and how their answers add up.

Most events only tell, and what their handlers return is ignored. The others:

- ``input``: ``{"text": …, "images": …}`` changes what was typed; ``{"handled": True}`` ends it.
- ``tool_call``: ``{"block": True, "reason": …}`` refuses the call; changing ``event["input"]`` in
  place changes its arguments.
- ``tool_result``: any of ``{"content": …, "details": …, "isError": …}`` changes the result.
- ``session_before_compact``: ``{"cancel": True}`` or ``{"compaction": {"summary",
  "firstKeptEntryId"?, "tokensBefore", "usage"?, "details"?}}``; without ``firstKeptEntryId``
  nothing but the summary stays in the context.
- ``session_before_tree``: ``{"cancel": True}`` or any of ``{"summary": {"summary", "usage"?,
  "details"?}}``, ``customInstructions``, ``replaceInstructions``, ``label``.

Handlers run in load order. What ends the matter (``handled``, ``block``, ``cancel``) stops the
round; of other answers the later one counts, key by key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sapwood.session.codec import encode_line
from sapwood.session.schema import Json, JsonObject

Check: TypeAlias = Callable[[Json], bool]


@dataclass(frozen=True, slots=True)
class Hook:
    """``answers``: the keys an answer may have. ``ends``: the key that stops the round.

    ``chained`` answers are laid on the event, so that later handlers see what earlier ones made.
    """

    answers: Mapping[str, Check]
    ends: str | None = None
    chained: bool = False


def _is(*kinds: type) -> Check:
    return lambda value: isinstance(value, kinds)


def is_json(value: object) -> bool:
    """Whether the record can hold it."""
    try:
        encode_line(value)
    except (TypeError, ValueError):
        return False
    return True


def _summary(value: Json) -> bool:
    return (
        isinstance(value, dict) and bool(str(value.get("summary") or "").strip()) and is_json(value)
    )


def _compaction(value: Json) -> bool:
    return (
        _summary(value)
        and isinstance(value.get("firstKeptEntryId"), (str, type(None)))
        and isinstance(value.get("tokensBefore"), int)
    )


_BLOCK_KEYS = {"text": ("text",), "image": ("data", "mimeType")}


def are_blocks(value: object) -> bool:
    """Whether these are text and image blocks, as messages hold them."""
    return isinstance(value, list) and all(map(_is_block, value)) and is_json(value)


def _is_block(block: Json) -> bool:
    keys = _BLOCK_KEYS.get(str(block.get("type"))) if isinstance(block, dict) else None
    return keys is not None and all(isinstance(block.get(key), str) for key in keys)


HOOKS: Mapping[str, Hook] = {
    "input": Hook(
        {"text": _is(str), "images": are_blocks, "handled": _is(bool)}, ends="handled", chained=True
    ),
    "tool_call": Hook({"block": _is(bool), "reason": _is(str)}, ends="block"),
    "tool_result": Hook(
        {"content": are_blocks, "details": is_json, "isError": _is(bool)}, chained=True
    ),
    "session_before_compact": Hook({"cancel": _is(bool), "compaction": _compaction}, ends="cancel"),
    "session_before_tree": Hook(
        {
            "cancel": _is(bool),
            "summary": _summary,
            "customInstructions": _is(str),
            "replaceInstructions": _is(bool),
            "label": _is(str),
        },
        ends="cancel",
    ),
}

TELLING = (
    "session_start",
    "session_shutdown",
    "agent_start",
    "agent_end",
    "agent_settled",
    "turn_start",
    "turn_end",
    "message_start",
    "message_update",
    "message_end",
    "session_compact",
    "session_compact_failed",
    "session_tree",
)
"""Events whose handlers only listen."""

EVENTS = (*TELLING, *HOOKS)


def check_answer(event: str, answer: Json) -> str | None:
    """What is wrong with a handler's answer, or None."""
    hook = HOOKS.get(event)
    if answer is None or hook is None:
        return None
    if not isinstance(answer, dict):
        return f"the answer must be a dict, not {type(answer).__name__}"
    for key, value in answer.items():
        check = hook.answers.get(key)
        if check is None:
            return f"the answer has an unknown key {key!r}; known are {', '.join(hook.answers)}"
        if not check(value):
            return f"the answer has an unusable value for {key!r}"
    return None


def lay_on(event: str, payload: JsonObject, merged: JsonObject, answer: JsonObject) -> bool:
    """Add one good answer to ``merged``; True if the round ends with it."""
    hook = HOOKS[event]
    merged.update(answer)
    if hook.chained:
        payload.update(answer)
    return hook.ends is not None and bool(answer.get(hook.ends))
