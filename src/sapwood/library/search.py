"""Full text over sessions: entries on any branch that hold all the words, with what is around them.

Files are read line by line, and a line is decoded only if its bytes hold the words, so that a
search costs little more than reading. Case does not matter; a word may be part of a longer one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sapwood.errors import SapwoodError
from sapwood.session.codec import decode_line, json_text
from sapwood.session.info import SessionInfo
from sapwood.session.schema import Json
from sapwood.session.source import FileSource, read_lines
from sapwood.text import one_line

AROUND = 60
"""Characters of a snippet on either side of the first word."""

_FIELDS = ("content", "command", "output", "summary", "name", "label", "errorMessage")


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that holds all the words. ``speaker`` is its role or type."""

    session: SessionInfo
    entry_id: str
    speaker: str
    snippet: str


def search(sessions: Iterable[SessionInfo], words: Sequence[str]) -> Iterator[Hit]:
    """The hits in these sessions, in their order and that of each file.

    A file that cannot be read is passed over.
    """
    lowered = [word.lower() for word in words if word.strip()]
    if not lowered:
        return
    sieve = [word.encode() for word in lowered if word.isascii() and word.isalnum()]
    for session in sessions:
        try:
            lines = read_lines(FileSource(session.path))
            for line in lines:
                yield from _hit(session, line.text, lowered, sieve)
        except SapwoodError:
            continue


def _hit(session: SessionInfo, line: bytes, words: list[str], sieve: list[bytes]) -> Iterator[Hit]:
    if sieve:
        small = line.lower()
        if not all(word in small for word in sieve):
            return
    try:
        data = decode_line(line)
    except ValueError:
        return
    if not isinstance(data, dict) or data.get("type") == "session":
        return
    message = data.get("message")
    source = message if isinstance(message, dict) else data
    text = "\n".join(_texts(source))
    lowered = text.lower()
    if all(word in lowered for word in words):
        speaker = source.get("role") or data.get("type")
        yield Hit(session, str(data.get("id", "")), str(speaker), _snippet(text, words[0]))


def _texts(source: dict[str, Any]) -> Iterator[str]:
    for name in _FIELDS:
        value = source.get(name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from filter(None, map(_block_text, value))


def _block_text(block: Json) -> str:
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "toolCall":
        return f"{block.get('name')} {json_text(block.get('arguments'))}"
    text = block.get("text") or block.get("thinking")
    return text if isinstance(text, str) else ""


def _snippet(text: str, word: str) -> str:
    found = re.search(re.escape(word), text, re.IGNORECASE)
    start = max(0, found.start() - AROUND) if found else 0
    end = (found.end() if found else 0) + AROUND
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{' '.join(one_line(text[start:end]).split())}{after}"
