"""One request to stop, seen by everything that a run is waiting for.

Whatever may take long (a stream, a tool, a pause) is awaited through `Interrupt.guard`. A request
cancels it, and the waiting code sees `Interrupted` instead of `CancelledError`, so that it can
store what there is and leave in order. Cancelling the surrounding task still cancels as usual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupted(Exception):  # noqa: N818 - not an error: what was asked for has happened
    """The guarded work was stopped because somebody asked for it."""


class Interrupt:
    """`child` makes an interrupt for a part of the work; stopping the whole stops the part too."""

    def __init__(self) -> None:
        self._requested = False
        self._tasks: set[asyncio.Future[Any]] = set()
        self._children: list[Interrupt] = []

    def child(self) -> Interrupt:
        child = Interrupt()
        child._requested = self._requested
        self._children.append(child)
        return child

    @property
    def requested(self) -> bool:
        return self._requested

    def request(self) -> None:
        """Stop what is guarded now and whatever would be guarded later."""
        self._requested = True
        for child in self._children:
            child.request()
        for task in tuple(self._tasks):
            task.cancel()

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`; raises `Interrupted` when it was, or already is, asked to stop."""
        if self._requested:
            work.close()
            raise Interrupted
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self._requested and not being_cancelled():
                raise Interrupted from None
            raise
        finally:
            self._tasks.discard(task)


def being_cancelled() -> bool:
    """Whether somebody cancels the current task; a `CancelledError` alone may come from below."""
    current = asyncio.current_task()
    return current is not None and current.cancelling() > 0
