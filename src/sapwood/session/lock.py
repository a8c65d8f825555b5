"""One writer at a time: an operating-system lock beside the session file.

The lock is held by an open descriptor on ``<file>.lock``, so the kernel frees it when its holder
dies, however it dies; a file left behind by a dead holder is simply taken over. Its content (pid,
host, since when) is for people: it tells who is in the way. The file is removed on release, so
after every acquisition the name must still lead to the file that was locked.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from sapwood.errors import SessionLockedError, SessionWriteError

Writer = Literal["exclusive", "shared", "none"]

_PATIENCE_S = 2.0
_LONG_HELD_PATIENCE_S = 0.2  # enough for a short holder behind whom an old signature stands
_PAUSE_S = 0.005

if sys.platform == "win32":
    import msvcrt

    # A region far behind the content, so that others can read who holds the lock.
    def _try_lock(fd: int) -> bool:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


class SessionLock:
    """The lock of one session file, ``exclusive`` for as long as it is held or for a moment."""

    def __init__(self, path: Path, *, exclusive: bool, now: Callable[[], str]) -> None:
        self.path = path
        self._lock_path = Path(f"{path}.lock")
        self._exclusive = exclusive
        self._now = now
        self._fd = -1
        self.held = False

    def acquire(self) -> None:
        """Take the lock, waiting a moment for a short holder.

        Raises ``SessionLockedError`` when it stays taken, ``SessionWriteError`` when the folder
        allows no lock file.
        """
        deadline: float | None = None
        while not self._try_acquire():
            if deadline is None:
                patience = _LONG_HELD_PATIENCE_S if self._long_held() else _PATIENCE_S
                deadline = time.monotonic() + patience
            if time.monotonic() >= deadline:
                self._close()
                raise SessionLockedError(self._who())
            time.sleep(_PAUSE_S)
        self.held = True

    def release(self) -> None:
        """Give the lock up for a moment; the lock file stays."""
        if self.held:
            self.held = False
            _unlock(self._fd)

    def close(self) -> None:
        """Give the lock up for good and remove its file, unless another one holds it now."""
        if self._fd < 0:
            return
        if self.held or (_try_lock(self._fd) and self._is_current()):
            self._lock_path.unlink(missing_ok=True)
        self.held = False
        self._close()

    def _try_acquire(self) -> bool:
        fresh = self._fd < 0
        if fresh:
            self._open()
        if not _try_lock(self._fd):
            return False
        if not self._is_current():
            self._close()
            return self._try_acquire()
        if fresh:
            self._sign()
        return True

    def _open(self) -> None:
        try:
            self._fd = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise SessionWriteError(
                f"{self.path}: cannot be locked for writing ({error.strerror}); open it read-only."
            ) from None

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _is_current(self) -> bool:
        try:
            named = os.stat(self._lock_path)
        except FileNotFoundError:
            return False
        held = os.fstat(self._fd)
        return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)

    def _sign(self) -> None:
        holder = {"pid": os.getpid(), "host": _host(), "since": self._now()}
        if self._exclusive:
            holder["mode"] = "exclusive"
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, json.dumps(holder).encode() + b"\n")

    def _holder(self) -> dict[str, Any]:
        try:
            holder = json.loads(self._lock_path.read_bytes())
        except (OSError, ValueError):
            return {}
        return holder if isinstance(holder, dict) else {}

    def _long_held(self) -> bool:
        """Whether the lock is signed as kept: then there is little use in waiting."""
        return self._holder().get("mode") == "exclusive"

    def _who(self) -> str:
        holder = self._holder()
        since = str(holder.get("since", ""))[11:16] or "an unknown time"
        return (
            f"{self.path}: open for writing by pid {holder.get('pid', '?')} on host"
            f" {holder.get('host', '?')} since {since}; open it read-only or fork it."
        )


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "?")
