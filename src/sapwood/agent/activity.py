"""What a session is doing now, and what may be asked of it meanwhile.

A session does one thing at a time. `RULES` is the whole policy: for each operation and each
activity one rule. An activity is entered with `Activities.during`, and however that block is left
(done, failed, cancelled) the session is back where it was before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum

from sapwood.errors import SapwoodError


class BusyError(SapwoodError):
    """The session does something else just now that the request would disturb."""


class Activity(Enum):
    IDLE = "idle"
    RUNNING = "running"
    RETRYING = "retrying"
    """Waiting before a failed request is sent again; part of a run."""
    COMPACTING = "compacting"
    NAVIGATING = "navigating"


class Rule(Enum):
    ALLOW = "allow"
    REFUSE = "refuse"
    """Raise `BusyError`."""
    QUEUE = "queue"
    """Accept now, deliver when the activity is over, however it ends."""
    INTERRUPT = "interrupt"
    """Abort the run, wait until it is stored, then do it."""


_A, _R, _Q, _I = Rule.ALLOW, Rule.REFUSE, Rule.QUEUE, Rule.INTERRUPT

_ORDER = (
    Activity.IDLE,
    Activity.RUNNING,
    Activity.RETRYING,
    Activity.COMPACTING,
    Activity.NAVIGATING,
)

# operation: idle, running, retrying, compacting, navigating
_TABLE: Mapping[str, tuple[Rule, Rule, Rule, Rule, Rule]] = {
    "prompt": (_A, _R, _R, _Q, _Q),
    "steer": (_A, _Q, _Q, _Q, _Q),
    "follow_up": (_A, _Q, _Q, _Q, _Q),
    "compact": (_A, _I, _I, _R, _R),
    "navigate_tree": (_A, _I, _I, _R, _R),
    "fork": (_A, _I, _I, _R, _R),
    "new_session": (_A, _I, _I, _R, _R),
    "switch_session": (_A, _I, _I, _R, _R),
    # These append an entry at the leaf, which a navigation is about to move.
    "set_model": (_A, _A, _A, _A, _R),
    "set_thinking_level": (_A, _A, _A, _A, _R),
    "set_session_name": (_A, _A, _A, _A, _R),
    "set_label": (_A, _A, _A, _A, _R),
    "set_tools": (_A, _A, _A, _A, _R),
    "edit_context": (_A, _R, _R, _R, _R),
    # The command runs at once; its output is stored between turns.
    "execute_bash": (_A, _Q, _Q, _Q, _Q),
    "send_message": (_A, _Q, _Q, _Q, _Q),
}

RULES: Mapping[str, Mapping[Activity, Rule]] = {
    operation: dict(zip(_ORDER, rules, strict=True)) for operation, rules in _TABLE.items()
}

_DOING = {
    Activity.RUNNING: "a run is in progress",
    Activity.RETRYING: "a failed request is about to be sent again",
    Activity.COMPACTING: "the context is being compacted",
    Activity.NAVIGATING: "the session is moving to another branch",
}
_INSTEAD = {
    "prompt": "queue the message, or abort first",
    "edit_context": "wait until the session is idle",
}


class Activities:
    """The current activity of one session, and a way to wait for the end of it."""

    def __init__(self) -> None:
        self._current = Activity.IDLE
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def current(self) -> Activity:
        return self._current

    @property
    def is_idle(self) -> bool:
        return self._current is Activity.IDLE

    def rule(self, operation: str) -> Rule:
        """What `RULES` says for the operation now; raises `BusyError` where it says refuse."""
        rule = RULES[operation][self._current]
        if rule is Rule.REFUSE:
            instead = _INSTEAD.get(operation, "wait or cancel it first")
            raise BusyError(f"Not possible now: {_DOING[self._current]}; {instead}.")
        return rule

    @contextmanager
    def during(self, activity: Activity) -> Iterator[None]:
        before = self._current
        self._set(activity)
        try:
            yield
        finally:
            self._set(before)

    async def wait_for_idle(self) -> None:
        """Return when idle; an activity that follows at once on another is waited for too."""
        while not self.is_idle:
            await self._idle.wait()

    def _set(self, activity: Activity) -> None:
        self._current = activity
        if activity is Activity.IDLE:
            self._idle.set()
        else:
            self._idle.clear()
