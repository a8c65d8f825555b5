"""The one small door to a model: a summarizer takes a prompt and gives a text, or says why not.

Cancelling is cancelling the asyncio task; a summarizer must then close its connection. It never
raises for a provider's failure. A summary request has no tools and its own system prompt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sapwood.session.schema import Usage


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """`max_tokens` limits the answer; input and answer together fit the summarizer's window."""

    system_prompt: str
    prompt: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class SummaryReply:
    """An answer (`stop_reason` as in an assistant message), or `error`, one line.

    `overflow`: the input was too long, `learnt_window` then being the true window in tokens if the
    provider named it. `retryable`: the failure may pass, such as an overloaded server.
    """

    text: str
    stop_reason: str = "stop"
    usage: Usage | None = None
    error: str | None = None
    overflow: bool = False
    retryable: bool = False
    learnt_window: int | None = None


class Summarizer(Protocol):
    """A model as seen from here. Both figures are tokens."""

    @property
    def context_window(self) -> int: ...

    @property
    def max_output_tokens(self) -> int: ...

    async def complete(self, request: SummaryRequest) -> SummaryReply:
        """Answer one request."""
        ...


def add_usage(total: Usage | None, usage: Usage | None) -> Usage | None:
    """The sum of two usages, costs included."""
    if total is None or usage is None:
        return total or usage
    return {
        "input": total["input"] + usage["input"],
        "output": total["output"] + usage["output"],
        "cacheRead": total["cacheRead"] + usage["cacheRead"],
        "cacheWrite": total["cacheWrite"] + usage["cacheWrite"],
        "totalTokens": total["totalTokens"] + usage["totalTokens"],
        "cost": {
            "input": total["cost"]["input"] + usage["cost"]["input"],
            "output": total["cost"]["output"] + usage["cost"]["output"],
            "cacheRead": total["cost"]["cacheRead"] + usage["cost"]["cacheRead"],
            "cacheWrite": total["cost"]["cacheWrite"] + usage["cost"]["cacheWrite"],
            "total": total["cost"]["total"] + usage["cost"]["total"],
        },
    }
