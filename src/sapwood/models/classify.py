"""From a provider's words and status to a kind of failure, and the limits that the words name."""

from __future__ import annotations

from sapwood.models import phrasings
from sapwood.models.failures import Failure, FailureKind


def kind_of_text(text: str, *, status: int | None = None, provider: str = "") -> FailureKind:
    """The kind of a failure from its words; `status` is the HTTP status if it is known apart."""
    limits = phrasings.limits_in(text)
    return _kind_of(text, status or phrasings.leading_status(text), provider, limits)


def failure_from_text(
    text: str,
    *,
    status: int | None = None,
    provider: str = "",
    retry_after_ms: int | None = None,
) -> Failure:
    """The `Failure` that the words of a provider describe; `text` becomes its message."""
    limits = phrasings.limits_in(text)
    return Failure(
        kind_of_text(text, status=status, provider=provider),
        text,
        phrasings.retry_after_ms(text) if retry_after_ms is None else retry_after_ms,
        limits.context_window,
        limits.input_tokens,
        limits.max_output_tokens,
    )


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
