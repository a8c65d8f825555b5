"""The file of one session: it appears whole, grows by one write per entry, is never overwritten.

What may have happened to the file meanwhile is looked at before each append. It vanished: it is
written anew in full from the descriptor that is still open. It grew: the new entries are handed out
first. It was cut short, changed in place or replaced by something else: the append is refused and
nothing is touched. A write that fails or is cut short is taken back.

Whole-file writes (restoring, migrating, forking) go through a temporary sibling, fsync and rename,
so a kill at any point leaves the old file, or none, or the complete new one.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from sapwood.errors import SessionWriteError
from sapwood.files import make_private_folder, replace_atomic, sync_folder
from sapwood.session.entry import Entry
from sapwood.session.load import Loaded
from sapwood.session.scan import Oddities, read_entries
from sapwood.session.source import CHUNK, FileSource, Line, read_lines

Durability = Literal["os", "disk"]

_FINGERPRINT = 256


class SessionFile:
    """Appends to one path. ``source`` is None until the file exists."""

    def __init__(self, path: Path, durability: Durability = "os") -> None:
        self.path = Path(os.path.realpath(path))
        self.source: FileSource | None = None
        self.oddities = Oddities()
        self._disk = durability == "disk"
        self._fd = -1
        self._end = 0  # bytes of the file that are known
        self._lines = 0
        self._last_start = 0  # where the last known line starts
        self._torn = False
        self._stamp: tuple[int, int, int, int] | None = None
        self._tail = b""

    @classmethod
    def of(cls, loaded: Loaded, path: Path, durability: Durability) -> SessionFile:
        """A file that has just been read."""
        file = cls(path, durability)
        file.source = loaded.source
        file._end, file._lines, file._torn = loaded.end, loaded.lines, loaded.torn
        file._last_start = loaded.last_start
        status = loaded.source.stat()
        file._remember(status)
        if status.st_size != loaded.end:
            file._stamp = None  # it grew meanwhile
        return file

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def make_folder(self) -> None:
        with self._writing():
            make_private_folder(self.path.parent)

    def create(self, header: bytes, entries: list[Entry]) -> None:
        """Write the whole file, which must not exist (or be empty). All or nothing."""
        lines = [header, *(entry.raw for entry in entries)]
        with self._writing():
            new = self._open_new()
            try:
                write_all(self._fd, b"\n".join(lines) + b"\n")
                if self._disk:
                    os.fsync(self._fd)
            except OSError:
                self._discard(new)
                raise
        self.source = FileSource(self.path)
        self._last_start = self._end = 0
        self._advance(lines[0])
        for entry, raw in zip(entries, lines[1:], strict=True):
            entry.place(self.source, self._end, len(raw), self._lines + 1)
            self._advance(raw)
        self._remember(os.fstat(self._fd))
        if self._disk:
            sync_folder(self.path.parent)

    def append(self, entry: Entry) -> list[Entry]:
        """Write one entry at the end; ``catch_up`` must have been called.

        Gives the entries that another process squeezed in between; they stand before this one.
        """
        assert self.source is not None
        raw = entry.raw
        torn = self._torn
        line = b"\n" + raw + b"\n" if torn else raw + b"\n"
        try:
            if self._fd < 0:
                self._fd = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            write_all(self._fd, line)
            if self._disk:
                os.fsync(self._fd)
            status = os.fstat(self._fd)
        except OSError as error:
            self._take_back(line)
            raise self._refusal(error) from error
        foreign: list[Entry] = []
        if status.st_size != self._end + len(line):
            start = os.lseek(self._fd, 0, os.SEEK_CUR) - len(line)
            if start > self._end:
                foreign = self._read_on(start)
                if self._end > start:  # they left half a line, and ours went onto it
                    return foreign + self.append(entry)
                self._lines += torn
        if torn:
            self._torn = False
            self._end += 1
            self._tail += b"\n"
        entry.place(self.source, self._end, len(raw), self._lines + 1)
        self._advance(raw)
        self._stamp = _stamp(status) if status.st_size == self._end else None
        return foreign

    def catch_up(self) -> list[Entry]:
        """See what happened to the file since the last look; the entries that are new in it.

        Raises ``SessionWriteError`` when the known part of the file is no longer there.
        """
        assert self.source is not None
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self._restore()
            return []
        except OSError as error:
            raise SessionWriteError(f"{self.path}: {error.strerror}.") from None
        if _stamp(status) == self._stamp:
            return []
        self._verify(status)
        foreign = self._read_on(status.st_size) if status.st_size > self._end else []
        self._remember(status)
        return foreign

    def rewrite(self, lines: Iterable[bytes]) -> None:
        """Replace the content by ``lines``; for migration. The descriptor of old lines stays."""
        assert self.source is not None
        with self._writing():
            replace_atomic(self.path, (line + b"\n" for line in lines))
        self._adopt_rewritten()

    def _adopt_rewritten(self) -> None:
        self.close()
        self.source = FileSource(self.path)
        (line,) = deque(read_lines(self.source), maxlen=1)
        self._end, self._lines = line.offset + len(line.text) + line.ended, line.number
        self._last_start, self._torn = line.offset, not line.ended
        self._remember(self.source.stat())

    def _open_new(self) -> bool:
        """Open the file for its first lines; whether it was made here."""
        flags = os.O_WRONLY | os.O_APPEND
        try:
            self._fd = os.open(self.path, flags | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if os.stat(self.path).st_size:
                raise
            self._fd = os.open(self.path, flags)
            return False
        return True

    def _discard(self, new: bool) -> None:
        with contextlib.suppress(OSError):
            if new:
                self.path.unlink()
            else:
                os.ftruncate(self._fd, 0)
        self.close()

    def _advance(self, raw: bytes) -> None:
        self._last_start = self._end
        self._end += len(raw) + 1
        self._lines += 1
        self._tail = (self._tail + raw[-_FINGERPRINT:] + b"\n")[-_FINGERPRINT:]

    def _take_back(self, line: bytes) -> None:
        """Remove what a failed write left, if nothing else stands after the known end."""
        assert self.source is not None
        self._stamp = None
        with contextlib.suppress(OSError):
            rest = self.source.read_some(self._end, len(line) + 1)
            if line.startswith(rest):
                os.ftruncate(self._fd, self._end)
        self.close()

    def _read_on(self, end: int) -> list[Entry]:
        """The entries between the known end and ``end``."""
        assert self.source is not None
        start, number = self._end, self._lines + 1
        if self._torn:
            start, number = self._last_start, self._lines
        known = self._end
        lines = read_lines(self.source, start, number)
        entries = list(read_entries(self.source, self._until(lines, end, known), self.oddities))
        self._tail = self.source.read(
            max(0, self._end - _FINGERPRINT), min(self._end, _FINGERPRINT)
        )
        return entries

    def _until(self, lines: Iterator[Line], end: int, known: int) -> Iterator[Line]:
        """Lines that start before ``end``, without one that was complete as it was known."""
        for line in lines:
            if line.offset >= end:
                return
            self._last_start, self._lines, self._torn = line.offset, line.number, not line.ended
            self._end = line.offset + len(line.text) + line.ended
            if line.offset + len(line.text) > known:
                yield line

    def _verify(self, status: os.stat_result) -> None:
        """That the file still starts with all we know of it."""
        assert self.source is not None
        source = self.source
        own = source.stat()
        if (status.st_dev, status.st_ino) != (own.st_dev, own.st_ino):
            source = FileSource(self.path)
        if status.st_size < self._end:
            raise SessionWriteError(
                f"{self.path}: the file became shorter while it was open; nothing was written."
                " Reopen the session, or fork it to keep what is in memory."
            )
        tail_start = max(0, self._end - _FINGERPRINT)
        if source.read(tail_start, self._end - tail_start) != self._tail:
            raise SessionWriteError(
                f"{self.path}: the file was changed by another program while it was open; nothing"
                " was written. Reopen the session, or fork it to keep what is in memory."
            )
        if source is not self.source:
            self.source = source
            self.close()

    def _restore(self) -> None:
        """The file is gone: write all that was known of it anew."""
        assert self.source is not None
        source, mode = self.source, self.source.stat().st_mode & 0o777
        with self._writing():
            make_private_folder(self.path.parent)
            replace_atomic(self.path, copied(source, self._end), mode=mode)
        self.close()
        self.source = FileSource(self.path)
        self._remember(self.source.stat())

    def _remember(self, status: os.stat_result) -> None:
        self._stamp = _stamp(status)
        if not self._tail and self._end and self.source is not None:
            size = min(self._end, _FINGERPRINT)
            self._tail = self.source.read(self._end - size, size)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: OSError) -> SessionWriteError:
        return SessionWriteError(
            f"{self.path}: not written ({error.strerror or error});"
            " the session stays as it was, the next append tries again."
        )


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def write_all(fd: int, data: bytes) -> None:
    """One write as a rule; more where the kernel takes less at a time."""
    written = os.write(fd, data)
    while written < len(data):
        written += os.write(fd, data[written:])


def copied(source: FileSource, end: int) -> Iterator[bytes]:
    """The bytes before ``end``, in pieces."""
    start = 0
    while start < end:
        piece = source.read(start, min(CHUNK, end - start))
        start += len(piece)
        yield piece
