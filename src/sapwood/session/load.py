"""A session file → header and entries, by scanning envelopes.

The first value of the file must be a session header; what follows is scanned. Nothing is written
here: an old version is migrated in memory only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from sapwood.errors import NotASessionError
from sapwood.session.codec import encode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.garbage import collection_paused
from sapwood.session.javascript import truthy
from sapwood.session.migrate import chain, header_version, rename_hook_role, upgrade_header
from sapwood.session.scan import Oddities, Tail, decode, scan
from sapwood.session.schema import SESSION_VERSION, Json, JsonObject, SessionHeader
from sapwood.session.source import FileSource, Line, read_lines

BOM = b"\xef\xbb\xbf"


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


def load(source: FileSource) -> Loaded | None:
    """Read a whole file; None when it is empty.

    Raises ``NotASessionError`` when the first value of the file is not a session header.
    """
    lines = read_lines(source)
    oddities = Oddities()
    found = _find_header(source, lines, oddities)
    if found is None:
        return None
    header, line = found
    version = header_version(header)
    tail = Tail(line)
    with collection_paused():
        if version < 2:
            entries = _read_list(header, tail.watch(lines), oddities)
        else:
            entries = scan(source, tail, oddities)
    if 2 <= version < SESSION_VERSION:
        entries = [_upgrade_entry(entry) for entry in entries]
    loaded = Loaded(
        source=source,
        header=upgrade_header(header) if version < SESSION_VERSION else header,
        header_line=line.number,
        entries=entries,
        end=tail.end,
        lines=tail.number,
        last_start=tail.start,
        torn=not tail.ended,
        outdated=version < SESSION_VERSION,
        newer=version > SESSION_VERSION,
    )
    loaded.diagnostics = [*oddities.diagnostics(), *_state(loaded, version)]
    return loaded


def _find_header(
    source: FileSource, lines: Iterator[Line], oddities: Oddities
) -> tuple[SessionHeader, Line] | None:
    line = None
    for line in lines:
        text = line.text
        if line.offset == 0 and text.startswith(BOM):
            text = text[len(BOM) :]
            oddities.add("byte-order-mark", "the file starts with a byte order mark", line.number)
        value = decode(text, line, oddities)
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


def _read_list(
    header: SessionHeader,
    lines: Iterator[Line],
    oddities: Oddities,
) -> list[Entry]:
    values: list[Json] = [header]
    numbers = [0]
    for line in lines:
        value = decode(line.text, line, oddities)
        if truthy(value):
            values.append(value)
            numbers.append(line.number)
            if not isinstance(value, dict):
                oddities.add("not-an-entry", "the line holds no object; left aside", line.number)
    chained = chain(values)
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
