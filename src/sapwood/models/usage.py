"""Token usage as it is stored: from a provider's report to a `Usage` with its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.models.model import Model
from sapwood.models.prices import TokenCounts, cost_of, free
from sapwood.session.schema import Usage

if TYPE_CHECKING:
    from pydantic_ai.usage import RequestUsage


def no_usage() -> Usage:
    """All zero: what is stored when a provider reports nothing. Estimates skip it."""
    return {
        "input": 0,
        "output": 0,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 0,
        "cost": free(),
    }


def make_usage(model: Model, tokens: TokenCounts) -> Usage:
    """The `Usage` of a request to `model`, priced."""
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cacheRead": tokens.cache_read,
        "cacheWrite": tokens.cache_write,
        "totalTokens": tokens.input + tokens.output + tokens.cache_read + tokens.cache_write,
        "cost": cost_of(model, tokens),
    }


def usage_from_report(model: Model, report: RequestUsage) -> Usage | None:
    """The stored form of a provider's report; None when there was no report.

    pydantic-ai's input count includes both cache figures, ours does not.
    """
    if report.unmeasured_requests or not (report.input_tokens or report.output_tokens):
        return None
    read, write = report.cache_read_tokens or 0, report.cache_write_tokens or 0
    fresh = max(0, (report.input_tokens or 0) - read - write)
    usage = make_usage(model, TokenCounts(fresh, report.output_tokens or 0, read, write))
    if one_hour := getattr(report, "cache_write_1h_tokens", 0):
        usage["cacheWrite1h"] = one_hour
    details = report.details or {}
    if reasoning := details.get("reasoning_tokens") or details.get("thoughts_tokens"):
        usage["reasoning"] = reasoning
    return usage
