"""What one request asks for: output limit, thinking and caching, in the words of each wire
format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sapwood.models.model import Model
from sapwood.models.thinking import ThinkingLevel, clamp_level, thinking_budget

if TYPE_CHECKING:
    from pydantic_ai.models import Model as Adapter

    from sapwood.context.request import ModelRequest

SMALLEST_REQUEST = 1024
"""Output tokens asked for when the window seems full: the server then says what is wrong."""


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
    limit = min(limits)
    if model.context_window is None:
        return limit
    room = model.context_window - input_tokens
    return min(limit, max(room, SMALLEST_REQUEST))


def request_tokens(request: ModelRequest) -> int:
    """An estimate of the input of `request` in tokens."""
    from sapwood.context.estimate import estimate_context
    from sapwood.session.codec import json_text

    estimate = estimate_context(request.messages)
    if estimate.last_usage_index is not None:
        return estimate.tokens
    fixed = len(request.system_prompt) + sum(len(json_text(tool)) for tool in request.tools)
    return estimate.tokens + fixed // 4


def provider_settings(
    model: Model,
    adapter: Adapter[Any],
    options: StreamOptions,
    max_tokens: int | None,
) -> dict[str, Any]:
    """The settings of one request, as pydantic-ai names them. Its hidden retries are off."""
    settings: dict[str, Any] = {"max_retries": 0, "parallel_tool_calls": True}
    if max_tokens is not None:
        settings["max_tokens"] = max_tokens
    if headers := {**model.headers, **options.headers}:
        settings["extra_headers"] = headers
    level = clamp_level(model, options.thinking_level)
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
    if model.api == "openai-responses":
        keyed = {"openai_prompt_cache_key": session_id} if session_id else {}
        # Nothing is kept on their side: the session file is the record.
        return {"openai_store": False, **keyed}
    if model.provider == "openai" and session_id:
        return {"openai_prompt_cache_key": session_id}
    return {}
