"""Lines → entries, by envelope.

Each line is decoded as far as its type, id, parent and timestamp; bodies stay on disk until they
are used. What the fast decoder refuses is decoded in full under JavaScript's rules. What is no
entry (unreadable lines, scalars, objects without a string id) is counted in a diagnostic and stays
in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from sapwood.session.codec import decode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.javascript import trim, truthy
from sapwood.session.schema import Json
from sapwood.session.source import FileSource, Line, Page, page_line, page_lines, read_pages

_decode_envelope = msgspec.json.Decoder(Entry).decode


class Oddities:
    """Counts lines that are no entries; becomes one diagnostic per kind."""

    def __init__(self) -> None:
        self._found: dict[str, Diagnostic] = {}

    def add(self, kind: str, message: str, line: int) -> None:
        known = self._found.get(kind)
        count = known.count + 1 if known else 1
        first = known.line if known else line
        self._found[kind] = Diagnostic(kind, message, line=first, count=count)

    def diagnostics(self) -> list[Diagnostic]:
        return list(self._found.values())


class Tail:
    """The last line that was read: where it starts, its number, whether it has a line end."""

    def __init__(self, line: Line) -> None:
        self.pass_by(line)

    def pass_by(self, line: Line) -> None:
        self.start, self.number, self.ended = line.offset, line.number, line.ended
        self.end = line.offset + len(line.text) + line.ended

    def watch(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            self.pass_by(line)
            yield line


def scan(source: FileSource, tail: Tail, oddities: Oddities) -> list[Entry]:
    """The entries after ``tail``, which moves to the end of the file."""
    entries: list[Entry] = []
    for page, lines in read_pages(source, tail.end, tail.number + 1):
        try:
            found = list(map(_decode_envelope, lines))
        except (msgspec.MsgspecError, RecursionError):
            entries += read_entries(source, tail.watch(page_lines(page, lines)), oddities)
        else:
            entries += _placed(page, found)
            tail.pass_by(page_line(page, lines, len(lines) - 1))
    return entries


def _placed(page: Page, entries: list[Entry]) -> list[Entry]:
    """The entries of a page, told where they stand; further headers are passed over."""
    for place, entry in enumerate(entries):
        entry._page, entry._place = page, place
        if not entry.parent_id:
            entry.parent_id = None
    return [entry for entry in entries if entry.type != "session"]


def read_entries(source: FileSource, lines: Iterable[Line], oddities: Oddities) -> Iterator[Entry]:
    """The entries among ``lines``; further headers are passed over."""
    entry: Entry | None
    for line in lines:
        try:
            entry = _decode_envelope(line.text)
        except (msgspec.MsgspecError, RecursionError):
            entry = _read_odd(line, oddities)
        if entry is not None and entry.type != "session":
            entry.parent_id = entry.parent_id or None
            entry.place(source, line.offset, len(line.text), line.number)
            yield entry


def _read_odd(line: Line, oddities: Oddities) -> Entry | None:
    value = decode(line.text, line, oddities)
    if not isinstance(value, dict):
        if truthy(value):
            oddities.add("not-an-entry", "the line holds no object; left aside", line.number)
        return None
    if value.get("type") == "session":
        return None
    if not isinstance(value.get("id"), str):
        oddities.add("no-id", "the entry has no text as its id; left aside", line.number)
        return None
    return Entry.of(value)


def decode(text: bytes, line: Line, oddities: Oddities) -> Json:
    try:
        return decode_line(text)
    except ValueError:
        if trim(text.decode("utf-8", "replace")):
            oddities.add("unreadable-line", "the line is not JSON; left aside", line.number)
        return None
