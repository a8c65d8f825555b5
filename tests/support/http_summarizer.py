"""A summarizer that talks to the scripted OpenAI-compatible server, and a helper to script it.

Only the standard library: the real models come with `sapwood.models`. What it sends can be read
back from the server's `requests`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from sapwood.compaction.summarizer import SummaryReply, SummaryRequest
from support import fake_llm

_STOP_REASONS = {"stop": "stop", "length": "length", "tool_calls": "toolUse"}


@dataclass
class HttpSummarizer:
    """Reaches `http://127.0.0.1:port`; figures are tokens."""

    port: int
    context_window: int = 200_000
    max_output_tokens: int = 8_000
    prompts: list[str] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)

    async def complete(self, request: SummaryRequest) -> SummaryReply:
        self.prompts.append(request.prompt)
        self.limits.append(request.max_tokens)
        return await asyncio.to_thread(self._post, request)

    def _post(self, request: SummaryRequest) -> SummaryReply:
        body = {
            "model": "fake-1",
            "stream": True,
            "max_tokens": request.max_tokens,
            "messages": [
                {"role": "system", "content": request.system_prompt},
                {"role": "user", "content": request.prompt},
            ],
        }
        url = f"http://127.0.0.1:{self.port}/chat/completions"
        headers = {"content-type": "application/json"}
        try:
            with urlopen(Request(url, json.dumps(body).encode(), headers)) as response:
                return _read_stream(response)
        except HTTPError as error:
            text = error.read().decode()
            return SummaryReply(
                "",
                stop_reason="error",
                error=f"HTTP {error.code}",
                overflow="context_length_exceeded" in text,
                retryable=error.code in (429, 500, 503, 529),
            )
        except URLError as error:
            return SummaryReply("", stop_reason="error", error=str(error.reason), retryable=True)


def _read_stream(response: Any) -> SummaryReply:
    text, reason, usage = "", "stop", None
    for line in response:
        data = line.decode().removeprefix("data: ").strip()
        if not data or data == "[DONE]":
            continue
        chunk = json.loads(data)
        if counts := chunk.get("usage"):
            usage = _usage(counts["prompt_tokens"], counts["completion_tokens"])
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
            reason = choice.get("finish_reason") or reason
    return SummaryReply(text, stop_reason=_STOP_REASONS[reason], usage=usage)


def _usage(prompt: int, completion: int) -> Any:
    cost = {"input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.0}
    return {
        "input": prompt, "output": completion, "cacheRead": 0, "cacheWrite": 0,
        "totalTokens": prompt + completion, "cost": cost,
    }  # fmt: skip


@cache
def _server() -> tuple[Any, fake_llm.State]:
    """One server for the whole test run; it is scripted anew for every use."""
    return fake_llm.serve()


@contextmanager
def scripted_summarizer(*replies: dict[str, Any], **figures: int) -> Iterator[HttpSummarizer]:
    """A summarizer whose server gives these replies in turn, then a plain good summary."""
    server, state = _server()
    state.load({"summaries": list(replies)})
    yield HttpSummarizer(server.server_address[1], **figures)
