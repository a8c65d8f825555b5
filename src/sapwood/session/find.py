"""Finding a session file by folder, id, prefix or path. Only headers are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from sapwood.errors import AmbiguousSessionError, SapwoodError, SessionNotFoundError
from sapwood.session.codec import decode_line
from sapwood.session.javascript import truthy
from sapwood.session.load import BOM, is_header
from sapwood.session.paths import agent_dir, default_session_dir, valid_session_id
from sapwood.session.schema import SessionHeader
from sapwood.session.source import FileSource, Line, read_lines
from sapwood.text import one_line


def read_header(path: Path) -> SessionHeader | None:
    """The header of a session file; None for whatever is no readable session."""
    try:
        return first_header(read_lines(FileSource(path), size=8192))
    except SapwoodError:
        return None


def first_header(lines: Iterable[Line]) -> SessionHeader | None:
    """The header if it is the first value among ``lines``, which are read no further than that."""
    for line in lines:
        text = line.text
        if line.offset == 0:
            text = text.removeprefix(BOM)
        try:
            value = decode_line(text)
        except ValueError:
            continue
        if truthy(value):
            return cast(SessionHeader, value) if is_header(value) else None
    return None


def session_files(folder: Path) -> list[Path]:
    """The files of a folder that are named like sessions, in no order."""
    try:
        with os.scandir(folder) as found:
            return [Path(each.path) for each in found if each.name.endswith(".jsonl")]
    except OSError:
        return []


def most_recent(
    cwd: str | os.PathLike[str], session_dir: str | os.PathLike[str] | None = None
) -> Path | None:
    """The session made in ``cwd`` whose file changed last."""
    folder = Path(session_dir) if session_dir else default_session_dir(cwd)
    here = os.path.abspath(cwd)
    for path in sorted(session_files(folder), key=_changed, reverse=True):
        header = read_header(path)
        if header is not None and made_in(header, here):
            return path
    return None


def made_in(header: SessionHeader, cwd: str) -> bool:
    """Whether the header names ``cwd`` (absolute) as its working folder."""
    recorded = header.get("cwd")
    return isinstance(recorded, str) and os.path.abspath(recorded) == cwd


def find_by_id(
    text: str,
    cwd: str | os.PathLike[str],
    session_dir: str | os.PathLike[str] | None = None,
) -> Path:
    """The session with this id, or the only one whose id starts with it; this folder first.

    Raises ``SessionNotFoundError`` and ``AmbiguousSessionError``.
    """
    if valid_session_id(text):
        folder = Path(session_dir) if session_dir else default_session_dir(cwd)
        for folders in ((folder,), other_folders(folder)):
            matches = list(_matches(text, folders))
            if matches:
                return _only(text, matches)
    raise SessionNotFoundError(f"No session has the id or prefix {one_line(text)!r}.")


def _only(text: str, matches: list[tuple[str, Path]]) -> Path:
    exact = [path for session_id, path in matches if session_id == text]
    found = exact or [path for _, path in matches]
    if len(found) > 1:
        ids = sorted({session_id for session_id, _ in matches})
        if len(ids) == 1:  # copies of one file, made by hand
            names = ", ".join(sorted(path.name for path in found)[:4])
            raise AmbiguousSessionError(
                f"{len(found)} files hold the session {ids[0]!r}: {one_line(names)}; give a path."
            )
        some = one_line(", ".join(ids[:4]))
        raise AmbiguousSessionError(f"{len(found)} sessions fit {text!r}: {some}.")
    return found[0]


def _matches(text: str, folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Ids and files that start with ``text``; the header decides, not the name of the file."""
    for folder in folders:
        for path in session_files(folder):
            header = read_header(path)
            if header is not None and header["id"].startswith(text):
                yield header["id"], path


def other_folders(folder: Path) -> list[Path]:
    """The session folders of all working folders, without ``folder``."""
    root = agent_dir() / "sessions"
    try:
        with os.scandir(root) as found:
            return [
                Path(each.path) for each in found if each.is_dir() and Path(each.path) != folder
            ]
    except OSError:
        return []


def resolve_session(
    ref: str,
    cwd: str | os.PathLike[str],
    session_dir: str | os.PathLike[str] | None = None,
) -> Path:
    """What a person means by ``ref``: a path if it looks like one, else an id or prefix."""
    if "/" in ref or "\\" in ref or ref.endswith(".jsonl"):
        return Path(ref).expanduser()
    return find_by_id(ref, cwd, session_dir)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
