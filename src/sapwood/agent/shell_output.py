"""The output of a command: its tail as text, all of it in a private file once it grows long.

Bytes that are not UTF-8 become U+FFFD; terminal escape sequences and control characters are left
out of the text (a carriage return inside a line starts it afresh, as on a terminal). The file holds
the bytes as they came.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import tempfile
from typing import BinaryIO

from sapwood.text import plain_text

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
MAX_FILE_BYTES = 100 * 1024 * 1024
"""A command that writes without end must not fill the disk."""


class OutputTail:
    """Takes the bytes of one command; memory stays bounded however much comes."""

    def __init__(self) -> None:
        self.total_bytes = 0
        self.total_newlines = 0
        self.path: str | None = None
        """Where the full output is, once it is longer than the tail."""
        self._failure: str | None = None
        self._held: list[bytes] = []
        self._file: BinaryIO | None = None
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""

    def feed(self, data: bytes) -> None:
        """Add output as it came from the command."""
        self.total_bytes += len(data)
        self.total_newlines += data.count(b"\n")
        self._text += self._decode(data)
        self._keep(data)
        if len(self._text) > 4 * MAX_BYTES:
            self._text = self._text[-2 * MAX_BYTES :]

    def close(self) -> None:
        """No more output will come."""
        self._text += self._decode(b"", final=True)
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                self._give_up(error)

    @property
    def total_lines(self) -> int:
        """Lines of all output; one without its newline at the end counts."""
        return self.total_newlines + (not self._text.endswith("\n") and self.total_bytes > 0)

    @property
    def truncated(self) -> bool:
        """Whether the tail is less than all."""
        return self.total_bytes > MAX_BYTES or self.total_lines > MAX_LINES

    @property
    def whereabouts(self) -> str:
        """Where the rest of a truncated output is, in one sentence."""
        if self._failure is not None:
            return f"The rest could not be kept: {self._failure}"
        if self.total_bytes > MAX_FILE_BYTES:
            return f"The first {MAX_FILE_BYTES >> 20} MB of it: {self.path}"
        return f"All of it: {self.path}"

    def tail(self) -> str:
        """The last whole lines within ``MAX_LINES`` and ``MAX_BYTES``; part of one too long."""
        text = plain_text(self._text).removesuffix("\n")
        lines = text.split("\n")[-MAX_LINES:]
        kept: list[str] = []
        room = MAX_BYTES
        for line in reversed(lines):
            size = len(line.encode("utf-8", "replace")) + 1
            if size > room:
                break
            kept.append(line)
            room -= size
        if not kept:
            return lines[-1].encode("utf-8", "replace")[-MAX_BYTES:].decode("utf-8", "ignore")
        return "\n".join(reversed(kept))

    def _keep(self, data: bytes) -> None:
        if self._failure is None:
            try:
                self._store(data)
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """No room for it: the command goes on all the same, and what was written makes way."""
        self._failure = error.strerror or str(error)
        self._held.clear()
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        if self.path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self._file = self.path = None

    def _store(self, data: bytes) -> None:
        if self._file is not None:
            room = MAX_FILE_BYTES - self._file.tell()
            self._file.write(data[: max(room, 0)])
            return
        self._held.append(data)
        if self.truncated:
            handle, self.path = tempfile.mkstemp(prefix="sapwood-bash-", suffix=".log")
            self._file = os.fdopen(handle, "wb")
            self._file.write(b"".join(self._held))
            self._held.clear()
