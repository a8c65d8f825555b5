"""What was done, from the tool calls and their results alone.

Each call is keyed by its tool and target (a file, a command). The last outcome of a key decides: a
command that failed and later succeeded is done, one whose last run failed is an open failure. A
failed call of a file tool is a slip of the model's; it is over with the run in which it happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sapwood.compaction.error_lines import error_lines
from sapwood.compaction.lookups import is_lookup
from sapwood.compaction.sentences import shorten
from sapwood.compaction.serialize import blocks_of, plain_text
from sapwood.compaction.signals import PATH
from sapwood.session.codec import json_text
from sapwood.session.schema import JsonObject, Message

_VERBS = {"edit": "Edited", "write": "Wrote", "read": "Read"}
FILE_VERBS = tuple(f"{verb} " for verb in _VERBS.values())
_FILE_TOOLS = frozenset(_VERBS)


@dataclass(slots=True)
class Deed:
    """All runs of one call: how it reads, how often it ran, how it ended.

    `requests_before`: how many requests of the span came before its last run.
    """

    text: str
    only_looks: bool = False
    runs: int = 0
    failed: bool = False
    error: str = ""
    requests_before: int = 0

    @property
    def line(self) -> str:
        return f"{self.text} (×{self.runs})" if self.runs > 1 else self.text

    @property
    def is_of_a_file(self) -> bool:
        """Whether it is told by the file lists already."""
        return self.text.startswith(FILE_VERBS)


@dataclass(slots=True)
class Work:
    """The work of a span, each map in order of last use."""

    deeds: dict[str, Deed] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """Error line → the deed that showed it last."""

    todos: list[str] | None = None
    """Open items of the last to-do list that a tool wrote; None when there was none."""

    searched: dict[str, None] = field(default_factory=dict)
    """Files and folders that were looked into by other ways than the file tools."""

    requests: int = 0
    runs_ended: int = 0
    """Closing answers of the assistant."""

    def add_error(self, line: str, deed: str) -> None:
        text = shorten(line, 240)
        self.errors.pop(text, None)
        self.errors[text] = deed


def work_in(messages: Iterable[Message]) -> Work:
    """Read the tool calls, results and shell commands of a span, in order."""
    work = Work()
    pending: dict[str, JsonObject] = {}
    for message in messages:
        match message.get("role"):
            case "user":
                work.requests += 1
            case "assistant":
                if message.get("stopReason") == "stop":
                    work.runs_ended += 1
                    _forget_slips(work)
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
    _add_deed(work, call, failed, plain_text(message.get("content")))


def _add_shell(work: Work, message: Mapping[str, Any]) -> None:
    failed = bool(message.get("exitCode")) or message.get("cancelled") is True
    call = {"name": "bash", "arguments": {"command": message.get("command")}}
    _add_deed(work, call, failed, str(message.get("output") or ""))


def _add_deed(work: Work, call: JsonObject | None, failed: bool, output: str) -> None:
    text = _describe(call) if call is not None else ""
    deed = work.deeds.pop(text, None) or Deed(text)
    is_of_a_file = text.startswith(FILE_VERBS)
    lines = [] if is_of_a_file and not failed else error_lines(output, failed)
    for line in lines if not is_of_a_file else ():
        work.add_error(line, text)
    if call is None:
        return
    _add_searched(work, call)
    deed.only_looks = is_lookup(call)
    deed.runs += 1
    deed.failed = failed
    deed.error = shorten(lines[-1] if lines else output, 240) if failed else ""
    deed.requests_before = work.requests
    work.deeds[text] = deed


def _forget_slips(work: Work) -> None:
    """A run has ended: what its file tools failed at was done otherwise, or given up."""
    slips = [text for text, deed in work.deeds.items() if deed.failed and deed.is_of_a_file]
    for text in slips:
        del work.deeds[text]


def _add_searched(work: Work, call: JsonObject) -> None:
    if call.get("name") in _FILE_TOOLS:
        return
    paths = [_path_of(call)]
    arguments = call.get("arguments")
    command = arguments.get("command") if isinstance(arguments, dict) else None
    if isinstance(command, str) and is_lookup(call):
        paths = PATH.findall(command)
    for path in filter(None, paths):
        work.searched.pop(path, None)
        work.searched[path] = None


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
    name = shorten(name, 80)
    return f"Called {name}({shorten(json_text(arguments), 120)})" if arguments else f"Called {name}"


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
