"""What could be meant: commands after ``/`` at the start, files after ``@`` or on Tab. Pure.

A completion replaces a range of the current line. Matching is by words that people can see: first
what starts with the letters, then what contains them, then what has them in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LIMIT = 200

_FILE_TOKEN = re.compile(r'(?:^|(?<=\s))@("?)([^\s"]*)$')
_COMMAND = re.compile(r"^/([\w:.-]*)$")
_ARGUMENT = re.compile(r"^/([\w:.-]+) +(.*)$")


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of the menu: what is shown, a few words on it, and what is inserted."""

    label: str
    detail: str
    insert: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is being completed in a line: kind, the letters so far, and where they start."""

    kind: str
    word: str
    start: int
    command: str = ""


def request_at(before: str, *, first_line: bool) -> Request | None:
    """What the text before the cursor of a line asks for: ``command``, ``argument``, ``file``."""
    if first_line and (match := _COMMAND.match(before)):
        return Request("command", match[1], 0)
    if match := _FILE_TOKEN.search(before):
        return Request("file", match[2], match.start())
    if first_line and (match := _ARGUMENT.match(before)):
        return Request("argument", match[2], match.start(2), match[1])
    return None


def rank(word: str, names: Iterable[str]) -> list[str]:
    """The names that fit, best first; at most ``LIMIT``."""
    wanted = word.lower()
    if not wanted:
        return list(names)[:LIMIT]
    scored: list[tuple[int, int, str]] = []
    for name in names:
        score = _score(wanted, name.lower())
        if score is not None:
            scored.append((score, len(name), name))
    scored.sort()
    return [name for _, _, name in scored[:LIMIT]]


def _score(wanted: str, name: str) -> int | None:
    base = name.rstrip("/").rpartition("/")[2]
    for score, found in enumerate(
        (name == wanted, base.startswith(wanted), name.startswith(wanted), wanted in base)
    ):
        if found:
            return score
    if wanted in name:
        return 4
    return 5 if _in_order(wanted, name) else None


def _in_order(wanted: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in wanted)


def command_choices(word: str, commands: Sequence[tuple[str, str]]) -> list[Choice]:
    """Commands (name, what it does) that fit."""
    details = dict(commands)
    return [Choice(f"/{name}", details[name], f"/{name} ") for name in rank(word, details)]


def file_choices(word: str, files: Sequence[str]) -> list[Choice]:
    """Files and folders (ending in ``/``) that fit; a folder stays open for more letters."""
    return [
        Choice(name, "", _at(name) + ("" if name.endswith("/") else " "))
        for name in rank(word, files)
    ]


def _at(name: str) -> str:
    return f'@"{name}"' if " " in name else f"@{name}"
