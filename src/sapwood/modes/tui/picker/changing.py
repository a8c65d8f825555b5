"""Naming a session and throwing one away, by its file."""

from __future__ import annotations

import os
from pathlib import Path

from sapwood.errors import SessionError
from sapwood.session.find import read_header
from sapwood.session.info import SessionInfo
from sapwood.session.manager import SessionManager
from sapwood.text import one_line


def same_file(one: Path, other: Path | None) -> bool:
    """Whether two paths lead to the same file, through whatever links."""
    return other is not None and os.path.realpath(one) == os.path.realpath(other)


def rename(path: Path, name: str) -> None:
    """Append a name; an empty one takes it away. Nothing else of the session changes.

    Raises ``SessionLockedError`` while another program has the session open.
    """
    with SessionManager.open(path, writer="shared") as manager:
        manager.append_session_info(name)


def move_to_trash(info: SessionInfo, opened: Path | None) -> None:
    """Move the file of a session to the trash, if it still is that session and nobody has it open.

    Raises a `SapwoodError` and touches nothing otherwise.
    """
    from send2trash import send2trash  # type: ignore[import-untyped]

    path = info.path
    refuse_if_open(path, opened)
    header = read_header(path)
    if header is None or header["id"] != info.id:
        raise SessionError("the file is not the session any more that was listed")
    with SessionManager.open(path, writer="exclusive"):
        try:
            send2trash(os.path.realpath(path))
        except OSError as error:
            raise SessionError(f"no trash takes it, {one_line(str(error))}") from None
    if os.path.lexists(path) and not path.exists():
        path.unlink()  # the link to it


def refuse_if_open(path: Path, opened: Path | None) -> None:
    """Raise ``SessionError`` for the session that is open here."""
    if same_file(path, opened):
        raise SessionError("it is open here; go to another session first")
