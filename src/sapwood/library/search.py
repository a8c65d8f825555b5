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
from sapwood.session.codec import decode_line, json_text
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
    """What an entry says."""

    entry_id: str
    speaker: str
    text: str
    lowered: str


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
            if all(word in said.lowered for word in words):
                snippet = _snippet(said, words[0])
                yield Hit(session, said.entry_id, said.speaker, snippet)


def first_mention(path: Path, word: str) -> str | None:
    """What is around the first place where a session holds ``word``; None if it does not."""
    for lowered in _lowered([word]):
        for said in _said(path, Sieve([lowered])):
            if lowered in said.lowered:
                return _snippet(said, lowered)
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
    text = "\n".join(_texts(source))
    speaker = source.get("role") or data.get("type")
    return _Said(str(data.get("id", "")), str(speaker), text, lower(text))


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


def _snippet(said: _Said, word: str) -> str:
    at = said.lowered.find(word)
    start, end = max(0, at - AROUND), at + len(word) + AROUND
    before, after = "…" if start else "", "…" if end < len(said.text) else ""
    return f"{before}{' '.join(one_line(said.text[start:end]).split())}{after}"
