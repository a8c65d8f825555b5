"""Searching what the transcript shows, folded or not: in texts of entries and on drawn lines.

Case, line ends, runs of blanks and the marks of Markdown (``*`` and backticks) make no difference:
so a text and the lines it is drawn as say the same. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from textual.strip import Strip

from sapwood.errors import SessionError
from sapwood.modes.tui.transcript.content import blocks, field, text_of
from sapwood.modes.tui.transcript.lines import MAX_CHARACTERS
from sapwood.modes.tui.transcript.tools import diff_lines, headline
from sapwood.session.entry import Entry

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject

_DROPPED = str.maketrans("", "", "*`")
_EDGE = re.compile("[ ▌│┊∴●◌✗○◇─•]*")
_WORD = re.compile(rb"[a-z0-9_]{2,}")


def folded(text: str) -> str:
    """The text as it is compared."""
    return " ".join(text.translate(_DROPPED).lower().split())


def shown_text(entry: Entry) -> str:
    """What an entry shows when it is unfolded; "" for what shows nothing."""
    if entry.type == "message":
        return _message_text(entry.message or {})[:MAX_CHARACTERS]
    data = entry.data
    if entry.type in ("compaction", "branch_summary"):
        return field(data, "summary")[:MAX_CHARACTERS]
    if entry.type == "custom_message" and data.get("display") is True:
        return text_of(data.get("content"))[:MAX_CHARACTERS]
    return ""


def _message_text(message: JsonObject) -> str:
    text = text_of(message.get("content"))
    match message.get("role"):
        case "user":
            return text
        case "assistant":
            parts = [_block_text(block) for block in blocks(message.get("content"))]
            return "\n".join([*parts, field(message, "errorMessage")])
        case "toolResult":
            # Of a change that was made the call shows what it was.
            silent = field(message, "toolName") in {"edit", "write"} and not message.get("isError")
            return "" if silent else text
        case "bashExecution":
            return f"{field(message, 'command')}\n{field(message, 'output')}"
        case "custom":
            return text if message.get("display") is True else ""
        case _:
            return ""


def _block_text(block: JsonObject) -> str:
    kind = block.get("type")
    if kind != "toolCall":
        return field(block, "text" if kind == "text" else "thinking")
    name, arguments = field(block, "name"), block.get("arguments")
    changes = {"edit": "\n".join(diff_lines(None, arguments)), "write": field(arguments, "content")}
    return f"{headline(name, arguments)}\n{changes.get(name, '')}"


class Hit(NamedTuple):
    """The ``nth`` place (from 0) where the entry at ``position`` of the path says it."""

    position: int
    nth: int


class Finder:
    """Finds a text in the entries of a path, the newest first, a slice of time at a time."""

    def __init__(self, entries: Sequence[Entry], query: str) -> None:
        self.entries = entries
        self.query = folded(query)
        self.total = 0
        """Places found so far."""
        self._next = len(entries) - 1 if self.query else -1
        words = _WORD.findall(self.query.encode("utf-8", "replace"))
        self._word = max(words, key=len, default=b"")
        self._positions: list[int] = []
        self._starts: list[int] = []

    @property
    def done(self) -> bool:
        return self._next < 0

    def read_on(self, seconds: float) -> None:
        """Look through more entries, for about so long."""
        until = perf_counter() + seconds
        while self._next >= 0:
            self._look_at(self._next)
            self._next -= 1
            if self._next % 8 == 0 and perf_counter() > until:
                return

    def _look_at(self, position: int) -> None:
        entry = self.entries[position]
        # Most entries are passed over without being decoded, and none is kept decoded.
        if self._word and self._word not in entry.raw.lower():
            return
        try:
            text = shown_text(Entry.of(entry.read()))
        except SessionError:  # another program changed the line
            return
        if count := folded(text).count(self.query):
            self._positions.append(position)
            self._starts.append(self.total)
            self.total += count

    def hit(self, number: int) -> Hit:
        """The hit with this number, 0 being the newest."""
        at = bisect_right(self._starts, number) - 1
        end = self._starts[at + 1] if at + 1 < len(self._starts) else self.total
        return Hit(self._positions[at], end - 1 - number)

    def number_at(self, position: int) -> int:
        """The newest hit at or above a position of the path; ``total`` when none is known yet."""
        for at, found in enumerate(self._positions):
            if found <= position:
                return self._starts[at]
        return self.total

    def place(self, hit: Hit, position: int) -> int:
        """Which place of the block that begins at ``position`` a hit is, in drawing order."""
        before = seen = 0
        for at, text in _pieces(self.entries, position):
            count = folded(text).count(self.query)
            if at == hit.position:
                if hit.nth < seen + count:
                    return before + hit.nth - seen
                seen += count
            before += count
        return before


def _pieces(entries: Sequence[Entry], position: int) -> Iterator[tuple[int, str]]:
    """The texts of a block as they follow one another, each with the position of its entry."""
    message = entries[position].message or {}
    if message.get("role") != "assistant":
        yield position, shown_text(entries[position])
        return
    results: dict[str, int] = {}
    for at in range(position + 1, min(position + 200, len(entries))):
        following = entries[at].message
        if following is not None and following.get("role") != "toolResult":
            break
        results.setdefault(field(following, "toolCallId"), at)
    for block in blocks(message.get("content")):
        yield position, _block_text(block)
        if block.get("type") == "toolCall" and (at := results.get(field(block, "id"), 0)):
            yield at, shown_text(entries[at])
    yield position, field(message, "errorMessage")


class Span(NamedTuple):
    """Characters ``start`` to ``end`` of a drawn line."""

    line: int
    start: int
    end: int


def spans(lines: Sequence[Strip], query: str) -> list[list[Span]]:
    """Where drawn lines say a folded query: for each place its spans, one on each line of it."""
    letters: list[str] = []
    origins: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        for at, letter in _letters(line.text):
            if letter != " " or (letters and letters[-1] != " "):
                letters.append(letter)
                origins.append((number, at))
    found = _places("".join(letters), origins, query)
    if found or not query:
        return found
    # A line may have been broken where there is no blank.
    solid = [at for at, letter in enumerate(letters) if letter != " "]
    text = "".join(letters[at] for at in solid)
    return _places(text, [origins[at] for at in solid], query.replace(" ", ""))


def _places(text: str, origins: Sequence[tuple[int, int]], query: str) -> list[list[Span]]:
    found: list[list[Span]] = []
    start = text.find(query) if query else -1
    while start >= 0:
        end = start + len(query)
        found.append(_by_line(origins[start:end]))
        start = text.find(query, end)
    return found


def _letters(text: str) -> Iterator[tuple[int, str]]:
    """The letters of a drawn line as they are compared, with their places; a blank at the end."""
    edge = _EDGE.match(text)
    for at in range(edge.end() if edge else 0, len(text)):
        for letter in text[at].lower():
            if letter not in "*`":
                yield at, " " if letter.isspace() else letter
    yield len(text), " "


def _by_line(origins: Sequence[tuple[int, int]]) -> list[Span]:
    places: dict[int, list[int]] = {}
    for line, at in origins:
        places.setdefault(line, []).append(at)
    return [Span(line, found[0], found[-1] + 1) for line, found in places.items()]
