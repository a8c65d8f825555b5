"""From an exception of the provider layer to a `Failure`: its type, its status, its words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from sapwood.models.classify import failure_from_text
from sapwood.models.failures import Failure, FailureKind

LONGEST_MESSAGE = 1000
"""Characters of a provider's words that are kept; some answer with a whole web page."""


def failure_of(error: BaseException, *, provider: str = "") -> Failure:
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
    return failure if more_exact else replace(failure, kind=kind)


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


def _page_title(page: str) -> str:
    """What a web page in place of an answer says; anything else as it is."""
    if "<html" not in page[:500].casefold() and "<!doctype html" not in page[:500].casefold():
        return page
    title = re.search(r"<(title|h1)[^>]*>\s*(.*?)\s*</\1", page, re.IGNORECASE | re.DOTALL)
    return f"a web page instead of an answer: {title[2]}" if title else "a web page, no answer"


def _message_of(error: BaseException) -> str:
    """One line: the HTTP status, the provider's own words, and its code if the words lack it."""
    status = _status_of(error)
    body = getattr(error, "body", None)
    words = _words_of(body)
    if words is None:
        words = "status code (no body)" if status is not None else _plain_text(error)
    codes = (getattr(error, f"provider_error_{name}", None) for name in ("code", "type"))
    code = next((each for each in codes if _is_name(each)), None)
    if code is not None and code not in words:
        words = f"{words} ({code})"
    line = re.sub(r"\s+", " ", f"{status} {words}" if status is not None else words).strip()
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def _is_name(code: object) -> bool:
    """Whether an error code says more than the status does."""
    return isinstance(code, str) and bool(code) and not code.isdigit()


def _plain_text(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    if isinstance(error, (AttributeError, LookupError, TypeError)):  # its SDK stumbled over it
        return f"The provider's answer makes no sense ({type(error).__name__}: {text})"
    cause = error.__cause__
    detail = str(cause).strip() if cause is not None else ""
    return f"{text} ({detail})" if detail and detail not in text else text


def _words_of(body: object) -> str | None:
    """The message inside an error body, whatever its shape; llama.cpp's figures come with it."""
    if isinstance(body, str):
        return _page_title(body).strip() or None
    if isinstance(body, list) and body:
        return _words_of(body[0])
    if not isinstance(body, Mapping):
        return None
    error = body.get("error", body)
    if not isinstance(error, Mapping):
        return _words_of(error)
    message: str | None = next(
        (error[k] for k in ("message", "detail", "msg", "error") if isinstance(error.get(k), str)),
        None,
    )
    if message is None:
        return json.dumps(body, ensure_ascii=False, default=str)
    code = next((error[k] for k in ("type", "code") if _is_name(error.get(k))), None)
    if code is not None and code not in message:
        message = f"{message} ({code})"
    figures = [f"{k}={error[k]}" for k in ("n_prompt_tokens", "n_ctx") if k in error]
    return f"{message} [{', '.join(figures)}]" if figures else message
