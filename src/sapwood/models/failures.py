"""What can go wrong with a request, by kind, so that the run knows what to do about it.

`classify` reads the kind from a provider's words and status, `provider_errors` adds what typed
exceptions know. `is_overflow`, `is_retryable` and `is_recoverable_length` read the same from stored
messages; their answers equal the reference's (golden calls) but for one: throttling is worth a
retry here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from sapwood.session.schema import AssistantMessage

FailureKind: TypeAlias = Literal[
    "overflow",
    "output_limit",
    "rate_limit",
    "overloaded",
    "network",
    "auth",
    "refused",
    "fatal",
]
"""``overflow``: the input is larger than the window (compact). ``output_limit``: the input fits,
the output asked for does not (lower it and send again). ``rate_limit``, ``overloaded``,
``network``: wait and send again. ``auth``, ``refused``, ``fatal``: only a person can help."""

RETRYABLE: frozenset[str] = frozenset({"rate_limit", "overloaded", "network"})

SMALLEST_ANSWER = 512
"""Below this many tokens of room for the answer, making room is better than a lower limit."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request failed.

    ``retry_after_ms``: how long the server asked to wait. ``context_window``, ``input_tokens`` and
    ``max_output_tokens``: tokens, as far as the server named them; they are how an undeclared limit
    is learnt.
    """

    kind: FailureKind
    message: str
    retry_after_ms: int | None = None
    context_window: int | None = None
    input_tokens: int | None = None
    max_output_tokens: int | None = None

    @property
    def retryable(self) -> bool:
        return self.kind in RETRYABLE


def lowered_max_tokens(failure: Failure, requested: int) -> int | None:
    """The output limit to send again with after an ``output_limit`` failure.

    `requested` is the limit that was refused. None when there is no sensible room left, so that the
    context must become smaller instead.
    """
    room = requested
    if failure.max_output_tokens is not None:
        room = failure.max_output_tokens
    elif failure.context_window is not None and failure.input_tokens is not None:
        room = failure.context_window - failure.input_tokens
    if room >= requested:  # No figures, or none that explain the refusal.
        room = requested // 2
    return room if room >= SMALLEST_ANSWER else None


def is_overflow(message: AssistantMessage | Mapping[str, Any], context_window: int | None) -> bool:
    """Whether a stored answer says that the input was too large for `context_window` (tokens).

    Three ways: an error in a provider's words; usage above the window on a finished answer; an
    answer cut off before its first token with the window full.
    """
    reason = message.get("stopReason")
    if reason == "error":
        return _stored_kind(message) == "overflow"
    if message.get("rawStopReason") == "model_context_window_exceeded":
        return True
    if not context_window:
        return False
    usage = message.get("usage") or {}
    prompt = usage.get("input", 0) + usage.get("cacheRead", 0)
    if reason == "stop":
        return bool(prompt > context_window)
    if reason == "length":
        return usage.get("output", 0) == 0 and prompt >= context_window * 0.99
    return False


def is_retryable(message: AssistantMessage | Mapping[str, Any]) -> bool:
    """Whether a stored failed answer is worth sending again after a wait."""
    return message.get("stopReason") == "error" and _stored_kind(message) in RETRYABLE


def _stored_kind(message: AssistantMessage | Mapping[str, Any]) -> FailureKind | None:
    # The words are many patterns; a start without failures need not compile them.
    from sapwood.models.classify import kind_of_text

    text = message.get("errorMessage")
    return kind_of_text(str(text), provider=str(message.get("provider") or "")) if text else None


def is_recoverable_length(
    message: AssistantMessage | Mapping[str, Any], requested_max: int | None
) -> bool:
    """Whether an answer was cut off before the limit that was asked for (`requested_max`, tokens).

    Then the window was full rather than the answer too long, and a smaller context helps.
    """
    usage = message.get("usage") or {}
    return (
        message.get("stopReason") == "length"
        and bool(requested_max)
        and usage.get("output", 0) < cast(int, requested_max)
    )
