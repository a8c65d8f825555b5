"""Answers in the Anthropic wire format, made from the same kind of steps as `fake_llm`'s.

A step: ``{"thinking", "signature", "redacted", "text", "tools": [{"name", "arguments", "id"}],
"usage": {"input", "output", "cache_read", "cache_write"}, "stop", "cut", "hang", "stream_error"}``,
or ``{"error": name}`` out of `ERRORS`.
"""

from __future__ import annotations

import json
from typing import Any

from support.sse_server import Reply

ERRORS: dict[str, Reply] = {
    "overflow": Reply(
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 213462 tokens > 200000 maximum",
            },
        },
    ),
    "output_limit": Reply(
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "input length and `max_tokens` exceed context limit: 188240 + 21333 > "
                "200000, decrease input length or `max_tokens` and try again",
            },
        },
    ),
    "overloaded": Reply(
        529,
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ),
    "rate_limit": Reply(
        429,
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "message": "This request would exceed the rate limit of 30,000 input tokens per "
                "minute",
            },
        },
        headers={"retry-after": "7"},
    ),
    "auth": Reply(
        401,
        {
            "type": "error",
            "error": {"type": "authentication_error", "message": "invalid x-api-key"},
        },
    ),
}


def anthropic_reply(step: dict[str, Any]) -> Reply:
    """The HTTP reply that carries `step`."""
    if "error" in step:
        return ERRORS[step["error"]]
    usage = step.get("usage") or {}
    started = {
        "input_tokens": usage.get("input", 10),
        "cache_read_input_tokens": usage.get("cache_read", 0),
        "cache_creation_input_tokens": usage.get("cache_write", 0),
        "output_tokens": 1,
    }
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": step.get("model", "claude-test"),
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": started,
            },
        }
    ]
    blocks = _blocks(step)
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        if not (step.get("cut") or step.get("hang")) or index < len(blocks) - 1:
            events.append({"type": "content_block_stop", "index": index})
    if step.get("stream_error"):
        events.append(ERRORS["overloaded"].body)
    elif not (step.get("cut") or step.get("hang") or step.get("ends_early")):
        events += _ending(step, usage)
    return Reply(
        events=[(event["type"], event) for event in events],
        cut=bool(step.get("cut")),
        hang=bool(step.get("hang")),
    )


def _ending(step: dict[str, Any], usage: dict[str, int]) -> list[dict[str, Any]]:
    stop = step.get("stop") or ("tool_use" if step.get("tools") else "end_turn")
    return [
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": usage.get("output", 5)},
        },
        {"type": "message_stop"},
    ]


def _blocks(step: dict[str, Any]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if "thinking" in step:
        deltas = [{"type": "thinking_delta", "thinking": t} for t in _halves(step["thinking"])]
        deltas.append({"type": "signature_delta", "signature": step.get("signature", "sig")})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if "redacted" in step:
        blocks.append(({"type": "redacted_thinking", "data": step["redacted"]}, []))
    if "text" in step:
        deltas = [{"type": "text_delta", "text": t} for t in _halves(step["text"])]
        blocks.append(({"type": "text", "text": ""}, deltas))
    for number, tool in enumerate(step.get("tools") or []):
        raw = tool["arguments"]
        raw = raw if isinstance(raw, str) else json.dumps(raw)
        start = {
            "type": "tool_use",
            "id": tool.get("id", f"toolu_{number}"),
            "name": tool["name"],
            "input": {},
        }
        blocks.append(
            (start, [{"type": "input_json_delta", "partial_json": t} for t in _halves(raw)])
        )
    return blocks


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]
