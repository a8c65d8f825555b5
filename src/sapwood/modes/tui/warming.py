"""Preparing the tree view while nothing else happens, a few milliseconds at a time."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from textual.timer import Timer

from sapwood.modes.tui.tree.texts import texts_of

if TYPE_CHECKING:
    from textual.widget import Widget

    from sapwood.agent.session import AgentSession

PAUSE = 0.05
"""Seconds between two steps."""
STEP = 0.005
"""Seconds a step may take: less than a person notices between two keys."""
CHUNK = 500
REST = 0.5
"""Seconds after a key during which nothing is prepared."""


class TreeWarmer:
    """Walks through the entries of one session once; stops by itself at the end."""

    def __init__(self, host: Widget, session: AgentSession, last_key: Callable[[], float]) -> None:
        self._session = session
        self._tree = session.manager.tree
        self._last_key = last_key
        self._at = 0
        self._timer: Timer = host.set_interval(PAUSE, self._step, name="warm the tree")

    def stop(self) -> None:
        self._timer.stop()

    def _step(self) -> None:
        if not self._session.is_idle or monotonic() - self._last_key() < REST:
            return
        entries = self._tree.entries
        if self._at >= len(entries) or self._session.manager.tree is not self._tree:
            self.stop()
        elif texts_of(self._tree).warm(entries[self._at : self._at + CHUNK], STEP):
            self._at += CHUNK
