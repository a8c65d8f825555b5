"""The lock that the reference takes around its small JSON files: a folder named ``<file>.lock``.

Making a folder is atomic everywhere, so whoever makes it holds the lock. Its holder touches it
while it works; a lock that nobody has touched for ten seconds was left behind by a crash and is
taken over.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sapwood.errors import SapwoodError

STALE_SECONDS = 10.0
PATIENCE_SECONDS = 5.0
_PAUSE_SECONDS = 0.05


@contextlib.contextmanager
def folder_lock(path: Path) -> Iterator[None]:
    """Hold the lock of `path` for the length of the block; short work only.

    Raises `SapwoodError` if another program keeps it for longer than `PATIENCE_SECONDS`.
    """
    lock = path.with_name(path.name + ".lock")
    _acquire(lock, path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.rmdir()


def _acquire(lock: Path, path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            lock.mkdir(mode=0o700)
            return
        except FileExistsError:
            if _is_stale(lock):
                with contextlib.suppress(OSError):
                    os.rmdir(lock)
                continue
        if time.monotonic() > deadline:
            raise SapwoodError(f"{path} is locked by another program; try again in a moment")
        time.sleep(_PAUSE_SECONDS)


def _is_stale(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime > STALE_SECONDS
    except OSError:
        return False
