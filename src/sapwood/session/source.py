"""Reading a session file: one descriptor, kept open for as long as an entry may need its line.

Reads go by offset on one descriptor and not through a memory map, so a file that is cut short under
us is an error and no crash, and a file that is replaced or removed stays readable as it was.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sapwood.errors import NotASessionError, SessionError

CHUNK = 4 * 1024 * 1024
BUFFER = 256 * 1024


class FileSource:
    """An open session file. The descriptor closes with the last reference to it."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: Path) -> None:
        """Raises ``NotASessionError`` when there is no readable file."""
        self.path = path
        self._fd = -1
        try:
            self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            mode = os.fstat(self._fd).st_mode
        except OSError as error:
            raise NotASessionError(f"{path}: {_reason(error)}") from None
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise NotASessionError(f"{path}: it is {kind}, not a session file.")

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def stat(self) -> os.stat_result:
        return os.fstat(self._fd)

    def read(self, offset: int, size: int) -> bytes:
        """Exactly ``size`` bytes. Raises ``SessionError`` when the file has become shorter."""
        data = self.read_some(offset, size)
        if len(data) == size:
            return data
        pieces = [data]
        missing = size - len(data)
        while missing and data:
            data = self.read_some(offset + size - missing, missing)
            pieces.append(data)
            missing -= len(data)
        if missing:
            raise SessionError(f"{self.path}: the file was cut short while it was open.")
        return b"".join(pieces)

    def read_into(self, buffer: memoryview, offset: int) -> int:
        """Fill ``buffer`` as far as the file goes; how many bytes that were."""
        try:
            return os.preadv(self._fd, [buffer], offset)
        except OSError as error:
            raise SessionError(f"{self.path}: {_reason(error)}") from None

    def read_some(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes; empty at the end of the file."""
        try:
            return os.pread(self._fd, size, offset)
        except OSError as error:
            raise SessionError(f"{self.path}: {_reason(error)}") from None


class Line(NamedTuple):
    """A line of the file: where it starts, its bytes without ``\n``, whether it has one.

    ``text`` is a window on a buffer that is used again for the next line: copy what is to stay.
    """

    offset: int
    number: int
    text: memoryview
    ended: bool


class Block(NamedTuple):
    """Whole lines with their line ends, or the unfinished rest of the file: ``buffer[:size]``."""

    offset: int
    buffer: bytearray
    size: int


def read_blocks(
    source: FileSource, offset: int = 0, *, buffer_size: int = BUFFER
) -> Iterator[Block]:
    """The file from ``offset`` on in blocks, each valid until the next is asked for.

    One buffer is filled again and again, which is twice as fast as making new bytes of each part;
    only a line that is longer than it makes it grow.
    """
    buffer = bytearray(buffer_size)
    kept = 0  # bytes of an unfinished line at the start of the buffer
    while got := source.read_into(memoryview(buffer)[kept:], offset + kept):
        end = kept + got
        size = buffer.rfind(b"\n", kept, end) + 1
        if size:
            yield Block(offset, buffer, size)
            buffer[: end - size] = buffer[size:end]
        offset += size
        kept = end - size
        if kept == len(buffer):
            buffer = buffer + bytearray(kept)
    if kept:
        yield Block(offset, buffer, kept)


def lines_of(block: Block, number: int) -> Iterator[Line]:
    """The lines of a block, the first one with ``number``. Split at LF and nothing else."""
    offset, buffer, size = block
    view = memoryview(buffer)
    start = 0
    while (stop := buffer.find(b"\n", start, size)) >= 0:
        yield Line(offset + start, number, view[start:stop], True)
        start = stop + 1
        number += 1
    if start < size:
        yield Line(offset + start, number, view[start:size], False)


def read_lines(
    source: FileSource, offset: int = 0, number: int = 1, *, buffer_size: int = BUFFER
) -> Iterator[Line]:
    """The lines from ``offset`` on; the first one gets ``number``."""
    for block in read_blocks(source, offset, buffer_size=buffer_size):
        for line in lines_of(block, number):
            yield line
            number = line.number + 1


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file."
    if isinstance(error, PermissionError):
        return "no permission to read it."
    if isinstance(error, IsADirectoryError):
        return "it is a folder, not a session file."
    return f"it cannot be read ({error.strerror})."
