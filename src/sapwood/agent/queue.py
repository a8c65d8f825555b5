"""Messages waiting for their turn: steering (as soon as possible) and follow-ups (when done).

Steering messages go in after the tool results of the current turn, follow-ups when the model would
stop. Each kind is delivered one at a time or all together. A message leaves the queue in the moment
it is handed over, so it reaches the model once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sapwood.session.schema import ImageBlock, UserBlock

QueueMode: TypeAlias = Literal["all", "one-at-a-time"]
QueueKind: TypeAlias = Literal["steering", "follow_up"]
Source: TypeAlias = Literal["prompt", "steering", "follow_up"]


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """What the user typed, not yet part of the session; ``source``: how it was sent."""

    text: str
    images: tuple[ImageBlock, ...] = ()
    source: Source = "prompt"

    def content(self) -> list[UserBlock]:
        return [{"type": "text", "text": self.text}, *self.images]


@dataclass(frozen=True, slots=True)
class QueuedMessages:
    """A look at the queue, oldest first."""

    steering: tuple[QueuedMessage, ...] = ()
    follow_up: tuple[QueuedMessage, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.steering or self.follow_up)

    @property
    def texts(self) -> list[str]:
        return [message.text for message in (*self.steering, *self.follow_up)]


@dataclass(slots=True)
class MessageQueue:
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_mode: QueueMode = "one-at-a-time"
    _steering: deque[QueuedMessage] = field(default_factory=deque)
    _follow_up: deque[QueuedMessage] = field(default_factory=deque)

    def __bool__(self) -> bool:
        return bool(self._steering or self._follow_up)

    def add(self, kind: QueueKind, message: QueuedMessage) -> None:
        (self._steering if kind == "steering" else self._follow_up).append(message)

    def take_steering(self) -> list[QueuedMessage]:
        return _take(self._steering, self.steering_mode)

    def take_follow_up(self) -> list[QueuedMessage]:
        return _take(self._follow_up, self.follow_up_mode)

    def take_next(self) -> list[QueuedMessage]:
        """What a run that would end now goes on with: steering first."""
        return self.take_steering() or self.take_follow_up()

    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        """Queue again, in front, what was taken but not used; a prompt was never queued."""
        for message in reversed(messages):
            if message.source == "steering":
                self._steering.appendleft(message)
            elif message.source == "follow_up":
                self._follow_up.appendleft(message)

    def waiting(self) -> QueuedMessages:
        return QueuedMessages(tuple(self._steering), tuple(self._follow_up))

    def take_back(self) -> QueuedMessages:
        """Empty the queue, for the editor."""
        waiting = self.waiting()
        self._steering.clear()
        self._follow_up.clear()
        return waiting


def _take(messages: deque[QueuedMessage], mode: QueueMode) -> list[QueuedMessage]:
    if not messages:
        return []
    if mode == "one-at-a-time":
        return [messages.popleft()]
    taken = list(messages)
    messages.clear()
    return taken
