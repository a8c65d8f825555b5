"""Records on their way out: a thread writes them, so that a slow reader holds up nothing else.

While nobody reads, records wait in memory; see `is_behind` for those that may be left out then.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any

from sapwood.modes.rpc.threads import start_thread
from sapwood.session.codec import encode_line

BEHIND = 4 * 1024 * 1024
"""Bytes that wait to be read before progress is left out."""
PATIENCE = 5.0
"""Seconds without anything being read after which the end is not waited for any more."""
_CHUNK = 65536


class Records:
    """Writes lines to a file descriptor; `on_lost` is called in the loop when nobody reads it."""

    def __init__(self, descriptor: int, on_lost: Callable[[OSError], None]) -> None:
        self._descriptor = descriptor
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._put = 0
        self._taken = 0
        self._done = asyncio.Event()
        start_thread("sapwood-records", self._work)

    def write(self, record: Mapping[str, Any]) -> None:
        """One record."""
        self.write_line(encode_line(dict(record)))

    def write_line(self, line: bytes) -> None:
        """One record that is JSON text already."""
        self._put += len(line) + 1
        self._lines.put(line)

    @property
    def is_behind(self) -> bool:
        """Whether so much waits to be read that news of progress are better left out."""
        return self._put - self._taken > BEHIND

    async def finish(self) -> None:
        """Return when all is written, or when nobody reads on."""
        self._lines.put(None)
        before = -1
        while not self._done.is_set() and before != self._taken:
            before = self._taken
            try:
                await asyncio.wait_for(self._done.wait(), PATIENCE)
            except TimeoutError:
                continue

    def _work(self) -> None:
        lost: OSError | None = None
        while (line := self._lines.get()) is not None:
            try:
                if lost is None:
                    self._write(line + b"\n")
            except OSError as error:
                lost = error
                self._tell(self._on_lost, error)
            if lost is not None:
                self._taken = self._put
        self._tell(self._done.set)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.write(self._descriptor, rest[:_CHUNK])
            self._taken += written
            rest = rest[written:]

    def _tell(self, callback: Callable[..., object], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return
