"""Files of Sapwood and Pi: their lines as they are, under a header for this place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from sapwood.errors import SapwoodError
from sapwood.files import make_private_folder
from sapwood.library.new_file import write_new
from sapwood.session.codec import encode_line
from sapwood.session.find import read_header, session_files
from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin
from sapwood.session.paths import session_file_name, valid_session_id
from sapwood.session.schema import Json, SessionHeader
from sapwood.session.shapes import new_header

_LONGEST_ID = 128
_TIMESTAMP = re.compile(r"[0-9TZ:.+-]{1,40}")


def import_native(source: Path, cwd: Path, folder: Path, origin: Origin) -> Path:
    """Copy a session; its id and time change only where ``folder`` has the id already."""
    with SessionManager.open(source, writer="none", origin=origin) as original:
        if not original.tree.entries:
            raise SapwoodError(f"{source}: there is nothing in this session to take in.")
        header = _header_here(original.header, cwd, folder, origin)
        lines = original.lines(header)
        next(lines)
        return write_session(folder, header, lines)


def write_session(folder: Path, header: SessionHeader, lines: Iterable[bytes]) -> Path:
    """A new session file of ``folder``, whole or not at all; ``lines`` have no line ends."""
    target = folder / session_file_name(header["id"], header["timestamp"])
    try:
        make_private_folder(folder)
    except OSError as error:
        raise SapwoodError(f"{folder}: not made ({error.strerror or error}).") from error
    return write_new(target, _file(header, lines), numbered=True)


def _file(header: SessionHeader, lines: Iterable[bytes]) -> Iterable[bytes]:
    yield encode_line(header) + b"\n"
    for line in lines:
        yield line + b"\n"


def _header_here(header: SessionHeader, cwd: Path, folder: Path, origin: Origin) -> SessionHeader:
    """The header with ``cwd`` and an id that no session of ``folder`` has.

    Id and time become the file's name, so what is not fit for one is replaced too.
    """
    fresh = new_header(origin, str(cwd))
    named = {"id": header["id"], "timestamp": header.get("timestamp")}
    if not _is_fit(**named) or header["id"] in _ids(folder):
        named = {"id": fresh["id"], "timestamp": fresh["timestamp"]}
    return cast(SessionHeader, {**header, **named, "cwd": str(cwd)})


def _is_fit(id: str, timestamp: Json) -> bool:  # noqa: A002
    return (
        valid_session_id(id)
        and len(id) <= _LONGEST_ID
        and isinstance(timestamp, str)
        and _TIMESTAMP.fullmatch(timestamp) is not None
    )


def _ids(folder: Path) -> set[str]:
    return {header["id"] for path in session_files(folder) if (header := read_header(path))}
