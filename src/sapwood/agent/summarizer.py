"""Summaries by a model: one request outside the conversation, sent again on passing trouble.

No tools and none of the agent's prompt go along. The thinking level is at most ``low``: thinking
counts towards the output limit, and the summary needs that room.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, TypeAlias

from sapwood.agent import events
from sapwood.agent.outside import answer_text, ask_once
from sapwood.compaction.settings import ASSUMED_WINDOW
from sapwood.compaction.summarizer import SummaryReply, SummaryRequest
from sapwood.errors import ModelError
from sapwood.models.thinking import LEVELS

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.models.failures import Failure
    from sapwood.models.model import Model
    from sapwood.session.schema import AssistantMessage

Source: TypeAlias = Literal["compaction", "branchSummary"]

UNKNOWN_OUTPUT = 4_096
MAX_LEVEL = "low"


class ModelSummarizer:
    """Implements ``compaction.Summarizer``; cancel the task to stop it."""

    def __init__(self, conversation: Conversation, model: Model, source: Source) -> None:
        self._conversation = conversation
        self._model = conversation.model_in_force(model)
        self._source = source
        self.context_window = self._model.context_window or ASSUMED_WINDOW
        self.max_output_tokens = self._model.max_output_tokens or UNKNOWN_OUTPUT

    async def complete(self, request: SummaryRequest) -> SummaryReply:
        """One answer; a failure is a reply with ``error``, never an exception."""
        policy = self._conversation.retry_policy
        emit = self._conversation.emit
        attempt = 0
        while True:
            message, failure = await self._ask(request)
            delay = policy.delay_ms(attempt + 1, failure) if failure is not None else None
            if failure is None or delay is None:
                break
            attempt += 1
            emit(
                events.summarization_retry_scheduled(
                    self._source, attempt, policy.max_retries, delay, failure.message
                )
            )
            await asyncio.sleep(delay / 1000)
            emit(events.summarization_retry_attempt_start(self._source, failure.message))
        if attempt:
            emit(events.summarization_retry_finished())
        return _reply(message, failure)

    async def _ask(self, request: SummaryRequest) -> tuple[AssistantMessage, Failure | None]:
        level = min(self._conversation.thinking_level, MAX_LEVEL, key=LEVELS.index)
        return await ask_once(
            self._conversation,
            self._model,
            request.prompt,
            system_prompt=request.system_prompt,
            level=level,
            max_tokens=request.max_tokens,
        )


def _reply(message: AssistantMessage, failure: Failure | None) -> SummaryReply:
    return SummaryReply(
        text=answer_text(message),
        stop_reason=message["stopReason"],
        usage=message["usage"],
        error=failure.message if failure else None,
        overflow=failure is not None and failure.kind == "overflow",
        retryable=False,  # passing trouble was waited for here
        learnt_window=failure.context_window if failure else None,
    )


def summarizer_for(conversation: Conversation, source: Source) -> ModelSummarizer | None:
    """The model set for summaries, else the session's own; None where there is neither."""
    name = conversation.settings.compaction.model
    if name:
        try:
            model = conversation.catalogue.find(name).model
            conversation.api_key(model)
            return ModelSummarizer(conversation, model, source)
        except ModelError as error:
            conversation.notice(f"The model for summaries, {name}, cannot be used: {error}")
    if conversation.model is None:
        return None
    return ModelSummarizer(conversation, conversation.model, source)
