"""A streaming answer of a real provider, read through pydantic-ai and told in our events."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import TYPE_CHECKING, Any

from sapwood.errors import ModelError
from sapwood.models.builder import AssistantMessageBuilder, StreamEvent
from sapwood.models.failures import Failure
from sapwood.models.model import Model
from sapwood.models.options import StreamOptions, provider_settings
from sapwood.models.provider_errors import failure_of
from sapwood.models.usage import usage_from_report
from sapwood.session.schema import AssistantBlock, StopReason
from sapwood.text import well_formed

if TYPE_CHECKING:
    from pydantic_ai import messages as pa
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse

    from sapwood.context.request import ModelRequest

CUT_SHORT = "The stream ended early: the provider sent no stop reason"


async def provider_events(
    model: Model,
    request: ModelRequest,
    options: StreamOptions,
    max_tokens: int | None,
    builder: AssistantMessageBuilder,
) -> AsyncGenerator[StreamEvent, None]:
    """The events after ``start``. Raises only `ModelError` (nothing to ask with) and
    cancellation."""
    from sapwood.models.clients import adapter_for, require_extra
    from sapwood.models.convert import to_provider_messages

    require_extra(model)
    from pydantic_ai.direct import model_request_stream

    reader = _Reader(model, builder)
    try:
        adapter = adapter_for(model, options.api_key)
        settings: Any = provider_settings(model, adapter, request, options, max_tokens)
        async with model_request_stream(
            adapter,
            to_provider_messages(model, request.messages, adapter.system),
            model_settings=settings,
            model_request_parameters=_parameters(request),
        ) as answer:
            async for event in answer:
                for ours in reader.read(event):
                    yield ours
            for ours in reader.finish(answer):
                yield ours
    except ModelError:
        raise
    except Exception as error:
        # Whatever a provider or its SDK raises is the request's failure, never a crash of the run.
        yield builder.error(failure_of(error, provider=model.provider))


def _parameters(request: ModelRequest) -> ModelRequestParameters:
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=tool["name"],
            description=tool["description"],
            parameters_json_schema=tool["parameters"],
        )
        for tool in request.tools
    ]
    prompt = well_formed(request.system_prompt)
    return ModelRequestParameters(
        function_tools=tools,
        instruction_parts=[InstructionPart(content=prompt)] if prompt.strip() else [],
    )


class _Reader:
    """Turns the parts of an answer, as they arrive, into blocks of our message."""

    def __init__(self, model: Model, builder: AssistantMessageBuilder) -> None:
        self._model = model
        self._builder = builder
        self._index_of: dict[int, int] = {}  # part index of theirs → content index of ours

    def read(self, event: pa.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        from pydantic_ai import messages as pa

        if isinstance(event, pa.PartStartEvent):
            yield from self._start(event.index, event.part)
        elif isinstance(event, pa.PartDeltaEvent) and event.index in self._index_of:
            if text := _delta_text(event.delta):
                yield self._builder.delta(self._index_of[event.index], text)
            if isinstance(event.delta, pa.ToolCallPartDelta) and event.delta.tool_name_delta:
                self._rename(event.index, event.delta.tool_name_delta)

    def _start(self, part_index: int, part: pa.ModelResponsePart) -> Iterator[StreamEvent]:
        block, text = _opening(part)
        if block is None:
            return
        yield from self._close_before(block)
        index, event = self._builder.open(block)
        self._index_of[part_index] = index
        yield event
        if text:
            yield self._builder.delta(index, text)

    def _close_before(self, block: AssistantBlock) -> Iterator[StreamEvent]:
        """Text and thinking end when something else starts; parallel tool calls may interleave."""
        content = self._builder.message["content"]
        for index in self._builder.open_indices():
            if content[index]["type"] != "toolCall" or block["type"] != "toolCall":
                yield from self._end(index)

    def _end(self, index: int) -> Iterator[StreamEvent]:
        if self._builder.message["content"][index]["type"] != "toolCall":
            yield self._builder.close(index)

    def _rename(self, part_index: int, more: str) -> None:
        block = self._builder.message["content"][self._index_of[part_index]]
        if block["type"] == "toolCall":
            block["name"] += more

    def finish(self, answer: StreamedResponse) -> Iterator[StreamEvent]:
        """The ends of what is still open, and the last event."""
        response = answer.get()
        for part_index, part in enumerate(response.parts):
            self._settle(part_index, part)
        for index in self._builder.open_indices():
            yield self._builder.close(index)
        details = response.provider_details or {}
        raw_reason = details.get("finish_reason")
        usage = usage_from_report(self._model, response.usage)
        self._builder.note(
            usage=usage,
            response_id=response.provider_response_id,
            response_model=response.model_name,
            raw_stop_reason=raw_reason if isinstance(raw_reason, str) else None,
        )
        outcome = self._outcome(response.finish_reason, details)
        if isinstance(outcome, Failure):
            yield self._builder.error(outcome)
        else:
            yield self._builder.done(outcome, usage_reported=usage is not None)

    def _settle(self, part_index: int, part: pa.ModelResponsePart) -> None:
        """Take over what only the whole part has: signatures, ids, arguments sent at once."""
        from pydantic_ai import messages as pa

        if part_index not in self._index_of:
            return
        index = self._index_of[part_index]
        details = part.provider_details or {} if hasattr(part, "provider_details") else {}
        signature = details.get("thought_signature")
        if isinstance(part, pa.ThinkingPart):
            self._builder.annotate(
                index,
                thinkingSignature=_thinking_signature(self._model, part),
                redacted=part.id == "redacted_thinking",
            )
        elif isinstance(part, pa.TextPart):
            item = part.id if self._model.api == "openai-responses" else None
            self._builder.annotate(index, textSignature=signature or item)
        elif isinstance(part, pa.ToolCallPart):
            self._builder.annotate(
                index,
                id=self._call_id(index, part),
                name=part.tool_name,
                thoughtSignature=signature,
            )
            self._builder.replace_arguments(index, _arguments_text(part.args))

    def _call_id(self, index: int, part: pa.ToolCallPart) -> str:
        """The id to keep; some servers give none, or the same one to several calls."""
        call_id = part.tool_call_id
        if self._model.api == "openai-responses" and part.id:
            call_id = f"{call_id}|{part.id}"
        content = self._builder.message["content"][:index]
        if call_id and all(b["type"] != "toolCall" or b["id"] != call_id for b in content):
            return call_id
        return f"call_{self._builder.message['timestamp']}_{index}"

    def _outcome(self, reason: str | None, details: dict[str, Any]) -> StopReason | Failure:
        calls = any(block["type"] == "toolCall" for block in self._builder.message["content"])
        if reason == "length":
            return "length"
        if reason == "content_filter":
            why = details.get("refusal") or details.get("finish_reason") or "content filter"
            return Failure("refused", f"The provider refused to answer ({why})")
        if reason == "error":
            return Failure("overloaded", "The provider ended the answer with an error")
        if reason is None:
            return Failure("network", CUT_SHORT)
        return "toolUse" if calls else "stop"


def _opening(part: pa.ModelResponsePart) -> tuple[AssistantBlock | None, str]:
    """An empty block for a part of theirs, and the text that the part starts with."""
    from pydantic_ai import messages as pa

    if isinstance(part, pa.TextPart):
        return {"type": "text", "text": ""}, part.content
    if isinstance(part, pa.ThinkingPart):
        return {"type": "thinking", "thinking": ""}, part.content
    if isinstance(part, pa.ToolCallPart):
        call: AssistantBlock = {
            "type": "toolCall",
            "id": part.tool_call_id,
            "name": part.tool_name,
            "arguments": {},
        }
        return call, _arguments_text(part.args)
    return None, ""


def _delta_text(delta: pa.ModelResponsePartDelta) -> str:
    from pydantic_ai import messages as pa

    if isinstance(delta, pa.ToolCallPartDelta):
        return delta.args_delta if isinstance(delta.args_delta, str) else ""
    if isinstance(delta, (pa.TextPartDelta, pa.ThinkingPartDelta)):
        return delta.content_delta or ""
    return ""


def _arguments_text(args: object) -> str:
    if isinstance(args, str):
        return args
    return json.dumps(args, ensure_ascii=False) if args else ""


def _thinking_signature(model: Model, part: pa.ThinkingPart) -> str | None:
    """What must be kept of a thinking part so that it can be sent back."""
    if model.api == "openai-completions":
        return part.id
    if model.api != "openai-responses":
        return part.signature
    if not part.id:
        return None
    summary = [{"type": "summary_text", "text": part.content}] if part.content else []
    item: dict[str, Any] = {"type": "reasoning", "id": part.id, "summary": summary}
    if part.signature:
        item["encrypted_content"] = part.signature
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
