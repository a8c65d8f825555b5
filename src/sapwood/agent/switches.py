"""Switches of an open session: how queued messages go in, what is done without being asked.

They begin as the settings say and are never written there: a program that drives a session does
not change what the person has set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from sapwood.agent.queue import QueueMode
from sapwood.errors import SapwoodError

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation


class Switches:
    """The switches of one conversation; setting one takes effect at once."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    @property
    def auto_compaction(self) -> bool:
        """Whether the context is compacted when the window is nearly full."""
        return self._conversation.settings.compaction.enabled

    @auto_compaction.setter
    def auto_compaction(self, enabled: bool) -> None:
        self._change("compaction.enabled", enabled)

    @property
    def auto_retry(self) -> bool:
        """Whether a request is sent again after a passing failure."""
        return self._conversation.settings.values.retry.enabled

    @auto_retry.setter
    def auto_retry(self, enabled: bool) -> None:
        self._change("retry.enabled", enabled)

    def _change(self, key: str, value: bool) -> None:
        self._conversation.settings = self._conversation.settings.changed(key, value)

    @property
    def steering_mode(self) -> QueueMode:
        """How many steering messages go in at a time."""
        return self._conversation.queue.steering_mode

    @steering_mode.setter
    def steering_mode(self, mode: QueueMode) -> None:
        self._conversation.queue.steering_mode = _checked(mode)

    @property
    def follow_up_mode(self) -> QueueMode:
        """How many follow-ups go in at a time."""
        return self._conversation.queue.follow_up_mode

    @follow_up_mode.setter
    def follow_up_mode(self, mode: QueueMode) -> None:
        self._conversation.queue.follow_up_mode = _checked(mode)


def _checked(mode: QueueMode) -> QueueMode:
    """Raises `SapwoodError` for what is no mode."""
    modes = get_args(QueueMode)
    if mode not in modes:
        raise SapwoodError(f"There is no mode {mode}; there are {' and '.join(modes)}.")
    return mode
