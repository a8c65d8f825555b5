"""Whole files, replaced at once: settings, keys, trust, sessions, and what the tools write.

``write_atomic`` and, for files of any size, ``replace_atomic`` never leave half a file behind.
``folder_lock`` is the lock that other programs on the same files use too: a folder named
``<file>.lock`` that is made to take the lock, touched while it is held and removed to free it. A
lock untouched for ten seconds was left by a crash.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sapwood.errors import SapwoodError

_STALE_SECONDS = 10.0
_TOUCH_SECONDS = 4.0
_WAIT_SECONDS = 12.0
_POLL_SECONDS = 0.02
_BUFFER = 1024 * 1024
_CANNOT_REPLACE = (errno.EACCES, errno.EPERM, errno.EBUSY)


class FileLockedError(SapwoodError):
    """Another program holds the lock of a small file and did not let go in time."""


def write_atomic(path: Path, data: bytes, *, mode: int | None = 0o600) -> None:
    """Replace ``path`` by ``data`` in one step, through symbolic links.

    An existing file keeps its mode and owner; a new one gets ``mode``, or what the umask leaves of
    0666 if ``mode`` is None. Where a file cannot be replaced (a bind mount, a folder that takes no
    new files) it is written in place.

    Raises:
        OSError: the file cannot be written; a full disk leaves it unchanged.
    """
    target = Path(os.path.realpath(path))
    try:
        replace_atomic(target, [data], mode=mode)
    except OSError as error:
        if error.errno not in _CANNOT_REPLACE or not target.is_file():
            raise
        target.write_bytes(data)


def replace_atomic(path: Path, pieces: Iterable[bytes], *, mode: int | None = 0o600) -> None:
    """Replace ``path`` by ``pieces`` in one step: temporary file, fsync, rename.

    Modes, owners and links as for ``write_atomic``. Killed at any point, the old file is there or
    the complete new one; where the system has files without a name, no half of one stays either,
    and of a new file nothing at all.

    Raises:
        OSError: the file cannot be replaced; it is then unchanged.
    """
    target = Path(os.path.realpath(path))
    existing = _status(target)
    wanted = mode if existing is None else stat.S_IMODE(existing.st_mode)
    temporary = target.with_name(f".{target.name[:40]}.{os.getpid()}-{os.urandom(6).hex()}.tmp")
    first_mode = 0o666 if wanted is None else 0o600
    handle = _open_unnamed(target.parent, first_mode)
    unnamed = handle is not None
    if handle is None:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, first_mode)
    try:
        with os.fdopen(handle, "wb", buffering=_BUFFER) as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
            if unnamed and existing is None and _appears(file.fileno(), target, wanted):
                sync_folder(target.parent)
                return
            if unnamed:
                _name(file.fileno(), temporary)
        if existing is not None:
            _give(temporary, existing)
        if wanted is not None:
            os.chmod(temporary, wanted)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(target.parent)


def _open_unnamed(folder: Path, mode: int) -> int | None:
    """A file in ``folder`` that is gone if nobody names it; None where there is no such thing."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    with contextlib.suppress(OSError):
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE, mode)
    return None


def _appears(handle: int, target: Path, mode: int | None) -> bool:
    """Give a complete file without a name its last one; False if that was taken meanwhile.

    A new file needs no temporary name on the way, so a kill cannot leave one behind.
    """
    if mode is not None:
        os.fchmod(handle, mode)
    try:
        _name(handle, target)
    except FileExistsError:
        return False
    return True


def _name(handle: int, path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:  # only with a folder's descriptor does Python follow the link in /proc
        os.link(f"/proc/self/fd/{handle}", path.name, dst_dir_fd=folder)
    finally:
        os.close(folder)


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Make ``folder`` and its missing parents, open to their owner alone."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _give(file: Path, model: os.stat_result) -> None:
    """Let the file belong to whom the old one did, where we may: root edits others' files."""
    status = file.stat()
    if (status.st_uid, status.st_gid) != (model.st_uid, model.st_gid):
        with contextlib.suppress(OSError):
            os.chown(file, model.st_uid, model.st_gid)


@contextlib.contextmanager
def folder_lock(
    path: Path,
    *,
    clock: Callable[[], float] = time.time,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold ``<path>.lock`` while the block runs; waits up to 12 s for another holder.

    Raises:
        FileLockedError: the holder is alive and did not let go.
    """
    target = Path(os.path.realpath(path))
    make_private_folder(target.parent)
    folder = target.with_name(target.name + ".lock")
    _take(folder, clock, wait)
    released = threading.Event()
    keeper = threading.Thread(target=_keep, args=(folder, released), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        released.set()
        keeper.join()
        _free(folder)


def _take(folder: Path, clock: Callable[[], float], wait: Callable[[float], None]) -> None:
    deadline = clock() + _WAIT_SECONDS
    while True:
        try:
            folder.mkdir(mode=0o700)
            return
        except FileExistsError:
            if _is_stale(folder, clock()):
                _free(folder)
            elif clock() > deadline:
                raise FileLockedError(
                    f"{folder} is held by another program; remove the folder if none is running"
                ) from None
            wait(_POLL_SECONDS)


def _is_stale(folder: Path, now: float) -> bool:
    try:
        return now - folder.stat().st_mtime > _STALE_SECONDS
    except FileNotFoundError:
        return False


def _free(folder: Path) -> None:
    from shutil import rmtree  # not needed by those who only replace files

    rmtree(folder, ignore_errors=True)


def _keep(folder: Path, released: threading.Event) -> None:
    while not released.wait(_TOUCH_SECONDS):
        with contextlib.suppress(OSError):
            os.utime(folder)
