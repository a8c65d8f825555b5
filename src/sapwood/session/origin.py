"""Where time and ids come from: the kernel, unless a caller brings its own.

Entry ids are 8 hex digits, as random as the first 8 of a UUID version 4; session ids are UUID
version 7. Everything that makes either takes an ``Origin``, so a test can count instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

_TRIES = 100


def now_ms() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


def _random_ids() -> Iterator[str]:
    """Endlessly many, with one system call for each 64 of them."""
    while True:
        pool = os.urandom(256).hex()
        for start in range(0, len(pool), 8):
            yield pool[start : start + 8]


random_entry_id = _random_ids().__next__


def random_session_id() -> str:
    """A UUID version 7."""
    value = bytearray(now_ms().to_bytes(6, "big") + os.urandom(10))
    return _uuid_text(value, 7)


def _uuid_text(value: bytearray, version: int) -> str:
    value[6] = (version << 4) | (value[6] & 0x0F)
    value[8] = 0x80 | (value[8] & 0x3F)
    text = value.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


@dataclass(frozen=True, slots=True)
class Origin:
    """``now`` in Unix milliseconds, candidates for entry ids, new session ids."""

    now: Callable[[], int] = now_ms
    entry_id: Callable[[], str] = random_entry_id
    session_id: Callable[[], str] = random_session_id

    def fresh_entry_id(self, taken: Container[str]) -> str:
        """An entry id that is not ``taken``; a whole UUID when short ones keep colliding."""
        for _ in range(_TRIES):
            candidate = self.entry_id()
            if candidate not in taken:
                return candidate
        return _uuid_text(bytearray(os.urandom(16)), 4)


SYSTEM = Origin()
