"""What can go wrong with a request, by kind, so that the run knows what to do about it.

The kind is read from a provider's words (`phrasings`) and status; `provider_errors` adds what typed
exceptions know. The same words are read again from stored messages, by `is_overflow`,
`is_retryable` and `is_recoverable_length`, whose answers equal the reference's (golden calls) but
for one: throttling is worth a retry here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from sapwood.models import phrasings
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
    room = requested // 2
    if failure.max_output_tokens is not None:
        room = failure.max_output_tokens
    elif failure.context_window is not None and failure.input_tokens is not None:
        room = failure.context_window - failure.input_tokens
    return room if SMALLEST_ANSWER <= room < requested else None


def classify_text(
    text: str, *, status: int | None = None, provider: str = ""
) -> tuple[FailureKind, phrasings.Limits]:
    """The kind of a failure from its words (and HTTP `status`), and the limits that the words
    name."""
    limits = phrasings.limits_in(text)
    if status is None:
        status = phrasings.leading_status(text)
    return _kind_of(text, status, provider, limits), limits


def _kind_of(text: str, status: int | None, provider: str, limits: phrasings.Limits) -> FailureKind:
    if phrasings.QUOTA.search(text):
        return "fatal"
    if status == 429 or phrasings.RATE_LIMIT.search(text):
        return "rate_limit"
    if phrasings.OUTPUT_LIMIT.search(text) and not limits.input_exceeds_window:
        return "output_limit"
    if _is_overflow_text(text, status, provider):
        return "overflow"
    if phrasings.REFUSED.search(text):
        return "refused"
    if status == 400 and phrasings.AUTH.search(text):
        return "auth"  # Google's answer to a wrong key
    return _kind_of_status(status) or _kind_of_trouble(text)


def _is_overflow_text(text: str, status: int | None, provider: str) -> bool:
    if phrasings.OVERFLOW.search(text) or status == 413:
        return True
    # Cerebras answers an overflow with a bare 400; elsewhere a bare 400 says nothing.
    return provider == "cerebras" and bool(phrasings.BARE_400.search(text))


def _kind_of_status(status: int | None) -> FailureKind | None:
    if status in (401, 403):
        return "auth"
    if status in (408, 409, 425):
        return "network"
    if status is not None and status >= 500:
        return "overloaded"
    if status is not None and status >= 400:
        return "fatal"
    return None


def _kind_of_trouble(text: str) -> FailureKind:
    if phrasings.NETWORK.search(text):
        return "network"
    if phrasings.OVERLOADED.search(text):
        return "overloaded"
    if phrasings.AUTH.search(text):
        return "auth"
    return "fatal"


def failure_from_text(
    text: str,
    *,
    status: int | None = None,
    provider: str = "",
    retry_after_ms: int | None = None,
) -> Failure:
    """The `Failure` that the words of a provider describe; `text` becomes its message."""
    kind, limits = classify_text(text, status=status, provider=provider)
    if retry_after_ms is None:
        retry_after_ms = phrasings.retry_after_ms(text)
    return Failure(
        kind,
        text,
        retry_after_ms,
        limits.context_window,
        limits.input_tokens,
        limits.max_output_tokens,
    )


def is_overflow(message: AssistantMessage | Mapping[str, Any], context_window: int | None) -> bool:
    """Whether a stored answer says that the input was too large for `context_window` (tokens).

    Three ways: an error in a provider's words; usage above the window on a finished answer; an
    answer cut off before its first token with the window full.
    """
    reason = message.get("stopReason")
    if reason == "error":
        text = message.get("errorMessage")
        provider = str(message.get("provider") or "")
        return bool(text) and classify_text(str(text), provider=provider)[0] == "overflow"
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
    text = message.get("errorMessage")
    if message.get("stopReason") != "error" or not text:
        return False
    return classify_text(str(text), provider=str(message.get("provider") or ""))[0] in RETRYABLE


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
