"""What was done, from the tool calls and their results alone.

Each call is keyed by its tool and target (a file, a command). The last outcome of a key decides: a
command that failed and later succeeded is done, one whose last run failed is an open failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sapwood.compaction.lexicon import Spoken
from sapwood.compaction.sentences import shorten
from sapwood.compaction.serialize import blocks_of, plain_text
from sapwood.compaction.signals import ERROR, SURE_ERROR
from sapwood.session.codec import json_text
from sapwood.session.schema import JsonObject, Message

SCANNED = 20_000
"""Characters at each end of a tool result that are searched for error lines."""

LONGEST_LINE = 400

_VERBS = {"edit": "Edited", "write": "Wrote", "read": "Read"}
_FILE_TOOLS = frozenset(_VERBS)


@dataclass(slots=True)
class Deed:
    """All runs of one call: how it reads, how often it ran, how it ended."""

    text: str
    runs: int = 0
    failed: bool = False
    error: str = ""

    @property
    def line(self) -> str:
        return f"{self.text} (×{self.runs})" if self.runs > 1 else self.text


@dataclass(slots=True)
class Work:
    """The work of a span, each map in order of last use."""

    deeds: dict[str, Deed] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    todos: list[str] | None = None
    """Open items of the last to-do list that a tool wrote; None when there was none."""

    searched: dict[str, None] = field(default_factory=dict)
    """Files and folders that tools other than the file tools looked into."""

    def add_error(self, line: str) -> None:
        text = shorten(line, 240)
        self.errors[text] = self.errors.pop(text, 0) + 1


def work_in(messages: Iterable[Message]) -> Work:
    """Read the tool calls, results and shell commands of a span, in order."""
    work = Work()
    pending: dict[str, JsonObject] = {}
    for message in messages:
        match message.get("role"):
            case "assistant":
                for block in blocks_of(message.get("content")):
                    if block.get("type") == "toolCall":
                        pending[str(block.get("id"))] = block
                        work.todos = _open_todos(block.get("arguments"), work.todos)
            case "toolResult":
                _add_result(work, pending.pop(str(message.get("toolCallId")), None), message)
            case "bashExecution":
                _add_shell(work, message)
    return work


def _add_result(work: Work, call: JsonObject | None, message: Mapping[str, Any]) -> None:
    failed = message.get("isError") is True
    text = plain_text(message.get("content"))
    lines = _error_lines(text, failed)
    for line in lines:
        work.add_error(line)
    if call is not None:
        _add_deed(work, call, failed, lines[-1] if lines else text)


def _add_shell(work: Work, message: Mapping[str, Any]) -> None:
    failed = bool(message.get("exitCode")) or message.get("cancelled") is True
    lines = _error_lines(str(message.get("output") or ""), failed)
    for line in lines:
        work.add_error(line)
    call = {"name": "bash", "arguments": {"command": message.get("command")}}
    _add_deed(work, call, failed, lines[-1] if lines else "")


def _add_deed(work: Work, call: JsonObject, failed: bool, error: str) -> None:
    path = _path_of(call)
    if path and call.get("name") not in _FILE_TOOLS:
        work.searched.pop(path, None)
        work.searched[path] = None
    text = _describe(call)
    deed = work.deeds.pop(text, None) or Deed(text)
    deed.runs += 1
    deed.failed = failed
    deed.error = shorten(error, 240) if failed else ""
    work.deeds[text] = deed


def _path_of(call: JsonObject) -> str:
    arguments = call.get("arguments")
    path = arguments.get("path") if isinstance(arguments, dict) else None
    return path if isinstance(path, str) else ""


def _describe(call: JsonObject) -> str:
    name, path = str(call.get("name")), _path_of(call)
    arguments = call.get("arguments")
    arguments = arguments if isinstance(arguments, dict) else {}
    command = arguments.get("command")
    if name in _FILE_TOOLS and path:
        return f"{_VERBS[name]} {shorten(path, 200)}"
    if isinstance(command, str):
        return f"Ran `{shorten(command, 160)}`"
    return f"Called {name}({shorten(json_text(arguments), 120)})" if arguments else f"Called {name}"


def _error_lines(text: str, failed: bool) -> list[str]:
    """The telling lines of an output: the first and the last error of a failed one."""
    if len(text) > 2 * SCANNED:
        text = f"{text[:SCANNED]}\n{text[-SCANNED:]}"
    stripped = (line.strip() for line in text.splitlines())
    candidates = [line for line in stripped if line and len(line) <= LONGEST_LINE]
    if failed:
        lines = [line for line in candidates if ERROR.is_in(Spoken(line))]
    else:
        lines = [line for line in candidates if SURE_ERROR.search(line)]
    if failed and not lines:
        lines = [line.strip() for line in text.splitlines() if line.strip()][-1:]
    return list(dict.fromkeys([*lines[:2], *lines[-1:]]))


def _open_todos(arguments: object, before: list[str] | None) -> list[str] | None:
    """The open items of a to-do list among a call's arguments, if it has one."""
    todos = arguments.get("todos") if isinstance(arguments, dict) else None
    if not isinstance(todos, list):
        return before
    texts: list[str] = []
    for item in todos:
        if not isinstance(item, dict):
            continue
        text = item.get("content") or item.get("text") or item.get("title")
        done = item.get("done") is True or item.get("status") in ("completed", "done", "cancelled")
        if isinstance(text, str) and not done:
            texts.append(text)
    return texts
