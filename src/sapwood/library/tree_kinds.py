"""What kind of row an entry is, told from the first bytes of its line where that is enough.

A tree of 45,000 entries opens without decoding 100 MB: entries as the agent writes them show their
role at a fixed place, all others are decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum

from sapwood.session.bulk import lines_of
from sapwood.session.entry import Entry, decode_entry
from sapwood.session.schema import JsonObject


class Kind(IntEnum):
    """What a row stands for."""

    USER = 1
    ASSISTANT = 2
    CALLS = 3
    """An assistant message that says nothing and only calls tools."""
    TOOL = 4
    """A tool result."""
    SYSTEM = 5
    BASH = 6
    """A command of the user."""
    CUSTOM = 7
    """A message of an extension."""
    COMPACTION = 8
    BRANCH_SUMMARY = 9
    MODEL = 10
    THINKING = 11
    EDIT = 12
    LABEL = 13
    NAME = 14
    USAGE = 15
    STATE = 16
    """State of an extension."""
    OTHER = 17


_TYPES = {
    "custom_message": Kind.CUSTOM,
    "compaction": Kind.COMPACTION,
    "branch_summary": Kind.BRANCH_SUMMARY,
    "model_change": Kind.MODEL,
    "thinking_level_change": Kind.THINKING,
    "context_edit": Kind.EDIT,
    "label": Kind.LABEL,
    "session_info": Kind.NAME,
    "usage": Kind.USAGE,
    "custom": Kind.STATE,
}
_ROLES = {
    b"user": Kind.USER,
    b"assistant": Kind.ASSISTANT,
    b"toolResult": Kind.TOOL,
    b"system": Kind.SYSTEM,
    b"bashExecution": Kind.BASH,
    b"custom": Kind.CUSTOM,
}
_MESSAGE = re.compile(
    rb'\{"type":"message","id":"[^"\\]*","parentId":(?:null|"[^"\\]*"),"timestamp":"[^"\\]*",'
    rb'"message":\{"role":"([A-Za-z]+)"(,"content":\[\{"type":"text","text":"[^" \\])?'
)
_TEXT = b'"type":"text","text":"'
_BLANKS = re.compile(rb'(?:[ ]|\\[nrtf])*"')
_CALL = b'"type":"toolCall"'


def kind_of(entry: Entry) -> Kind:
    if entry.type != "message":
        return _TYPES.get(entry.type, Kind.OTHER)
    return _kind_of_line(entry, entry.raw)


def kinds_of(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Kind]]:
    """The kinds of many entries, whose lines are read page by page; in no order."""
    messages: list[Entry] = []
    for entry in entries:
        if entry.type == "message" and entry.is_stored:
            messages.append(entry)
        else:
            yield entry, kind_of(entry)
    for entry, line in lines_of(messages):
        yield entry, _kind_of_line(entry, line)


def _kind_of_line(entry: Entry, line: bytes) -> Kind:
    """The kind of a ``message`` entry, whose line this is."""
    match = _MESSAGE.match(line)
    if match is None:
        return _kind_of_message(decode_entry(entry, line))
    role, starts_with_text = match.groups()
    if role != b"assistant" or starts_with_text:
        return _ROLES.get(role, Kind.OTHER)
    says = _says_something(line, match.end())
    return Kind.ASSISTANT if says or line.find(_CALL, match.end()) < 0 else Kind.CALLS


def _says_something(line: bytes, start: int) -> bool:
    """Whether a text block from there on is not blank."""
    while (found := line.find(_TEXT, start)) >= 0:
        start = found + len(_TEXT)
        if not _BLANKS.match(line, start):
            return True
    return False


def _kind_of_message(data: JsonObject) -> Kind:
    message = data.get("message")
    if not isinstance(message, dict):
        return Kind.OTHER
    role = message.get("role")
    kind = _ROLES.get(str(role).encode("utf-8", "replace"), Kind.OTHER)
    content = message.get("content")
    if kind is not Kind.ASSISTANT or not isinstance(content, list):
        return kind
    blocks = [block for block in content if isinstance(block, dict)]
    says = any(block.get("type") == "text" and str(block.get("text")).strip() for block in blocks)
    calls = any(block.get("type") == "toolCall" for block in blocks)
    return Kind.CALLS if calls and not says else kind
