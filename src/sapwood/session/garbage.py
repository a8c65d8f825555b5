"""Pausing the garbage collector while many objects that will stay are made.

Each collection looks at every object made so far, so making n of them costs n² without this. What
is made here holds no reference cycles.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

_MANY = 20_000


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection inside; nests.

    If many objects were made, all count as old afterwards: otherwise the collections of the young
    would go through them, twice, as soon as the pause is over.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if gc.get_count()[0] > _MANY:
                gc.freeze()
                gc.unfreeze()
            gc.enable()
