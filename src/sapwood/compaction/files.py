"""Which files the conversation read and changed, carried on from summary to summary.

A tool call counts when its name is one of the file tools. A change counts only if its call has a
result that is no error: a failed edit is not a modification (the reference lists those too). A file
that was changed leaves the read list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sapwood.compaction.serialize import blocks_of
from sapwood.compaction.untrusted import disarm_tags
from sapwood.session.entry import Entry
from sapwood.session.javascript import utf16_order
from sapwood.session.schema import FileDetails, JsonObject, Message
from sapwood.text import one_line

LISTED_FILES = 400
"""How many paths of a list a summary spells out; the entry's `details` always hold all of them."""


@dataclass(slots=True)
class FileOps:
    """Paths in order of first use; dicts serve as ordered sets."""

    read: dict[str, None] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    edited: dict[str, None] = field(default_factory=dict)

    @property
    def modified_files(self) -> list[str]:
        """Sorted as the reference sorts, by UTF-16 units."""
        return sorted({**self.written, **self.edited}, key=utf16_order)

    @property
    def read_files(self) -> list[str]:
        """Files that were only read."""
        changed = {**self.written, **self.edited}
        return sorted((path for path in self.read if path not in changed), key=utf16_order)

    def copy(self) -> FileOps:
        return FileOps(dict(self.read), dict(self.written), dict(self.edited))

    def details(self) -> FileDetails:
        return {"readFiles": self.read_files, "modifiedFiles": self.modified_files}

    def add_summary(self, entry: Entry) -> None:
        """Take over the lists that an earlier summary recorded, unless a hook wrote them."""
        details = entry.data.get("details")
        if isinstance(details, dict) and not entry.data.get("fromHook"):
            self.read.update(_paths(details.get("readFiles")))
            self.edited.update(_paths(details.get("modifiedFiles")))

    def add_messages(self, messages: Iterable[Message], succeeded: Mapping[str, bool]) -> None:
        """Count the tool calls of `messages`; `succeeded` tells of each call id how it ended."""
        for message in messages:
            if message["role"] == "assistant":
                for block in blocks_of(message.get("content")):
                    if block.get("type") == "toolCall":
                        ok = succeeded.get(str(block.get("id")), False)
                        self._add_call(block, ok)
            elif message["role"] == "toolResult":
                for call in _nested_calls(message):
                    self._add_call(call, call.get("status") in (None, "ok"))

    def _add_call(self, call: JsonObject, succeeded: bool) -> None:
        arguments = call.get("arguments")
        path = arguments.get("path") if isinstance(arguments, dict) else None
        if not isinstance(path, str) or not path:
            return
        match call.get("name"):
            case "read":
                self.read[path] = None
            case "write" if succeeded:
                self.written[path] = None
            case "edit" if succeeded:
                self.edited[path] = None


def call_outcomes(messages: Iterable[Message]) -> dict[str, bool]:
    """Tool call id → whether its result is no error. Calls without a result are absent."""
    return {
        str(message.get("toolCallId")): message.get("isError") is not True
        for message in messages
        if message["role"] == "toolResult"
    }


def file_lists(ops: FileOps) -> str:
    """The two lists as they stand at the end of a summary, each after a blank line."""
    return _listing("read-files", ops.read_files) + _listing("modified-files", ops.modified_files)


def _listing(tag: str, paths: list[str]) -> str:
    if not paths:
        return ""
    lines = [disarm_tags(one_line(path)) for path in paths[:LISTED_FILES]]
    if len(paths) > LISTED_FILES:
        lines.append(f"(and {len(paths) - LISTED_FILES} more)")
    return f"\n\n<{tag}>\n" + "\n".join(lines) + f"\n</{tag}>"


def _paths(value: object) -> dict[str, None]:
    if not isinstance(value, list):
        return {}
    return {path: None for path in value if isinstance(path, str)}


def _nested_calls(message: Message) -> list[JsonObject]:
    nested = cast(Any, message).get("nestedCalls")
    calls = nested.get("calls") if isinstance(nested, dict) else nested
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
