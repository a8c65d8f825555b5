"""What to do after an answer, decided without doing it.

`decide` looks at the answer, at why it failed, and at what was tried already. The guards that keep
a session from going in circles are here: one compact-and-run-again per user message until an answer
is accepted, at most two compactions in a row, a limited number of retries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sapwood.models.failures import (
    Failure,
    is_overflow,
    is_recoverable_length,
    lowered_max_tokens,
)
from sapwood.session.schema import AssistantMessage

MAX_COMPACTIONS = 2
"""Compactions without an accepted answer in between."""

STILL_TOO_LARGE = (
    "The context is still too large for the model after compaction. Choose a model with a larger "
    "window, start a new session, or go back in the tree and continue with less."
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Settings ``retry.*``; delays in ms."""

    enabled: bool = True
    max_retries: int = 3
    base_delay_ms: int = 2000
    max_delay_ms: int = 60_000

    def delay_ms(self, attempt: int, failure: Failure) -> int | None:
        """The pause before retry `attempt` (from 1), None when there shall be none.

        It doubles each time and is never shorter than the server asked for; a server that asks
        for more than ``max_delay_ms`` is not waited for.
        """
        if not self.enabled or not failure.retryable or attempt > self.max_retries:
            return None
        asked = failure.retry_after_ms or 0
        if asked > self.max_delay_ms:
            return None
        return max(min(self.base_delay_ms << (attempt - 1), self.max_delay_ms), asked)


@dataclass(slots=True)
class Attempts:
    """What was tried since the last prompt and the last accepted answer."""

    retries: int = 0
    overflow_handled: bool = False
    compactions: int = 0
    max_tokens: int | None = None
    """The lowered output limit of the requests to come, in tokens."""

    def prompted(self) -> None:
        """A new user message: everything but the count of compactions starts afresh."""
        self.retries = 0
        self.overflow_handled = False
        self.max_tokens = None

    def accepted(self) -> None:
        """The model answered in full."""
        self.retries = 0
        self.overflow_handled = False
        self.compactions = 0


@dataclass(frozen=True, slots=True)
class Settle:
    """Nothing more to do."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Nothing more can be done; `reason` tells what a person can do."""

    reason: str


@dataclass(frozen=True, slots=True)
class Retry:
    """Leave the failed answer out, wait, send again."""

    attempt: int
    delay_ms: int


@dataclass(frozen=True, slots=True)
class Resend:
    """Leave the failed answer out and send again with a lower output limit (tokens)."""

    max_tokens: int


@dataclass(frozen=True, slots=True)
class CompactAndRerun:
    """Leave the failed answer out, compact, run again.

    `overshoot` is the input's size over what the provider takes, by its own count; 1 if unknown.
    """

    overshoot: float = 1.0


@dataclass(frozen=True, slots=True)
class CompactOnly:
    """The answer is complete, but the window is full: compact, do not repeat it."""


Decision: TypeAlias = Settle | GiveUp | Retry | Resend | CompactAndRerun | CompactOnly


def decide(
    answer: AssistantMessage,
    failure: Failure | None,
    attempts: Attempts,
    policy: RetryPolicy,
    *,
    context_window: int | None,
    requested_max: int | None,
) -> Decision:
    """What follows from `answer`; `requested_max` is the output limit asked for (tokens)."""
    if failure is not None:
        return _after_failure(failure, attempts, policy, requested_max)
    if is_recoverable_length(answer, attempts.max_tokens or requested_max):
        return Settle() if attempts.overflow_handled else _make_room(attempts)
    if is_overflow(answer, context_window):
        return CompactOnly()
    return Settle()


def _after_failure(
    failure: Failure, attempts: Attempts, policy: RetryPolicy, requested_max: int | None
) -> Decision:
    if failure.kind == "output_limit":
        requested = attempts.max_tokens or requested_max
        lowered = lowered_max_tokens(failure, requested) if requested else None
        return Resend(lowered) if lowered else _make_room(attempts, failure)
    if failure.kind == "overflow":
        return _make_room(attempts, failure)
    attempt = attempts.retries + 1
    delay = policy.delay_ms(attempt, failure)
    return Settle() if delay is None else Retry(attempt, delay)


def _make_room(attempts: Attempts, failure: Failure | None = None) -> Decision:
    if attempts.overflow_handled or attempts.compactions >= MAX_COMPACTIONS:
        return GiveUp(STILL_TOO_LARGE)
    if failure is None or not failure.input_tokens or not failure.context_window:
        return CompactAndRerun()
    return CompactAndRerun(max(1.0, failure.input_tokens / failure.context_window))
