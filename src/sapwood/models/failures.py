"""What can go wrong with a request, by kind, so that the run knows what to do about it.

Typed exceptions are looked at first, then the words of the provider (`phrasings`). The same words
are read again from stored messages, by `is_overflow`, `is_retryable` and `is_recoverable_length`,
whose answers equal the reference's (golden calls) but for one: throttling is worth a retry here.
"""

from __future__ import annotations

import re
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


def classify(error: BaseException, *, provider: str = "") -> Failure:
    """The `Failure` that an exception of the provider layer stands for."""
    from pydantic_ai import exceptions as typed

    text, status = _message_of(error), _status_of(error)
    wait = getattr(error, "retry_after", None)
    retry_after_ms = round(wait * 1000) if isinstance(wait, (int, float)) else None
    failure = failure_from_text(
        text, status=status, provider=provider, retry_after_ms=retry_after_ms
    )
    by_type: list[tuple[type[BaseException], FailureKind]] = [
        (typed.ModelContextWindowExceededError, "overflow"),
        (typed.ModelQuotaExceededError, "fatal"),
        (typed.ModelRateLimitError, "rate_limit"),
        (typed.ModelUnavailableError, "overloaded"),
        (typed.ModelServerError, "overloaded"),
        (typed.ModelConnectionError, "network"),
        (typed.ModelRequestTimeout, "network"),
        (typed.ModelAuthenticationError, "auth"),
        (typed.ContentFilterError, "refused"),
    ]
    for exception_type, kind in by_type:
        if isinstance(error, exception_type):
            return _with_kind(failure, kind)
    return _with_kind(failure, "network") if _is_transport_error(error) else failure


def _with_kind(failure: Failure, kind: FailureKind) -> Failure:
    """`failure` as `kind`, unless its words are more exact than the exception's type.

    Providers send overflows as 500 and as 429, and a limit on the output as an overflow.
    """
    more_exact = failure.kind in ("overflow", "output_limit") or (
        kind == "overflow" and failure.kind == "rate_limit"
    )
    if more_exact or failure.kind == kind:
        return failure
    return Failure(
        kind,
        failure.message,
        failure.retry_after_ms,
        failure.context_window,
        failure.input_tokens,
        failure.max_output_tokens,
    )


def _is_transport_error(error: BaseException) -> bool:
    """Errors of the HTTP library that an SDK let through unwrapped."""
    if isinstance(error, (ConnectionError, TimeoutError)):
        return True
    return any(
        cls.__module__.split(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2", "h11")
        for cls in type(error).__mro__
    )


def _status_of(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) and status >= 400 else None


def _message_of(error: BaseException) -> str:
    """One line: the HTTP status, the provider's own words, and its code if the words lack it."""
    status = _status_of(error)
    body = getattr(error, "body", None)
    words = _words_of(body)
    if words is None:
        words = "status code (no body)" if status is not None else _plain_text(error)
    code = getattr(error, "provider_error_code", None) or getattr(
        error, "provider_error_type", None
    )
    if isinstance(code, str) and code and code not in words:
        words = f"{words} ({code})"
    return re.sub(r"\s+", " ", f"{status} {words}" if status is not None else words).strip()


def _plain_text(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    cause = error.__cause__
    detail = str(cause).strip() if cause is not None else ""
    return f"{text} ({detail})" if detail and detail not in text else text


def _words_of(body: object) -> str | None:
    """The message inside an error body, whatever its shape; llama.cpp's figures come with it."""
    if isinstance(body, str):
        return body.strip() or None
    if isinstance(body, list) and body:
        return _words_of(body[0])
    if not isinstance(body, Mapping):
        return None
    error = body.get("error", body)
    if not isinstance(error, Mapping):
        return _words_of(error)
    message = next(
        (error[k] for k in ("message", "detail", "msg", "error") if isinstance(error.get(k), str)),
        None,
    )
    if message is None:
        import json

        return json.dumps(body, ensure_ascii=False, default=str)
    for name in ("type", "code"):
        value = error.get(name)
        if isinstance(value, str) and value and value not in message:
            message = f"{message} ({value})"
            break
    figures = [f"{k}={error[k]}" for k in ("n_prompt_tokens", "n_ctx") if k in error]
    return f"{message} [{', '.join(figures)}]" if figures else cast(str, message)


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
