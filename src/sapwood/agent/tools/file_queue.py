"""Changes to one file happen one after the other, also when a model asks for several at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakValueDictionary

_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@asynccontextmanager
async def changing(path: Path) -> AsyncIterator[None]:
    """Hold the file while the block runs; other names of the same file wait too."""
    real = os.path.realpath(path)
    lock = _locks.get(real)
    if lock is None:
        lock = _locks[real] = asyncio.Lock()
    async with lock:
        yield
