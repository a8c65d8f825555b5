"""Full text over sessions: entries on any branch that hold all the words, with what is around them.

Case does not matter; a word may be part of a longer one. Ids, names of fields and the like are no
text. Only lines that get through the sieve are decoded, so that a search costs little more than
reading the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sapwood.errors import SapwoodError
from sapwood.library.sieve import Sieve, lower
from sapwood.session.codec import decode_line
from sapwood.session.info import SessionInfo
from sapwood.session.schema import Json
from sapwood.session.source import FileSource
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


@dataclass(frozen=True, slots=True)
class _Said:
    """What an entry says, text by text, also in lower case."""

    entry_id: str
    speaker: str
    texts: Sequence[str]
    lowered: Sequence[str]

    def snippet(self, word: str) -> str | None:
        """What is around the first place of ``word``; None without one."""
        for text, lowered in zip(self.texts, self.lowered, strict=True):
            if (at := lowered.find(word)) >= 0:
                return _around(text, at, at + len(word))
        return None


def search(sessions: Iterable[SessionInfo], words: Sequence[str]) -> Iterator[Hit]:
    """The hits in these sessions, in their order and that of each file.

    A file that cannot be read is passed over.
    """
    words = _lowered(words)
    if not words:
        return
    sieve = Sieve(words)
    for session in sessions:
        for said in _said(session.path, sieve):
            snippets = [said.snippet(word) for word in words]
            if None not in snippets:
                yield Hit(session, said.entry_id, said.speaker, snippets[0] or "")


def first_mention(path: Path, word: str) -> str | None:
    """What is around the first place where a session holds ``word``; None if it does not."""
    for lowered in _lowered([word]):
        for said in _said(path, Sieve([lowered])):
            if (snippet := said.snippet(lowered)) is not None:
                return snippet
    return None


def _lowered(words: Iterable[str]) -> list[str]:
    return [lower(word) for word in words if word.strip()]


def _said(path: Path, sieve: Sieve) -> Iterator[_Said]:
    """What the entries say that may hold the words; nothing more from where reading fails."""
    try:
        for line in sieve.lines(FileSource(path)):
            if (said := _read(line)) is not None:
                yield said
    except SapwoodError:
        return


def _read(line: bytes) -> _Said | None:
    try:
        data = decode_line(line)
    except ValueError:
        return None
    if not isinstance(data, dict) or data.get("type") == "session":
        return None
    message = data.get("message")
    source = message if isinstance(message, dict) else data
    texts = list(_texts(source))
    speaker = source.get("role") or data.get("type")
    return _Said(str(data.get("id", "")), str(speaker), texts, list(map(lower, texts)))


def _texts(source: dict[str, Any]) -> Iterator[str]:
    for name in _FIELDS:
        value = source.get(name)
        if isinstance(value, str):
            yield value
        for block in value if isinstance(value, list) else ():
            if isinstance(block, dict):
                yield from _block_texts(block)


def _block_texts(block: dict[str, Any]) -> Iterator[str]:
    """Text, thinking, or the name of a call and the strings it is called with."""
    if block.get("type") == "toolCall":
        yield from _strings([block.get("name"), block.get("arguments")])
    else:
        yield from _strings([block.get("text"), block.get("thinking")])


def _strings(value: Json) -> Iterator[str]:
    """All strings in a JSON value but the names of its fields."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            waiting += reversed(value.values())


def _around(text: str, start: int, end: int) -> str:
    start, end = max(0, start - AROUND), end + AROUND
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{' '.join(one_line(text[start:end]).split())}{after}"
