"""How many tokens a context takes: what the provider reported, and an estimate of the rest.

The estimate of a message is its length in UTF-16 units divided by four, rounded up; an image counts
4800 units. It equals the reference's for every well-formed message; what is malformed counts as far
as it can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sapwood.context.projection import Projection, is_message
from sapwood.session.codec import json_text
from sapwood.session.entry import Entry
from sapwood.session.replay import replay_prompt
from sapwood.session.schema import Json, Message, Usage
from sapwood.session.tree import CURRENT, Leaf, SessionTree
from sapwood.text import utf16_len

UNITS_PER_TOKEN = 4
IMAGE_UNITS = 4800


@dataclass(frozen=True, slots=True)
class ContextEstimate:
    """Tokens of a context: ``tokens`` = ``usage_tokens`` (reported with the message at
    ``last_usage_index``) + ``trailing_tokens`` (estimated, of what came after it; of everything
    when no report can be trusted).
    """

    tokens: int
    usage_tokens: int
    trailing_tokens: int
    last_usage_index: int | None


def estimate_tokens(message: Message) -> int:
    """Estimated tokens of one message; 0 for an unknown role."""
    measure = _MEASURES.get(message["role"])
    return -(-measure(message) // UNITS_PER_TOKEN) if measure is not None else 0


def _units(value: Json) -> int:
    return utf16_len(value) if isinstance(value, str) else 0


def _json_units(value: Json) -> int:
    try:
        return utf16_len(json_text(value))
    except ValueError:  # too deep to be written, so no request will hold it either
        return 0


def _content_units(message: Any) -> int:
    content = message.get("content")
    if isinstance(content, str):
        return utf16_len(content)
    units = 0
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            kind = block.get("type")
            if kind == "text":
                units += _units(block.get("text"))
            elif kind == "image":
                units += IMAGE_UNITS
    return units


def _assistant_units(message: Any) -> int:
    content = message.get("content")
    if isinstance(content, str):
        return 0
    units = 0
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text":
            units += _units(block.get("text"))
        elif kind == "thinking":
            units += _units(block.get("thinking"))
        elif kind == "toolCall":
            units += _units(block.get("name"))
            if "arguments" in block:
                units += _json_units(block["arguments"])
    return units


def _system_units(message: Any) -> int:
    units = _content_units(message)
    sections = message.get("sections")
    for text in sections.values() if isinstance(sections, dict) else ():
        units += _units(text)
    tools = message.get("toolsAdded")
    if isinstance(tools, list):
        units += _json_units(tools)
    return units


def _command_units(message: Any) -> int:
    return _units(message.get("command")) + _units(message.get("output"))


def _summary_units(message: Any) -> int:
    return _units(message.get("summary"))


_MEASURES = {
    "system": _system_units,
    "user": _content_units,
    "assistant": _assistant_units,
    "toolResult": _content_units,
    "custom": _content_units,
    "bashExecution": _command_units,
    "branchSummary": _summary_units,
    "compactionSummary": _summary_units,
}


def usage_tokens(usage: Json) -> int:
    """Tokens of a usage report: its total or, where that is missing or zero, the sum of its parts.

    0 for a report that lacks a part.
    """
    if not isinstance(usage, dict):
        return 0
    if total := _number(usage.get("totalTokens")):
        return total
    if not all(name in usage for name in _PARTS):
        return 0
    return sum(_number(usage[name]) for name in _PARTS)


_PARTS = ("input", "output", "cacheRead", "cacheWrite")


def _number(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return 0
    return cast(int, value)


def reported_tokens(message: Message) -> int:
    """Tokens reported with an answer; 0 if there is none to trust (aborted, error, no usage)."""
    if message["role"] != "assistant" or message.get("stopReason") in ("aborted", "error"):
        return 0
    return usage_tokens(message.get("usage"))


def last_usage(messages: Sequence[Message]) -> int | None:
    """The index of the newest message with usage to trust."""
    for index in range(len(messages) - 1, -1, -1):
        if reported_tokens(messages[index]) > 0:
            return index
    return None


def last_assistant_usage(newest_first: Iterable[Entry]) -> Usage | None:
    """The newest usage to trust among entries, such as ``tree.ancestors(leaf)``."""
    for entry in newest_first:
        message = entry.message
        if (
            message is not None
            and message.get("role") == "assistant"
            and reported_tokens(cast(Message, message)) > 0
        ):
            return cast(Usage, message["usage"])
    return None


def estimate_context(messages: Sequence[Message]) -> ContextEstimate:
    """The size of messages taken for themselves: the last usage, and what follows estimated."""
    index = last_usage(messages)
    if index is None:
        return _pure_estimate(messages)
    usage = reported_tokens(messages[index])
    trailing = sum(map(estimate_tokens, messages[index + 1 :]))
    return ContextEstimate(usage + trailing, usage, trailing, index)


def estimate_projection(projection: Projection) -> ContextEstimate:
    """The size of a projection. Usage older than an edit or the compaction is not trusted: then
    the prompt counts once, as replayed, and every message is estimated.
    """
    messages = projection.messages
    index = last_usage(messages)
    if index is not None and not _is_stale(projection, index):
        return estimate_context(messages)
    rest = [message for message in messages if message["role"] != "system"]
    prompt = replay_prompt(messages)
    return _pure_estimate([prompt, *rest] if prompt is not None else rest)


def estimate_tail(tree: SessionTree, leaf: Leaf = CURRENT) -> ContextEstimate | None:
    """What `estimate_projection` says of the whole, by the entries since the newest usage alone.

    Decodes nothing older. None when only the whole projection can tell: no usage to trust, an edit
    or a compaction after it, or an entry that becomes a message by way of the projection. The index
    of the usage is not known here.
    """
    trailing = 0
    for entry in tree.ancestors(leaf):
        if entry.type in _PROJECTED_TYPES:
            return None
        if not is_message(entry.message):
            continue
        message = cast(Message, entry.message)
        if (usage := reported_tokens(message)) > 0:
            return ContextEstimate(usage + trailing, usage, trailing, None)
        trailing += estimate_tokens(message)
    return None


_PROJECTED_TYPES = frozenset({"context_edit", "compaction", "custom_message", "branch_summary"})


def _pure_estimate(messages: Sequence[Message]) -> ContextEstimate:
    tokens = sum(map(estimate_tokens, messages))
    return ContextEstimate(tokens, 0, tokens, None)


def _is_stale(projection: Projection, index: int) -> bool:
    """Whether an edit or a compaction came after the message at ``index``."""
    source = projection.items[index].entry
    if projection.compaction is not None:
        kept = projection.entries[: 1 + projection.kept]
        if any(entry is source for entry in kept):
            return True
    for entry in reversed(projection.entries):
        if entry is source:
            return False
        if entry.type == "context_edit":
            return True
    return False
