"""Rows of a session list: what a file says about itself, read in one pass.

A line is decoded as far as a row needs it: its type, the role, the time, and the bytes of the
content, which are looked into only for the first user message. What is no session has no row and is
counted. The golden listing of the reference is the contract for every field and for the order; a
session with a damaged line in it is listed all the same (the reference hides it).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

import msgspec

from sapwood.errors import SapwoodError
from sapwood.session.codec import decode_line, encode_line
from sapwood.session.find import first_header, session_files
from sapwood.session.javascript import parse_date, trim
from sapwood.session.paths import agent_dir, default_session_dir
from sapwood.session.schema import Json, SessionHeader
from sapwood.session.source import FileSource, Line, read_lines

NO_MESSAGES = "(no messages)"


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session as a list shows it. Times are Unix milliseconds.

    ``modified`` is the time of the last user or assistant message on any branch, else that of the
    header, else the file's. ``first_message`` is the text of the first user message that has any.
    """

    path: Path
    id: str
    cwd: str
    name: str | None
    parent_session: str | None
    created: int | None
    modified: int
    message_count: int
    first_message: str

    @property
    def all_messages_text(self) -> str:
        """The text of all user and assistant messages, read from the file at each use."""
        return all_messages_text(self.path)


@dataclass(frozen=True, slots=True)
class Listing:
    """Sessions, newest first, and the files that are none though they are named like one."""

    sessions: list[SessionInfo]
    skipped: list[Path]


ReadInfo = Callable[[Path], SessionInfo | None]


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: msgspec.Raw = msgspec.Raw()
    timestamp: float = nan


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    timestamp: str = ""
    message: _Message | None = None
    name: msgspec.Raw = msgspec.Raw()


_decode = msgspec.json.Decoder(_Line).decode


def session_info(path: Path) -> SessionInfo | None:
    """The row of one file; None for what is no readable session."""
    try:
        source = FileSource(path)
        lines = read_lines(source)
        header = first_header(lines)
        return _row(source, header, lines) if header is not None else None
    except SapwoodError:
        return None


def _row(source: FileSource, header: SessionHeader, lines: Iterable[Line]) -> SessionInfo:
    count, active = 0, 0.0
    first: str | None = None
    name: Json = None
    for line in lines:
        record = _record(line.text)
        if record is None:
            continue
        if record.type == "session_info":
            name = _value(record.name)
        elif record.type == "message":
            count += 1
            message = record.message
            if message is None or message.role not in ("user", "assistant"):
                continue
            active = max(active, _time(record, message))
            if first is None and message.role == "user":
                first = message_text(_value(message.content)) or None
    created = parse_date(header.get("timestamp", ""))
    return SessionInfo(
        path=source.path,
        id=header["id"],
        cwd=cwd if isinstance(cwd := header.get("cwd"), str) else "",
        name=(trim(name) or None) if isinstance(name, str) else None,
        parent_session=up if isinstance(up := header.get("parentSession"), str) else None,
        created=int(created) if created == created else None,
        modified=int(active or (created if created == created else _changed(source))),
        message_count=count,
        first_message=first or NO_MESSAGES,
    )


def _record(text: memoryview) -> _Line | None:
    try:
        return _decode(text)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        value = decode_line(text)
    except ValueError:
        return None
    return _convert(value) if isinstance(value, dict) else None


def _convert(data: dict[str, Any]) -> _Line:
    """A line that the fast decoder refuses: odd types, lone surrogates."""
    kind, timestamp, message = data.get("type"), data.get("timestamp"), data.get("message")
    return _Line(
        type=kind if isinstance(kind, str) else "",
        timestamp=timestamp if isinstance(timestamp, str) else "",
        message=_Message(
            role=role if isinstance(role := message.get("role"), str) else "",
            content=msgspec.Raw(encode_line(message.get("content"))),
            timestamp=_number(message.get("timestamp")),
        )
        if isinstance(message, dict)
        else None,
        name=msgspec.Raw(encode_line(data.get("name"))),
    )


