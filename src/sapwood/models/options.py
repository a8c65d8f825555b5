"""What one request asks for: output limit, thinking and caching, in the words of each wire
format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sapwood.models.convert import is_own
from sapwood.models.model import Model
from sapwood.models.thinking import ThinkingLevel, clamp_level, thinking_budget
from sapwood.session.schema import Message

if TYPE_CHECKING:
    from pydantic_ai.models import Model as Adapter

    from sapwood.context.request import ModelRequest

SMALLEST_REQUEST = 1024
"""Output tokens asked for when the window seems full: the server then says what is wrong."""


LONGEST_CACHE_KEY = 64
"""Characters that OpenAI takes as a prompt cache key."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How to make one request.

    ``max_tokens``: output limit in tokens, None for the model's own. ``session_id`` keys the
    provider's prompt cache. ``headers`` are added to the model's.
    """

    api_key: str | None = None
    thinking_level: str = "off"
    max_tokens: int | None = None
    session_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def output_limit(model: Model, wanted: int | None, input_tokens: int) -> int | None:
    """The output limit to send: at most the model's own, and what the window leaves beside the
    input.

    None: neither is known, so none is sent. A window that seems full still gets a small limit, for
    the estimate may be wrong and the server knows better.
    """
    limits = [limit for limit in (wanted, model.max_output_tokens) if limit]
    if not limits:
        return None
    room = model.context_window - input_tokens if model.context_window is not None else None
    return min(limits) if room is None else min(*limits, max(room, SMALLEST_REQUEST))


def request_tokens(request: ModelRequest) -> int:
    """An estimate of the input of `request` in tokens.

    Usage reported earlier is left aside: after a compaction it speaks of a context that is gone,
    and a limit on the output that is too low cuts an answer short for nothing.
    """
    from sapwood.context.estimate import estimate_tokens
    from sapwood.session.codec import json_text

    fixed = len(request.system_prompt) + sum(len(json_text(tool)) for tool in request.tools)
    return fixed // 4 + sum(estimate_tokens(message) for message in request.messages)


def provider_settings(
    model: Model,
    adapter: Adapter[Any],
    request: ModelRequest,
    options: StreamOptions,
    max_tokens: int | None,
) -> dict[str, Any]:
    """The settings of one request, as pydantic-ai names them. Hidden retries are off."""
    settings: dict[str, Any] = {"parallel_tool_calls": True}
    if model.api == "google-generative-ai":
        settings["max_retries"] = 0  # the clients of the others were made with that
    if max_tokens is not None:
        settings["max_tokens"] = max_tokens
    if headers := {**model.headers, **options.headers}:
        settings["extra_headers"] = headers
    level = clamp_level(model, options.thinking_level)
    if _is_in_a_turn_begun_without_thinking(model, request.messages):
        level = "off"
    settings.update(_thinking_settings(model, adapter, level, max_tokens))
    settings.update(_cache_settings(model, options.session_id))
    return settings


def _thinking_settings(
    model: Model, adapter: Adapter[Any], level: ThinkingLevel, max_tokens: int | None
) -> dict[str, Any]:
    if not model.reasoning:
        return {}
    if model.api == "openai-completions":
        return _chat_effort(model, level)
    if level != "off" and _takes_budget(model, adapter) and max_tokens is not None:
        return _budget(model, thinking_budget(level, max_tokens))
    settings: dict[str, Any] = {"thinking": False if level == "off" else level}
    if model.api == "openai-responses" and level != "off":
        settings["openai_reasoning_summary"] = "auto"
    return settings


def _takes_budget(model: Model, adapter: Adapter[Any]) -> bool:
    """Older models take a number of tokens, newer ones choose how long to think."""
    profile: Mapping[str, Any] = adapter.profile
    if model.api == "anthropic-messages":
        return not profile.get("anthropic_supports_adaptive_thinking", False)
    if model.api == "google-generative-ai":
        return not profile.get("google_supports_thinking_level", True)
    return False


def _is_in_a_turn_begun_without_thinking(model: Model, messages: Sequence[Message]) -> bool:
    """Whether the calls now answered were made without thinking of this model's own.

    Then it cannot begin to think before the turn is over: Anthropic wants an answer with calls to
    open with its signed thinking.
    """
    if model.api != "anthropic-messages" or not messages or messages[-1]["role"] != "toolResult":
        return False
    last = next((m for m in reversed(messages) if m["role"] == "assistant"), None)
    if last is None or last["role"] != "assistant" or not last["content"]:
        return False
    first = last["content"][0]
    thought = first["type"] == "thinking" and bool(first.get("thinkingSignature"))
    return not (thought and is_own(model, last))


def _budget(model: Model, budget: int | None) -> dict[str, Any]:
    """Thinking with `budget` tokens, or none at all where there is no room for it."""
    if budget is None:
        return {"thinking": False}
    if model.api == "anthropic-messages":
        return {"anthropic_thinking": {"type": "enabled", "budget_tokens": budget}}
    return {"google_thinking_config": {"include_thoughts": True, "thinking_budget": budget}}


_EFFORTS = {"xhigh": "high", "max": "high"}
"""Compatible servers know no more than low, medium and high."""


def _chat_effort(model: Model, level: ThinkingLevel) -> dict[str, Any]:
    if level == "off" or model.compat.get("supportsReasoningEffort") is False:
        return {}
    effort = level if model.provider == "openai" else _EFFORTS.get(level, level)
    return {"openai_reasoning_effort": "low" if effort == "minimal" else effort}


def _cache_settings(model: Model, session_id: str | None) -> dict[str, Any]:
    if model.api == "anthropic-messages":
        return {
            "anthropic_cache_tool_definitions": True,
            "anthropic_cache_instructions": True,
            "anthropic_cache_messages": True,
        }
    settings: dict[str, Any] = {}
    if model.api == "openai-responses":
        settings["openai_store"] = False  # The session file is the record.
    if session_id and (model.api == "openai-responses" or model.provider == "openai"):
        settings["openai_prompt_cache_key"] = session_id[:LONGEST_CACHE_KEY]
    return settings
