"""One request to a model, as a stream of events.

Events are dicts. The first is ``{"type": "start", "partial": message}``, the last either
``{"type": "done", "reason", "message"}`` or ``{"type": "error", "reason", "message", "failure"}``;
between them ``text_…``, ``thinking_…`` and ``toolcall_…`` with ``_start``, ``_delta`` {delta} and
``_end`` {content | toolCall}, each with the ``contentIndex`` of its block.

A provider's failure is an event, never an exception. Cancelling the task that iterates closes the
connection at once and raises ``CancelledError`` as usual; `ModelStream.aborted` then gives what had
arrived. Nothing is sent twice: retrying is for the caller to decide.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING

from sapwood.errors import ModelError
from sapwood.models.builder import AssistantMessageBuilder, StreamEvent
from sapwood.models.failures import Failure
from sapwood.models.model import Model
from sapwood.models.options import StreamOptions, output_limit, request_tokens
from sapwood.models.thinking import clamp_level
from sapwood.session.schema import AssistantMessage

if TYPE_CHECKING:
    from sapwood.context.request import ModelRequest

__all__ = ["ModelStream", "StreamEvent", "StreamOptions", "stream"]


def stream(model: Model, request: ModelRequest, options: StreamOptions) -> ModelStream:
    """Ask `model`. Nothing is sent before the first event is awaited."""
    return ModelStream(model, request, options)


class ModelStream(AsyncIterator[StreamEvent]):
    """The answer to one request while it arrives."""

    def __init__(self, model: Model, request: ModelRequest, options: StreamOptions) -> None:
        self.max_tokens = output_limit(model, options.max_tokens, request_tokens(request))
        """The output limit sent, in tokens; None if none was."""
        level = clamp_level(model, options.thinking_level)
        self._builder = AssistantMessageBuilder(model, level, round(time.time() * 1000))
        self._events = self._run(model, request, options)

    @property
    def message(self) -> AssistantMessage:
        """The message so far."""
        return self._builder.message

    def aborted(self) -> AssistantMessage:
        """After a cancellation: the message with what had arrived, ``stopReason`` ``aborted``."""
        return self._builder.aborted()

    def __aiter__(self) -> ModelStream:
        return self

    async def __anext__(self) -> StreamEvent:
        return await self._events.__anext__()

    async def aclose(self) -> None:
        """Stop early and close the connection."""
        await self._events.aclose()

    async def _run(
        self, model: Model, request: ModelRequest, options: StreamOptions
    ) -> AsyncGenerator[StreamEvent, None]:
        yield self._builder.start()
        try:
            if model.api == "scripted":
                from sapwood.models.scripted import scripted_events as events
            else:
                from sapwood.models.provider_stream import provider_events as events
            answer = events(model, request, options, self.max_tokens, self._builder)
            async with contextlib.aclosing(answer):
                async for event in answer:
                    yield event
        except ModelError as error:
            yield self._builder.error(Failure("fatal", str(error)))