def _value(raw: msgspec.Raw) -> Json:
    return decode_line(bytes(raw)) if len(memoryview(raw)) else None


def _number(value: Json) -> float:
    return float(value) if isinstance(value, (int, float)) and value is not True else nan


def _time(record: _Line, message: _Message) -> float:
    """When a message was made: its own time, else that of its entry; 0 when neither is a date."""
    own = message.timestamp
    time = own if own == own else parse_date(record.timestamp)
    return time if time == time else 0.0


def _changed(source: FileSource) -> float:
    return source.stat().st_mtime * 1000


def message_text(content: Json) -> str:
    """The text of a message: itself, or its text blocks joined by a space."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return " ".join(
        text
        for block in blocks
        if isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(text := block.get("text"), str)
    )


def all_messages_text(path: Path) -> str:
    """The text of all user and assistant messages of a file, joined by a space.

    Raises ``NotASessionError`` when the file cannot be read.
    """
    texts = []
    for line in read_lines(FileSource(path)):
        record = _record(line.text)
        if record is None or record.type != "message" or record.message is None:
            continue
        if record.message.role in ("user", "assistant"):
            text = message_text(_value(record.message.content))
            if text:
                texts.append(text)
    return " ".join(texts)


# Folders


def list_sessions(
    folder: Path, cwd: str | os.PathLike[str] | None = None, read: ReadInfo = session_info
) -> Listing:
    """The sessions of one folder, only those made in ``cwd`` if given, newest first."""
    return collect(session_files(folder), cwd, read)


def list_all_sessions(root: Path | None = None, read: ReadInfo = session_info) -> Listing:
    """The sessions of all working folders; with ``root`` those of that folder and below."""
    return collect(all_session_files(root), None, read)


def list_here(
    cwd: str | os.PathLike[str],
    session_dir: str | os.PathLike[str] | None = None,
    read: ReadInfo = session_info,
) -> Listing:
    """The sessions made in ``cwd``. Folder names are not unique, so the header decides."""
    return list_sessions(Path(session_dir) if session_dir else default_session_dir(cwd), cwd, read)


def all_session_files(root: Path | None = None) -> Iterator[Path]:
    """Each file once, by its real path."""
    top = root or agent_dir() / "sessions"
    seen: set[str] = set()
    for folder in [top, *_folders(top)]:
        real = os.path.realpath(folder)
        if real not in seen:
            seen.add(real)
            yield from session_files(folder)


def _folders(top: Path) -> list[Path]:
    try:
        with os.scandir(top) as found:
            return [Path(each.path) for each in found if each.is_dir()]
    except OSError:
        return []


def collect(paths: Iterable[Path], cwd: str | os.PathLike[str] | None, read: ReadInfo) -> Listing:
    """The rows of ``paths`` in the order of a list."""
    here = os.path.abspath(cwd) if cwd is not None else None
    sessions: list[SessionInfo] = []
    skipped: list[Path] = []
    for path in paths:
        info = read(path)
        if info is None:
            skipped.append(path)
        elif here is None or (info.cwd and os.path.abspath(info.cwd) == here):
            sessions.append(info)
    return Listing(list(_newest_first(sessions)), sorted(skipped))


def _newest_first(sessions: list[SessionInfo]) -> Iterator[SessionInfo]:
    """By ``modified``, then by file name, both descending."""
    sessions.sort(key=_modified, reverse=True)
    for _, same_time in groupby(sessions, _modified):
        first, *others = same_time
        yield from sorted((first, *others), key=_name, reverse=True) if others else (first,)


def _modified(info: SessionInfo) -> int:
    return info.modified


def _name(info: SessionInfo) -> tuple[Any, ...]:
    return collation_key(str(info.path))


def collation_key(text: str) -> tuple[Any, ...]:
    """Orders file names as the reference does: marks, digits, then letters, capitals second."""
    return tuple(map(_weight, text)), tuple(char.isupper() for char in text), text


def _weight(char: str) -> tuple[int, str]:
    if char.isalpha():
        return 2, char.casefold()
    return (1, char) if char.isdigit() else (0, char)
