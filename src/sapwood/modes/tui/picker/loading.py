"""Finding session files and reading what a row needs, in batches, newest files first."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sapwood.library.catalogue import Catalogue
from sapwood.session.find import session_files
from sapwood.session.info import SessionInfo
from sapwood.session.listing import all_session_files
from sapwood.session.paths import default_session_dir

Found = list[tuple[Path, SessionInfo | None]]

FIRST_BATCH = 0.05
"""Seconds of reading after which the first rows are handed over; then it takes longer each time."""
LAST_BATCH = 0.4


def files_here(cwd: Path, session_dir: Path | None) -> list[Path]:
    """The files in which the sessions of a folder are, newest first."""
    return newest_first(session_files(session_dir or default_session_dir(cwd)))


def files_everywhere(session_dir: Path | None) -> list[Path]:
    """The files of all folders, newest first."""
    return newest_first(all_session_files(session_dir))


def newest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=_changed, reverse=True)


def _changed(path: Path) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def batches(paths: list[Path], is_cancelled: Callable[[], bool]) -> Iterator[Found]:
    """Rows as they are read; None for what is no session. Stops when it is cancelled."""
    batch: Found = []
    pause = FIRST_BATCH
    due = time.monotonic() + pause
    reading = Catalogue().read(paths)
    for each in reading:
        if is_cancelled():
            reading.close()
            return
        batch.append(each)
        if time.monotonic() >= due:
            yield batch
            pause = min(pause * 2, LAST_BATCH)
            batch, due = [], time.monotonic() + pause
    if batch:
        yield batch
