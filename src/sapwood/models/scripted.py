"""A model that answers from a JSON file: no network, no key. For the demo, examples and tests.

The file is a list of steps, or an object::

    {"contextWindow": 8000, "maxTokens": 1000, "reasoning": true, "chunk": 40,
     "steps": [step, …], "summaries": [step, …]}

A step: ``{"text", "thinking", "tools": [{"name", "arguments", "id"?}], "usage": {"input", "output",
"cacheRead", "cacheWrite"}, "stop": "length", "error": text or {"message", "status",
"retryAfterMs"}, "delay": seconds, "match": regex}``. Each session takes the steps in turn, and the
last one again and again; a step with ``match`` is taken, before the others and any number of times,
whenever the last user text fits. Requests for a summary take from ``summaries``, else get a plain
one.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sapwood.errors import ModelError
from sapwood.models.builder import AssistantMessageBuilder, StreamEvent
from sapwood.models.model import Model, ModelCost
from sapwood.models.options import StreamOptions, request_tokens
from sapwood.models.prices import TokenCounts
from sapwood.models.usage import make_usage
from sapwood.session.schema import JsonObject, Message, Usage

if TYPE_CHECKING:
    from sapwood.context.request import ModelRequest

SCRIPTED = "scripted"
DEFAULT_CHUNK = 400

_SUMMARY = """## Goal
Carry out the scripted task.

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] The earlier steps of the script

### In Progress
- [ ] The current step

### Blocked
- (none)

## Key Decisions
- **Scripted**: every answer is known beforehand

## Next Steps
1. Go on with the script

## Critical Context
- (none)"""


def scripted_model(path: str) -> Model:
    """The model ``scripted/<path>``. A file that cannot be read shows when it is first asked."""
    try:
        settings = _load(path).settings
    except ModelError:
        settings = {}
    return Model(
        provider=SCRIPTED,
        id=path,
        api="scripted",
        name=Path(path).stem,
        base_url=path,
        context_window=settings.get("contextWindow"),
        max_output_tokens=settings.get("maxTokens"),
        reasoning=bool(settings.get("reasoning")),
        cost=ModelCost(),
    )


@dataclass(slots=True)
class _Script:
    """A loaded file, and how far each session is in it."""

    settings: JsonObject
    steps: list[JsonObject]
    summaries: list[JsonObject]
    positions: dict[tuple[str | None, str], int] = field(default_factory=dict)

    def next_step(self, request: ModelRequest, session_id: str | None) -> JsonObject:
        if _wants_summary(request):
            return self._in_turn("summaries", self.summaries, session_id) or {"text": _SUMMARY}
        said = _last_user_text(request.messages)
        for step in self.steps:
            if "match" in step and re.search(step["match"], said):
                return step
        unmatched = [step for step in self.steps if "match" not in step]
        return self._in_turn("steps", unmatched, session_id) or {"text": "ok"}

    def _in_turn(
        self, kind: str, steps: list[JsonObject], session_id: str | None
    ) -> JsonObject | None:
        position = self.positions.get((session_id, kind), 0)
        self.positions[session_id, kind] = position + 1
        return steps[min(position, len(steps) - 1)] if steps else None


_scripts: dict[str, tuple[int, _Script]] = {}


def _load(path: str) -> _Script:
    """The script at `path`, read again when the file has changed. Raises `ModelError`."""
    file = Path(path).expanduser()
    try:
        stamp = file.stat().st_mtime_ns
        kept = _scripts.get(path)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"The script {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"The script {path} is not valid JSON: {error}") from None
    settings = {"steps": content} if isinstance(content, list) else content
    if not isinstance(settings, dict) or not isinstance(settings.get("steps", []), list):
        raise ModelError(f"The script {path} must be a list of steps or an object with “steps”")
    script = _Script(settings, settings.get("steps", []), settings.get("summaries", []))
    _scripts[path] = (stamp, script)
    return script


def _wants_summary(request: ModelRequest) -> bool:
    if request.tools:
        return False
    said = request.system_prompt + "".join(_texts(request.messages))
    return "Goal" in said and "Next Steps" in said


def _last_user_text(messages: list[Message]) -> str:
    for message in reversed(messages):
        if message["role"] == "user":
            return "".join(_texts([message]))
    return ""


def _texts(messages: list[Message]) -> Iterator[str]:
    for message in messages:
        content: Any = message.get("content") or []
        if isinstance(content, str):
            yield content
            continue
        for block in content:
            if block.get("type") == "text":
                yield block["text"]


async def scripted_events(
    model: Model,
    request: ModelRequest,
    options: StreamOptions,
    max_tokens: int | None,
    builder: AssistantMessageBuilder,
) -> AsyncGenerator[StreamEvent, None]:
    """The events after ``start`` of the next step. Raises `ModelError` for an unusable file."""
    import asyncio

    script = _load(model.base_url or model.id)
    step = script.next_step(request, options.session_id)
    await asyncio.sleep(step.get("delay", 0))
    if error := step.get("error"):
        from sapwood.models.classify import failure_from_text

        details = error if isinstance(error, dict) else {"message": error}
        yield builder.error(
            failure_from_text(
                str(details.get("message", "scripted error")),
                status=details.get("status"),
                retry_after_ms=details.get("retryAfterMs"),
            )
        )
        return
    chunk = int(script.settings.get("chunk", DEFAULT_CHUNK))
    for event in _content_events(step, chunk, builder):
        yield event
        await asyncio.sleep(0)
    builder.note(usage=_usage(model, step, request, builder), response_id=step.get("id"))
    called = bool(step.get("tools"))
    yield builder.done(step.get("stop") or ("toolUse" if called else "stop"), usage_reported=True)


def _content_events(
    step: JsonObject, chunk: int, builder: AssistantMessageBuilder
) -> Iterator[StreamEvent]:
    if thinking := step.get("thinking"):
        yield from _grow(
            builder, *builder.open({"type": "thinking", "thinking": ""}), thinking, chunk
        )
    if text := step.get("text"):
        yield from _grow(builder, *builder.open({"type": "text", "text": ""}), text, chunk)
    for number, tool in enumerate(step.get("tools") or []):
        call_id = tool.get("id") or f"call_{builder.message['timestamp']}_{number}"
        arguments = tool.get("arguments", {})
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        yield from _grow(
            builder,
            *builder.open(
                {"type": "toolCall", "id": call_id, "name": tool["name"], "arguments": {}}
            ),
            raw,
            chunk,
        )


def _grow(
    builder: AssistantMessageBuilder, index: int, started: StreamEvent, text: str, chunk: int
) -> Iterator[StreamEvent]:
    yield started
    for at in range(0, len(text), chunk):
        yield builder.delta(index, text[at : at + chunk])
    yield builder.close(index)


def _usage(
    model: Model, step: JsonObject, request: ModelRequest, builder: AssistantMessageBuilder
) -> Usage:
    stated = step.get("usage") or {}
    written = len(json.dumps(builder.message["content"], ensure_ascii=False)) // 4
    tokens = TokenCounts(
        stated.get("input", request_tokens(request)),
        stated.get("output", max(1, written)),
        stated.get("cacheRead", 0),
        stated.get("cacheWrite", 0),
    )
    return make_usage(model, tokens)
