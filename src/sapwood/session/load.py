"""A session file → header and entries, by scanning envelopes.

Each line is decoded as far as its type, id, parent and timestamp; bodies stay on disk until they
are used. A line that the fast scan refuses is decoded in full under JavaScript's rules. What is no
entry (unreadable lines, scalars, objects without a string id) is counted in a diagnostic and stays
in the file. Nothing is written here: an old version is migrated in memory only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

import msgspec

from sapwood.errors import NotASessionError
from sapwood.session.codec import decode_line, encode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.garbage import collection_paused
from sapwood.session.javascript import trim, truthy
from sapwood.session.migrate import chain, header_version, rename_hook_role, upgrade_header
from sapwood.session.schema import SESSION_VERSION, Json, JsonObject, SessionHeader
from sapwood.session.source import FileSource, Line, read_lines

BOM = b"\xef\xbb\xbf"


class _Envelope(msgspec.Struct, gc=False):
    id: str
    type: str = ""
    parentId: str | None = None  # noqa: N815
    timestamp: str = ""


_decode_envelope = msgspec.json.Decoder(_Envelope).decode


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


@dataclass(slots=True)
class Loaded:
    """What a file holds. ``end`` is its size in bytes as read, in ``lines`` lines, the last of
    which starts at ``last_start``.
    """

    source: FileSource
    header: SessionHeader
    header_line: int
    entries: list[Entry]
    end: int
    lines: int
    last_start: int
    torn: bool
    """Whether the last line has no line end."""
    outdated: bool
    """Whether the file is of an older version than the entries in memory."""
    newer: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)


def load(source: FileSource, new_id: Callable[[], str]) -> Loaded | None:
    """Read a whole file; None when it is empty.

    ``new_id`` gives ids to entries of version 1. Raises ``NotASessionError`` when the first value
    of the file is not a session header.
    """
    lines = read_lines(source)
    oddities = Oddities()
    found = _find_header(source, lines, oddities)
    if found is None:
        return None
    header, line = found
    version = header_version(header)
    tail = _Tail(line)
    with collection_paused():
        if version < 2:
            entries = _read_list(header, tail.watch(lines), new_id, oddities)
        else:
            entries = list(read_entries(source, tail.watch(lines), oddities))
    if 2 <= version < SESSION_VERSION:
        entries = [_upgrade_entry(entry) for entry in entries]
    loaded = Loaded(
        source=source,
        header=upgrade_header(header) if version < SESSION_VERSION else header,
        header_line=line.number,
        entries=entries,
        end=tail.end,
        lines=tail.last.number,
        last_start=tail.last.offset,
        torn=not tail.last.ended,
        outdated=version < SESSION_VERSION,
        newer=version > SESSION_VERSION,
    )
    loaded.diagnostics = [*oddities.diagnostics(), *_state(loaded, version)]
    return loaded


class _Tail:
    """Remembers the last line of a stream that passes by."""

    def __init__(self, last: Line) -> None:
        self.last = last

    def watch(self, lines: Iterator[Line]) -> Iterator[Line]:
        for self.last in lines:
            yield self.last

    @property
    def end(self) -> int:
        return self.last.offset + len(self.last.text) + self.last.ended


def _find_header(
    source: FileSource, lines: Iterator[Line], oddities: Oddities
) -> tuple[SessionHeader, Line] | None:
    line = None
    for line in lines:
        text = bytes(line.text)
        if line.offset == 0 and text.startswith(BOM):
            text = text[len(BOM) :]
            oddities.add("byte-order-mark", "the file starts with a byte order mark", line.number)
        value = _decode(text, line, oddities)
        if not truthy(value):
            continue
        if is_header(value):
            return cast(SessionHeader, value), line
        break
    if line is None:
        return None
    raise NotASessionError(f"{source.path}: this is not a session file (no session header).")


def is_header(value: Json) -> bool:
    """Whether a parsed value can be the header of a session."""
    return (
        isinstance(value, dict)
        and value.get("type") == "session"
        and isinstance(value.get("id"), str)
    )


def read_entries(source: FileSource, lines: Iterator[Line], oddities: Oddities) -> Iterator[Entry]:
    """The entries among ``lines``; further headers are passed over."""
    for offset, number, text, ended in lines:
        try:
            found = _decode_envelope(text)
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
    value = _decode(bytes(line.text), line, oddities)
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


def _decode(text: bytes, line: Line, oddities: Oddities) -> Json:
    try:
        return decode_line(text)
    except ValueError:
        if trim(text.decode("utf-8", "replace")):
            oddities.add("unreadable-line", "the line is not JSON; left aside", line.number)
        return None


def _read_list(
    header: SessionHeader,
    lines: Iterator[Line],
    new_id: Callable[[], str],
    oddities: Oddities,
) -> list[Entry]:
    values: list[Json] = [header]
    numbers = [0]
    for line in lines:
        value = _decode(bytes(line.text), line, oddities)
        if truthy(value):
            values.append(value)
            numbers.append(line.number)
            if not isinstance(value, dict):
                oddities.add("not-an-entry", "the line holds no object; left aside", line.number)
    chained = chain(values, new_id)
    return [_rewritten(data, numbers[index]) for index, data in chained.items()]


def _upgrade_entry(entry: Entry) -> Entry:
    """Version 2 → 3; an entry that does not change keeps its bytes."""
    if entry.type != "message" or b"hookMessage" not in entry.raw:
        return entry
    return _rewritten(entry.data, entry.line)


def _rewritten(data: JsonObject, line: int) -> Entry:
    data = rename_hook_role(data)
    return Entry.of(data, line, raw=encode_line(data))


def _state(loaded: Loaded, version: float) -> list[Diagnostic]:
    """Diagnostics of the file as a whole."""
    found = []
    if loaded.torn:
        message = "the last line has no line end; the next append starts a new line"
        found.append(Diagnostic("torn-tail", message, line=loaded.lines))
    if loaded.outdated:
        message = (
            f"format version {version:g}, read as {SESSION_VERSION}; rewritten at the next append"
        )
        found.append(Diagnostic("old-version", message, line=loaded.header_line))
    if loaded.newer:
        message = f"format version {version:g} is newer than {SESSION_VERSION}; opened read-only"
        found.append(Diagnostic("newer-version", message, line=loaded.header_line))
    return found
