"""Taking in a session file from elsewhere: looked at first, then copied under a free name.

Files of Sapwood and Pi come in byte for byte; only the header changes, and its id only where a
session here has it already. The original stays untouched, and a failure leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sapwood.errors import SapwoodError
from sapwood.files import make_private_folder
from sapwood.library.new_file import write_new
from sapwood.session.find import read_header, session_files
from sapwood.session.manager import SessionManager
from sapwood.session.origin import SYSTEM, Origin
from sapwood.session.paths import default_session_dir, session_file_name
from sapwood.session.schema import SessionHeader
from sapwood.session.shapes import new_header


def import_session(
    source: Path, cwd: Path, session_dir: Path | None = None, *, origin: Origin = SYSTEM
) -> Path:
    """Copy ``source`` into the sessions of ``cwd`` and give the new file.

    Raises:
        NotASessionError: it is no session.
        SapwoodError: it has no entries, or the copy cannot be written.
    """
    folder = session_dir or default_session_dir(cwd)
    with SessionManager.open(source, writer="none", origin=origin) as original:
        if not original.tree.entries:
            raise SapwoodError(f"{source}: there is nothing in this session to take in.")
        header = _header_here(original.header, cwd, folder, origin)
        target = folder / session_file_name(header["id"], header["timestamp"])
        try:
            make_private_folder(folder)
        except OSError as error:
            raise SapwoodError(f"{folder}: not made ({error.strerror or error}).") from error
        return write_new(target, _ended(original.lines(header)), numbered=True)


def _ended(lines: Iterator[bytes]) -> Iterator[bytes]:
    return (line + b"\n" for line in lines)


def _header_here(header: SessionHeader, cwd: Path, folder: Path, origin: Origin) -> SessionHeader:
    """The header with ``cwd`` and an id that no session of ``folder`` has."""
    fresh = new_header(origin, str(cwd))
    taken = header["id"] in _ids(folder)
    return {
        **header,
        "id": fresh["id"] if taken else header["id"],
        "timestamp": fresh["timestamp"] if taken else header["timestamp"],
        "cwd": str(cwd),
    }


def _ids(folder: Path) -> set[str]:
    return {header["id"] for path in session_files(folder) if (header := read_header(path))}
