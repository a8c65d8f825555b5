"""Entries: one line of a session file each, its body decoded on first use.

An entry knows its envelope (id, parent, type, timestamp) and where its line stands. The line itself
is read from the file when it is asked for, so a session of any size opens with its envelopes alone.
The object that was appended in this process stays as it was given: treat ``data`` as read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from sapwood.errors import SessionError
from sapwood.session.codec import decode_line, encode_line
from sapwood.session.schema import Json, JsonObject
from sapwood.session.source import LineSource, Page

if TYPE_CHECKING:
    _Page: TypeAlias = Page | None
    _Data: TypeAlias = JsonObject | None
    _Raw: TypeAlias = bytes | None
else:  # the decoder of envelopes takes nothing for these from a line that names them
    _Page = _Data = _Raw = None


class Entry(msgspec.Struct, eq=False, gc=False, rename={"parent_id": "parentId"}):
    """One entry of a session.

    ``id`` and ``type`` as on disk, ``parent_id`` None for a root, ``timestamp`` ISO 8601 ("" where
    the file holds no string there). A struct that is decoded from its line, because a large session
    makes very many of them.
    """

    id: str
    parent_id: str | None = None
    type: str = ""
    timestamp: str = ""
    _place: int = 0  # the index in the page; without one the line
    _page: _Page = None
    _data: _Data = None
    _raw: _Raw = None

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
            None,
            data,
            raw,
        )

    def place(self, source: LineSource, offset: int, size: int, line: int) -> None:
        """Remember where the line stands; its bytes are read from there from now on."""
        self._page, self._place = Page(source, line, (offset, offset + size + 1)), 0
        self._raw = None

    @property
    def line(self) -> int:
        """The 1-based line of the file; 0 when in memory only."""
        return self._place if self._page is None else self._page.number + self._place

    @property
    def is_stored(self) -> bool:
        """Whether the line stands in a file as it is."""
        return self._page is not None

    @property
    def raw(self) -> bytes:
        """The line as it is or will be on disk, without the line end."""
        if self._raw is not None:
            return self._raw
        if self._page is not None:
            return self._page.line(self._place)
        return encode_line(self._data)

    @property
    def data(self) -> JsonObject:
        """The whole JSON object of the line."""
        if self._data is None:
            self._data = self.read()
        return self._data

    def read(self) -> JsonObject:
        """As ``data``, decoded afresh and not kept: for a look at very many entries."""
        return decode_entry(self, self.raw)

    @property
    def message(self) -> dict[str, Any] | None:
        """The message of a ``message`` entry, if it is an object."""
        if self.type != "message":
            return None
        message = self.data.get("message")
        return message if isinstance(message, dict) else None

    def __repr__(self) -> str:
        return f"<Entry {self.id} {self.type} line {self.line}>"


def decode_entry(entry: Entry, line: bytes) -> JsonObject:
    """The object of an entry's line. Raises ``SessionError`` if the line is another one by now."""
    try:
        value = decode_line(line)
    except ValueError:
        value = None
    if is_object_of(entry, value):
        return cast(JsonObject, value)
    raise SessionError("The session file was changed by another program while it was open.")


def is_object_of(entry: Entry, value: Json) -> bool:
    return isinstance(value, dict) and value.get("id") == entry.id
