"""Lines → entries, by envelope.

Each line is decoded as far as its type, id, parent and timestamp; bodies stay on disk until they
are used. A whole block of lines goes through the decoder at once. Where it refuses one, or lines
and values do not go one to one, the lines of the block are looked at one by one, and what the fast
decoder refuses is decoded in full under JavaScript's rules. What is no entry (unreadable lines,
scalars, objects without a string id) is counted in a diagnostic and stays in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from sapwood.session.codec import decode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.javascript import trim, truthy
from sapwood.session.schema import Json
from sapwood.session.source import Block, FileSource, Line, lines_of, read_blocks

_OPEN, _CLOSE = b"{}"


class _Envelope(msgspec.Struct, gc=False):
    id: str
    type: str = ""
    parentId: str | None = None  # noqa: N815
    timestamp: str = ""


_decoder = msgspec.json.Decoder(_Envelope)


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

    def watch(self, lines: Iterator[Line]) -> Iterator[Line]:
        for line in lines:
            self.pass_by(line)
            yield line


def scan(source: FileSource, tail: Tail, oddities: Oddities) -> Iterator[Entry]:
    """The entries after ``tail``, which moves to the end of the file."""
    for block in read_blocks(source, tail.end):
        entries = _read_block(source, block, tail)
        if entries is None:
            lines = tail.watch(lines_of(block, tail.number + 1))
            yield from read_entries(source, lines, oddities)
        else:
            yield from entries


def _read_block(source: FileSource, block: Block, tail: Tail) -> list[Entry] | None:
    """The entries of a block whose lines are one object each; None if they are not.

    That each line starts and ends as an object does proves it, when there are as many lines as
    values: inside a value no ``}`` is followed by ``{`` with nothing but a line end between.
    """
    offset, buffer, size = block
    try:
        found = _decoder.decode_lines(memoryview(buffer)[:size])
    except (msgspec.MsgspecError, RecursionError):
        return None
    entries: list[Entry] = []
    start = last = 0
    number = tail.number
    for each in found:
        stop = buffer.find(b"\n", start, size)
        if stop <= start or buffer[start] != _OPEN or buffer[stop - 1] != _CLOSE:
            return None
        number += 1
        if each.type != "session":
            parent, place, length = each.parentId or None, offset + start, stop - start
            entries.append(
                Entry(
                    each.id, parent, each.type, each.timestamp,
                    number, None, None, source, place, length,
                )
            )  # fmt: skip
        last, start = start, stop + 1
    if start != size:
        return None
    tail.start, tail.number, tail.ended, tail.end = offset + last, number, True, offset + size
    return entries


def read_entries(source: FileSource, lines: Iterator[Line], oddities: Oddities) -> Iterator[Entry]:
    """The entries among ``lines``; further headers are passed over."""
    for offset, number, text, ended in lines:
        try:
            found = _decoder.decode(text)
        except (msgspec.MsgspecError, RecursionError):
            entry = _read_odd(Line(offset, number, text, ended), oddities)
            if entry is not None:
                entry.place(source, offset, len(text), number)
                yield entry
            continue
        if found.type != "session":
            parent = found.parentId or None
            size = len(text)
            yield Entry(
                found.id,
                parent,
                found.type,
                found.timestamp,
                number,
                None,
                None,
                source,
                offset,
                size,
            )


def _read_odd(line: Line, oddities: Oddities) -> Entry | None:
    value = decode(bytes(line.text), line, oddities)
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
