"""Lines on their way in: a thread reads them, so that any kind of file will do.

A line ends in LF alone (text may hold U+2028); a CR before it is dropped. What comes faster than it
is taken waits in the pipe.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator

from sapwood.modes.rpc.threads import start_thread

MAX_LINE = 256 * 1024 * 1024
"""Bytes; images come in lines."""
_CHUNK = 1 << 20
_AHEAD = 64


class Lines:
    """The lines of a file descriptor, each once, until its end; None stands for one too long."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[bool, bytes | None]] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        start_thread("sapwood-lines", self._work)

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        while True:
            is_line, line = await self._queue.get()
            if not is_line:
                return
            self._room.release()
            yield line

    def _work(self) -> None:
        try:
            for line in split_lines(self._read()):
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._queue.put_nowait, (True, line))
            self._loop.call_soon_threadsafe(self._queue.put_nowait, (False, None))
        except RuntimeError:  # the loop is closed: nobody takes lines any more
            return

    def _read(self) -> Iterator[bytes]:
        while True:
            try:
                data = os.read(self._descriptor, _CHUNK)
            except OSError:  # a terminal that hung up, say: there is no more
                return
            if not data:
                return
            yield data


def split_lines(pieces: Iterator[bytes], limit: int = MAX_LINE) -> Iterator[bytes | None]:
    """The lines that the pieces make up; None for each that is longer than `limit` bytes."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        for part in ended:
            yield _line(held, size, part, limit)
            held, size = [], 0
        size += len(rest)
        if size <= limit:
            held.append(rest)
        else:
            held = []
    if size:
        yield _line(held, size, b"", limit)


def _line(held: list[bytes], size: int, end: bytes, limit: int) -> bytes | None:
    if size + len(end) > limit:
        return None
    return b"".join((*held, end)).removesuffix(b"\r")
