"""Calls that only look: they change nothing, so there is nothing to report but where they looked.

A shell line is a look-up when every command on it is one and nothing is redirected into a file.
A look-up that finds nothing fails; that stands in nobody's way.
"""

from __future__ import annotations

import re

from sapwood.session.schema import JsonObject

LOOKUP_TOOLS = frozenset({"read", "grep", "find", "ls", "glob"})
_LOOKUP_COMMANDS = frozenset({
    "rg", "grep", "egrep", "fgrep", "zgrep", "ag", "ack", "ls", "tree", "cat", "zcat", "bat",
    "head", "tail", "less", "wc", "nl", "find", "fd", "which", "type", "pwd", "cd", "file",
    "stat", "du", "df", "echo", "printf", "printenv", "date", "sort", "uniq", "cut", "sed",
    "awk", "jq", "diff", "cmp", "true",
})  # fmt: skip
_GIT_LOOKUPS = frozenset({
    "status", "log", "diff", "show", "branch", "blame", "ls-files", "rev-parse", "remote",
    "grep",
})  # fmt: skip
_WRITES = re.compile(r"(?<![0-9&=-])>(?!&)|\bsed\b.*\s-i|\s-delete\b|-exec\b|\btee\b|\bxargs\b")
_COMMAND_BREAK = re.compile(r"\|\|?|&&|;|\n")
LONGEST_COMMAND = 1000


def is_lookup(call: JsonObject) -> bool:
    """Whether a tool call can have changed nothing, going by its name and its command."""
    arguments = call.get("arguments")
    command = arguments.get("command") if isinstance(arguments, dict) else None
    if not isinstance(command, str):
        return call.get("name") in LOOKUP_TOOLS
    if len(command) > LONGEST_COMMAND or _WRITES.search(command):
        return False
    parts = [part.split() for part in _COMMAND_BREAK.split(command)]
    return all(map(_only_looks, filter(None, parts)))


def _only_looks(words: list[str]) -> bool:
    if words[0] == "git":
        return len(words) > 1 and words[1] in _GIT_LOOKUPS
    return words[0] in _LOOKUP_COMMANDS
