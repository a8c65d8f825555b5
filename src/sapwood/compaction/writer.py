"""A summary by a model: folded in pieces, checked, repaired once, or given up.

A history that does not fit the summarizer's window is folded in, oldest piece first, each request
updating the summary so far. Requests run one after the other. Over all of them at most
`MAX_WASTED` may fail; then `SummaryFailedError` says why and the caller turns to the extractor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from sapwood.compaction.checks import find_fault, unwrap
from sapwood.compaction.pieces import SMALLEST_ROOM, cautious_tokens, next_piece, paragraphs
from sapwood.compaction.prompts import SYSTEM_PROMPT, repair_prompt
from sapwood.compaction.summarizer import Summarizer, SummaryReply, SummaryRequest, add_usage
from sapwood.errors import CompactionError
from sapwood.session.schema import Message, Usage

MAX_WASTED = 2
MARGIN = 200
"""Tokens left free beside input and answer, for the provider's own framing."""

MakePrompt = Callable[[str, str | None], str]
"""Conversation text and the summary so far → a prompt."""


class SummaryFailedError(CompactionError):
    """The model gave no usable summary; the message says what it gave instead."""


class SummaryWriter:
    """Writes the summaries of one compaction; `usage` adds up over all its requests."""

    def __init__(
        self,
        summarizer: Summarizer,
        max_tokens: int,
        *,
        notify: Callable[[str], None],
        retry_delay: float,
    ) -> None:
        self._summarizer = summarizer
        self._window = summarizer.context_window
        self._limit = min(max_tokens, summarizer.max_output_tokens)
        self._notify = notify
        self._retry_delay = retry_delay
        self._wasted = 0
        self.usage: Usage | None = None

    @property
    def _max_tokens(self) -> int:
        return max(1, min(self._limit, self._window // 4))

    async def write(
        self, messages: Sequence[Message], make_prompt: MakePrompt, previous: str | None = None
    ) -> str:
        """Fold `messages` into a summary; raises `SummaryFailedError`."""
        summary, parts = previous, paragraphs(messages)
        piece_number = 0
        while parts:
            piece, rest = next_piece(parts, self._room(make_prompt, summary))
            piece_number += 1
            if rest or piece_number > 1:
                self._notify(f"Summarizing piece {piece_number}")
            answer = await self._ask(make_prompt(piece, summary))
            if answer is not None:
                summary, parts = answer, rest
        if summary is None:
            raise SummaryFailedError("there is nothing to summarize")
        return summary

    def _room(self, make_prompt: MakePrompt, summary: str | None) -> int:
        overhead = cautious_tokens(SYSTEM_PROMPT + make_prompt("", summary)) + MARGIN
        room = self._window - self._max_tokens - overhead
        if room < SMALLEST_ROOM:
            raise SummaryFailedError("the summarizing model's window is too small")
        return room

    async def _ask(self, prompt: str) -> str | None:
        """One accepted answer, or None when the window turned out smaller: cut again."""
        text = prompt
        while True:
            request = SummaryRequest(SYSTEM_PROMPT, text, self._max_tokens)
            reply = await self._summarizer.complete(request)
            self.usage = add_usage(self.usage, reply.usage)
            if reply.error is None:
                fault = find_fault(reply, request.max_tokens)
                if fault is None:
                    return unwrap(reply.text)
                self._count_wasted(f"the model's answer could not be used: {fault}")
                text = repair_prompt(prompt, fault)
            elif reply.overflow:
                self._count_wasted("the summary request was too long for the model")
                self._learn_window(reply)
                return None
            elif reply.retryable:
                self._count_wasted(reply.error)
                await asyncio.sleep(self._retry_delay)
            else:
                raise SummaryFailedError(reply.error)

    def _count_wasted(self, reason: str) -> None:
        self._wasted += 1
        if self._wasted >= MAX_WASTED:
            raise SummaryFailedError(reason)

    def _learn_window(self, reply: SummaryReply) -> None:
        learnt = reply.learnt_window or self._window
        self._window = learnt if learnt < self._window else self._window // 2
