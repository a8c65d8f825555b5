"""Lists of sessions: the rows of one folder or of all, newest first. No cache.

What is no session has no row and is counted. The golden listing of the reference is the contract
for the order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from sapwood.session.find import session_files
from sapwood.session.info import SessionInfo, session_info
from sapwood.session.paths import agent_dir, default_session_dir


@dataclass(frozen=True, slots=True)
class Listing:
    """Sessions, newest first, and the files that are none though they are named like one."""

    sessions: list[SessionInfo]
    skipped: list[Path]


ReadInfo = Callable[[Path], SessionInfo | None]


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
