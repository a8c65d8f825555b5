"""Preparing the tree view while nothing else happens, a few milliseconds at a time."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from sapwood.modes.tui.tree.prepared import prepared

if TYPE_CHECKING:
    from textual.widget import Widget

    from sapwood.agent.session import AgentSession

PAUSE = 0.05
"""Seconds between two steps."""
STEP = 0.005
"""Seconds a step may take: less than a person notices between two keys."""
REST = 0.5
"""Seconds after a key during which nothing is prepared."""


class TreeWarmer:
    """Prepares the tree of one session; rests when that is done, until the session goes on."""

    def __init__(self, host: Widget, session: AgentSession, last_key: Callable[[], float]) -> None:
        self._session = session
        self._tree = session.manager.tree
        self._last_key = last_key
        self._timer: Timer = host.set_interval(PAUSE, self._step, name="warm the tree")
        self._stop_listening = session.subscribe(self._heard)

    def stop(self) -> None:
        self._timer.stop()
        self._stop_listening()

    def _heard(self, event: dict[str, Any]) -> None:
        if event.get("type") in {"entry_appended", "agent_settled"}:
            self._timer.resume()

    def _step(self) -> None:
        if self._session.manager.tree is not self._tree:
            self.stop()
            return
        rests = self._session.is_idle and monotonic() - self._last_key() > REST
        if rests and prepared(self._tree).prepare(STEP):
            self._timer.pause()
