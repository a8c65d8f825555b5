"""Reading a session file: one descriptor, kept open for as long as an entry may need its line.

Reads go by offset on one descriptor and not through a memory map, so a file that is cut short under
us is an error and no crash, and a file that is replaced or removed stays readable as it was.
"""

from __future__ import annotations

import io
import os
import stat
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, Protocol

from sapwood.errors import NotASessionError, SessionError

CHUNK = 4 * 1024 * 1024
PAGE = 256 * 1024
MAX_LINE = 256 * 1024 * 1024
"""Bytes of the longest line that is read: a hole in a damaged file must not fill the memory."""

if hasattr(os, "pread"):
    _pread = os.pread
else:  # pragma: no cover (Windows)

    def _pread(fd: int, size: int, offset: int) -> bytes:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, size)


_READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class LineSource(Protocol):
    """Bytes of a session file that stay readable as long as an entry refers to them."""

    def read(self, offset: int, size: int) -> bytes:
        """Exactly ``size`` bytes; raises ``SessionError`` when they are gone."""
        ...


class FileSource:
    """An open session file. The descriptor closes with the last reference to it."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: Path) -> None:
        """Raises ``NotASessionError`` when there is no readable file."""
        self.path = path
        self._fd = -1
        try:
            self._fd = os.open(path, _READ_ONLY)
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

    def read_some(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes; empty at the end of the file."""
        try:
            return _pread(self._fd, size, offset)
        except OSError as error:
            raise SessionError(f"{self.path}: {_reason(error)}") from None


class Page:
    """Lines that follow each other in a file: the number of the first, and where each starts.

    ``starts`` has one more, where a further line would start.
    """

    __slots__ = ("number", "source", "starts")

    def __init__(self, source: LineSource, number: int, starts: Sequence[int]) -> None:
        self.source = source
        self.number = number
        self.starts = starts

    def line(self, place: int) -> bytes:
        """The line at an index of the page, without its line end."""
        start = self.starts[place]
        return self.source.read(start, self.starts[place + 1] - 1 - start)

    def lines(self, places: Sequence[int]) -> list[bytes]:
        """The lines at these indices, read in one go."""
        starts = self.starts
        first = starts[min(places)]
        span = self.source.read(first, starts[max(places) + 1] - 1 - first)
        return [span[starts[place] - first : starts[place + 1] - 1 - first] for place in places]

    def text(self, places: Sequence[int]) -> bytes:
        """The lines at these indices with line ends between them, read in one go."""
        first, end = places[0], places[-1] + 1
        if places != list(range(first, end)):
            return b"\n".join(self.lines(places))
        start = self.starts[first]
        return self.source.read(start, self.starts[end] - 1 - start)


class Line(NamedTuple):
    """A line of the file: where it starts, its bytes without ``\n``, whether it has one."""

    offset: int
    number: int
    text: bytes
    ended: bool


def read_pages(
    source: FileSource, offset: int = 0, number: int = 1, *, size: int = PAGE
) -> Iterator[tuple[Page, list[bytes]]]:
    """The file from ``offset`` on in pages of about ``size`` bytes, each with its lines.

    The lines have their line ends. Split at LF and nothing else; the first one gets ``number``.
    Raises ``SessionError`` for a line that is longer than ``MAX_LINE``.
    """
    rest = b""  # of a line whose end was not read yet; as much again is read to find it
    while piece := source.read_some(offset + len(rest), max(size, len(rest))):
        lines = io.BytesIO(piece).readlines()
        lines[0] = rest + lines[0]
        rest = b"" if piece.endswith(b"\n") else lines.pop()
        if len(rest) > MAX_LINE:
            raise SessionError(f"{source.path}: it has a line of more than {MAX_LINE >> 20} MiB.")
        if lines:
            starts = array("q", accumulate(map(len, lines), initial=offset))
            yield Page(source, number, starts), lines
            offset = starts[-1]
            number += len(lines)
    if rest:
        yield Page(source, number, (offset, offset + len(rest) + 1)), [rest]


def read_lines(
    source: FileSource, offset: int = 0, number: int = 1, *, size: int = PAGE
) -> Iterator[Line]:
    """The lines from ``offset`` on; the first one gets ``number``."""
    for page, lines in read_pages(source, offset, number, size=size):
        yield from page_lines(page, lines)


def page_lines(page: Page, lines: Sequence[bytes]) -> Iterator[Line]:
    """The lines of a page one by one."""
    return (page_line(page, lines, place) for place in range(len(lines)))


def page_line(page: Page, lines: Sequence[bytes], place: int) -> Line:
    text = lines[place]
    ended = text.endswith(b"\n")
    return Line(page.starts[place], page.number + place, text[:-1] if ended else text, ended)


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file."
    if isinstance(error, PermissionError):
        return "no permission to read it."
    if isinstance(error, IsADirectoryError):
        return "it is a folder, not a session file."
    return f"it cannot be read ({error.strerror})."
