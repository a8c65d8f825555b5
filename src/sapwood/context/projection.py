"""The projection: the messages that a path yields, each with the entry it came from. Pure.

It equals the reference's for every valid file. Nothing is cached: it is computed afresh for every
request from the entries in force (`sapwood.session.replay.select`), of which only their number and
size matter, not the length of the session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeGuard, cast

import msgspec

from sapwood.session.bulk import decoded
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.garbage import collection_paused
from sapwood.session.javascript import parse_date
from sapwood.session.replay import (
    ModelRef,
    edits_in_force,
    inherited_prompt,
    is_edit,
    path_settings,
    select,
)
from sapwood.session.schema import Json, JsonObject, Message, SessionHeader, SystemMessage
from sapwood.session.tree import CURRENT, Leaf, SessionTree

NULL_CONTENT: Mapping[str, Json] = {"user": [], "assistant": [], "toolResult": [], "system": ""}
"""What a null content is read as, by role; other roles stay as they are."""

EDITABLE = frozenset({"user", "assistant", "toolResult", "custom"})
"""Roles whose content an edit may replace. Leaving out works for every entry."""


class Projected(msgspec.Struct, frozen=True, gc=False):
    """A message and the entry it came from.

    ``merged`` holds the entries of further messages that a request joined to this one. A struct
    that the garbage collector passes over, because a large session makes very many of them.
    """

    message: Message
    entry: Entry
    merged: tuple[Entry, ...] = ()

    def with_message(self, message: Message) -> Projected:
        return Projected(message, self.entry, self.merged)


@dataclass(frozen=True, slots=True)
class Projection:
    """What the model sees at a leaf, and where it comes from.

    ``entries`` are those in force: with a ``compaction``, it comes first, then ``kept`` entries of
    its kept tail, then what came after.
    """

    items: list[Projected]
    entries: list[Entry]
    compaction: Entry | None = None
    kept: int = 0
    model: ModelRef | None = None
    thinking_level: str = "off"
    diagnostics: list[Diagnostic] = field(default_factory=list)
    find_inherited_prompt: Callable[[], SystemMessage | None] = field(
        default=lambda: None, repr=False, compare=False
    )

    @property
    def inherited_prompt(self) -> SystemMessage | None:
        """The prompt as of a compaction that stored none: part of a request, not of the messages.

        It is looked for when a request wants it; that may take a look at the whole path.
        """
        return self.find_inherited_prompt()

    @property
    def messages(self) -> list[Message]:
        return [item.message for item in self.items]

    @property
    def sources(self) -> list[Entry]:
        """The entry of each message."""
        return [item.entry for item in self.items]


def project(tree: SessionTree, leaf: Leaf = CURRENT) -> Projection:
    """The projection at ``leaf``; empty for None or an unknown id."""
    selection = select(tree, leaf)
    items, silent = _read(selection.entries, selection.compaction)
    settings = path_settings(tree, leaf)
    return Projection(
        items=items,
        entries=selection.entries,
        compaction=selection.compaction,
        kept=selection.kept,
        model=settings.model,
        thinking_level=settings.thinking_level,
        diagnostics=[*selection.diagnostics, *_diagnose(silent)],
        find_inherited_prompt=partial(inherited_prompt, tree, selection),
    )


def build_session_context(entries: Iterable[JsonObject], leaf: Leaf = CURRENT) -> Projection:
    """The projection of entries given as JSON objects, in file order.

    As in the reference an unknown leaf, like none given, stands for the last entry; None for the
    place before the first. Objects without a string id are passed over.
    """
    known = [Entry.of(data) for data in entries if isinstance(data.get("id"), str)]
    header = SessionHeader(type="session", id="", timestamp="")
    tree = SessionTree(header, (entry for entry in known if entry.type != "session"))
    return project(tree, CURRENT if isinstance(leaf, str) and leaf not in tree else leaf)


def project_entries(entries: Sequence[Entry], compaction: Entry | None = None) -> list[Projected]:
    """The messages of entries as they stand, edits among them applied.

    Only ``compaction`` yields a summary; any other compaction among them was replaced by it.
    """
    return _read(entries, compaction)[0]


def _read(
    entries: Sequence[Entry], compaction: Entry | None
) -> tuple[list[Projected], list[Entry]]:
    """The messages of entries, and the entries that yield none."""
    edits = edits_in_force(entries)
    items: list[Projected] = []
    silent: list[Entry] = []
    with collection_paused():
        for entry, data in decoded(entries):
            if entry.type == "compaction" and entry is not compaction:
                continue
            make = _MAKERS.get(entry.type)
            messages = make(data) if make is not None else []
            if edits and entry.id in edits:
                messages = _edited(messages, edits[entry.id])
            for message in messages:
                items.append(Projected(message, entry))  # noqa: PERF401 (a third faster than extend)
            if not messages:
                silent.append(entry)
    return items, silent


def messages_of(entry: Entry) -> list[Message]:
    """The messages that an entry stands for in the context, edits aside."""
    make = _MAKERS.get(entry.type)
    return make(entry.data) if make is not None else []


def _stored_message(data: JsonObject) -> list[Message]:
    message = data.get("message")
    if not isinstance(message, dict) or not isinstance(role := message.get("role"), str):
        return []
    if role in NULL_CONTENT and "content" in message and message["content"] is None:
        message = {**message, "content": NULL_CONTENT[role]}
    return [cast(Message, message)]


def is_message(value: Json) -> TypeGuard[JsonObject]:
    """Whether ``value`` can pass for a message: an object with a role."""
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _compaction(data: JsonObject) -> list[Message]:
    """The checkpoint, if there is one, and the summary."""
    message: dict[str, Any] = {"role": "compactionSummary"}
    _copy(data, message, "summary", "tokensBefore")
    message["timestamp"] = _time_of(data)
    checkpoint = data.get("systemMessage")
    messages = [checkpoint, message] if is_message(checkpoint) else [message]
    return cast("list[Message]", messages)


def _branch_summary(data: JsonObject) -> list[Message]:
    if not data.get("summary"):
        return []
    message: dict[str, Any] = {"role": "branchSummary"}
    _copy(data, message, "summary", "fromId")
    message["timestamp"] = _time_of(data)
    return [cast(Message, message)]


def _custom_message(data: JsonObject) -> list[Message]:
    message: dict[str, Any] = {"role": "custom"}
    _copy(data, message, "customType", "content", "display", "details")
    if message.get("content") is None:
        message["content"] = []
    message["timestamp"] = _time_of(data)
    return [cast(Message, message)]


_MAKERS = {
    "message": _stored_message,
    "compaction": _compaction,
    "branch_summary": _branch_summary,
    "custom_message": _custom_message,
}


def _copy(source: JsonObject, target: dict[str, Any], *names: str) -> None:
    for name in names:
        if name in source:
            target[name] = source[name]


def _time_of(data: JsonObject) -> int | None:
    """Unix milliseconds of the entry; None when its timestamp is no date."""
    if "timestamp" not in data:
        return None
    time = parse_date(data["timestamp"])
    return int(time) if time == time else None


def _edited(messages: list[Message], replacement: JsonObject | None) -> list[Message]:
    """The messages of an entry under an edit: none of them, or with other content."""
    if replacement is None:
        return []
    return [_replace(message, replacement["content"]) for message in messages]


def _replace(message: Message, content: Json) -> Message:
    """Assistant messages and tool results hold blocks only."""
    role = message["role"]
    if role not in EDITABLE:
        return message
    if isinstance(content, str) and role in ("assistant", "toolResult"):
        content = [{"type": "text", "text": content}]
    return cast(Message, {**message, "content": content})


def _diagnose(silent: Iterable[Entry]) -> list[Diagnostic]:
    """Which of the entries that yield no message could not be read as what they should be."""
    found: dict[str, Diagnostic] = {}
    for entry in silent:
        if entry.type == "context_edit" and not is_edit(entry):
            kind, text = "bad-edit", "the edit names no target or no content; it changes nothing"
        elif entry.type == "message" and not is_message(entry.message):
            kind, text = "no-message", "the entry holds no message; the model does not see it"
        else:
            continue
        first = found.get(kind)
        if first is None:
            found[kind] = Diagnostic(kind, f"{entry.id}: {text}", entry.id, entry.line)
        else:
            found[kind] = Diagnostic(
                kind, first.message, first.entry_id, first.line, first.count + 1
            )
    return list(found.values())
