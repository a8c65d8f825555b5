"""Entries: one line of a session file each, its body decoded on first use.

An entry knows its envelope (id, parent, type, timestamp) and where its line stands. The line itself
is read from the file when it is asked for, so a session of any size opens with its envelopes alone.
The object that was appended in this process stays as it was given: treat ``data`` as read-only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Protocol, cast

import orjson

from sapwood.session.codec import decode_line, encode_line
from sapwood.session.garbage import collection_paused
from sapwood.session.schema import JsonObject

_SPAN = 1024 * 1024


class LineSource(Protocol):
    """Bytes of a session file that stay readable as long as an entry refers to them."""

    def read(self, offset: int, size: int) -> bytes:
        """Exactly ``size`` bytes; raises ``SessionError`` when they are gone."""
        ...


class Entry:
    """One entry of a session.

    ``id`` and ``type`` as on disk, ``parent_id`` None for a root, ``timestamp`` ISO 8601 ("" where
    the file holds no string there), ``line`` the 1-based line of the file (0 when in memory only).
    """

    __slots__ = (
        "_data",
        "_offset",
        "_raw",
        "_size",
        "_source",
        "id",
        "line",
        "parent_id",
        "timestamp",
        "type",
    )

    def __init__(
        self,
        id: str,  # noqa: A002
        parent_id: str | None,
        type: str,  # noqa: A002
        timestamp: str,
        line: int = 0,
        data: JsonObject | None = None,
        raw: bytes | None = None,
        source: LineSource | None = None,
        offset: int = 0,
        size: int = 0,
    ) -> None:
        """Positional, because a large session makes very many of them."""
        self.id = id
        self.parent_id = parent_id
        self.type = type
        self.timestamp = timestamp
        self.line = line
        self._data = data
        self._raw = raw
        self._source = source
        self._offset = offset
        self._size = size

    @classmethod
    def of(cls, data: JsonObject, line: int = 0, raw: bytes | None = None) -> Entry:
        """An entry from its JSON object, which must have a string ``id``."""
        parent, kind, timestamp = data.get("parentId"), data.get("type"), data.get("timestamp")
        return cls(
            data["id"],
            parent if isinstance(parent, str) and parent else None,
            kind if isinstance(kind, str) else "",
            timestamp if isinstance(timestamp, str) else "",
            line,
            data,
            raw,
        )

    def place(self, source: LineSource, offset: int, size: int, line: int) -> None:
        """Remember where the line stands; its bytes are read from there from now on."""
        self._source, self._offset, self._size, self.line = source, offset, size, line
        self._raw = None

    @property
    def is_stored(self) -> bool:
        """Whether the line stands in a file as it is."""
        return self._source is not None

    @property
    def raw(self) -> bytes:
        """The line as it is or will be on disk, without the line end."""
        if self._raw is not None:
            return self._raw
        if self._source is not None:
            return self._source.read(self._offset, self._size)
        return encode_line(self._data)

    @property
    def data(self) -> JsonObject:
        """The whole JSON object of the line."""
        if self._data is None:
            self._data = cast(JsonObject, decode_line(self.raw))
        return self._data

    @property
    def message(self) -> dict[str, Any] | None:
        """The message of a ``message`` entry, if it is an object."""
        if self.type != "message":
            return None
        message = self.data.get("message")
        return message if isinstance(message, dict) else None

    def __repr__(self) -> str:
        return f"<Entry {self.id} {self.type} line {self.line}>"


def decode_all(entries: Iterable[Entry]) -> None:
    """Decode the bodies of ``entries``, neighbouring lines in one go."""
    with collection_paused():
        for group in _neighbours(entry for entry in entries if entry._data is None):
            _decode_neighbours(group)


def lines_together(entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes, int, int]]:
    """The lines of entries that stand in a file, neighbours read in one go, in the file's order.

    Each as (entry, bytes that hold its line, start, end). Nothing is decoded or kept.
    """
    for group in _neighbours(entries):
        source, offset = group[0]._source, group[0]._offset
        if source is not None:
            span = source.read(offset, group[-1]._offset + group[-1]._size - offset)
            for entry in group:
                start = entry._offset - offset
                yield entry, span, start, start + entry._size


def raw_lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The line of each entry, in the order given; neighbours are read in one go."""
    run: list[Entry] = []
    for entry in entries:
        stored = entry._raw is None and entry._source is not None
        if run and (not stored or _is_apart(run[0], run[-1], entry)):
            yield from _lines_of_run(run)
            run.clear()
        if stored:
            run.append(entry)
        else:
            yield entry.raw
    yield from _lines_of_run(run)


def _lines_of_run(run: list[Entry]) -> Iterator[bytes]:
    return (span[start:end] for _, span, start, end in lines_together(run))


def _neighbours(entries: Iterable[Entry]) -> Iterator[Sequence[Entry]]:
    """Entries that are only in the file, in groups whose lines follow each other there."""
    pending = sorted((entry for entry in entries if entry._raw is None), key=_by_offset)
    start = 0
    for stop in range(1, len(pending) + 1):
        if stop == len(pending) or _is_apart(pending[start], pending[stop - 1], pending[stop]):
            yield pending[start:stop]
            start = stop


_by_offset = attrgetter("_offset")


def _is_apart(first: Entry, last: Entry, following: Entry) -> bool:
    """Whether ``following`` is not to be read together with ``first`` to ``last``."""
    end = last._offset + last._size
    return (
        following._offset != end + 1
        or following._source is not last._source
        or end - first._offset > _SPAN
    )


def _decode_neighbours(entries: Sequence[Entry]) -> None:
    """Entries whose lines follow each other: as one array if orjson takes them all."""
    source, offset = entries[0]._source, entries[0]._offset
    if source is None:
        return
    span = source.read(offset, entries[-1]._offset + entries[-1]._size - offset)
    try:  # no JSON holds a line end in a string, so each one stands between two values
        values = orjson.loads(b"[" + span.replace(b"\n", b",") + b"]")
    except ValueError:
        window = memoryview(span)
        values = [decode_line(window[entry._offset - offset :][: entry._size]) for entry in entries]
    for entry, value in zip(entries, values, strict=True):
        entry._data = value
