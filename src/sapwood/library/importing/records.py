"""The lines of a foreign log as JSON objects; what cannot be used is counted, not fatal.

Bounded, because a log is somebody else's file: its size, the length of a line, the nesting of a
value, and how many names of oddities are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from sapwood.errors import SapwoodError
from sapwood.session.codec import decode_line
from sapwood.session.javascript import parse_date
from sapwood.session.schema import Json, JsonObject
from sapwood.session.source import FileSource, read_lines
from sapwood.text import cut_utf16, one_line

MAX_FILE = 1024 * 1024 * 1024
"""Bytes of a log."""
MAX_LINE = 64 * 1024 * 1024
"""Bytes of a line; a screenshot or two fit."""
MAX_DEPTH = 100
"""Levels of lists and objects in a line."""

_NAMES = 50
_LAST_MS = 253_402_300_800_000  # the year 10000


@dataclass(slots=True)
class Tally:
    """What a conversion met: ``oddities`` damaged the log, ``skipped`` is not conversation.

    ``about`` holds what the log says of itself: id, folder, version of its program.
    """

    oddities: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)

    def odd(self, name: str) -> None:
        _count(self.oddities, name)

    def skip(self, name: str) -> None:
        _count(self.skipped, name)

    def learn(self, **facts: Json) -> None:
        """Keep the first text that is told of each."""
        for name, fact in facts.items():
            if isinstance(fact, str) and fact:
                self.about.setdefault(name, cut_utf16(fact, 1000))


def _count(counts: dict[str, int], name: str) -> None:
    name = cut_utf16(one_line(name), 60) or "unnamed"
    if name not in counts and len(counts) >= _NAMES:
        name = "others"
    counts[name] = counts.get(name, 0) + 1


def read_records(source: Path, tally: Tally) -> Iterator[JsonObject]:
    """The JSON objects of a log in file order.

    Raises ``NotASessionError`` when there is no readable file, ``SapwoodError`` for one that is
    larger than ``MAX_FILE``.
    """
    file = FileSource(source)
    if file.stat().st_size > MAX_FILE:
        raise SapwoodError(f"{source}: larger than {MAX_FILE >> 20} MiB; it is not taken in.")
    for line in read_lines(file):
        if len(line.text) > MAX_LINE:
            tally.odd("line too long")
            continue
        value = _value(line.text, tally)
        if isinstance(value, dict):
            yield value
        elif value is not None:
            tally.odd("not an object")


def _value(line: bytes, tally: Tally) -> Json:
    line = line.removeprefix(b"\xef\xbb\xbf").strip()
    if not line:
        return None
    try:
        value = decode_line(line)
    except ValueError:
        tally.odd("damaged line")
        return None
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and is_deep(value):
        tally.odd("nested too deeply")
        return None
    return value


def is_deep(value: Json) -> bool:
    """Whether lists and objects are nested more than ``MAX_DEPTH`` levels."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for each in level for item in _items(each)]
        if not level:
            return False
    return True


def _items(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def text(value: Json) -> str:
    """``value`` if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def mapping(value: Json) -> JsonObject:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> list[JsonObject]:
    """The objects among the items of a list; none for what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def moment(value: Json, before: int) -> int:
    """A timestamp of a log as Unix milliseconds; ``before`` for what is no date."""
    ms = parse_date(value) if isinstance(value, str) else float("nan")
    return int(ms) if isfinite(ms) and 0 <= ms < _LAST_MS else before


def plain(content: Json) -> str:
    """The text of a message's content, be it one or blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(text(part.get("text")) for part in objects(content) if "text" in part)


def joined(texts: Iterable[str]) -> str:
    """Those that say something, as paragraphs."""
    return "\n\n".join(each for each in texts if each.strip())
