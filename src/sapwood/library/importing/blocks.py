"""Pieces of messages that every format needs: blocks, markers, usage, whole messages."""

from __future__ import annotations

from typing import Any

from sapwood.session.codec import json_text
from sapwood.session.schema import Json, JsonObject
from sapwood.text import cut_utf16, one_line

_SHOWN = 4000
"""UTF-16 units of an unknown part that stay readable in the message."""


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def image_block(data: str, mime_type: str) -> JsonObject:
    return {"type": "image", "data": data, "mimeType": mime_type}


def thinking_block(text: str) -> JsonObject:
    """Without a signature: it means something only to the program that made it."""
    return {"type": "thinking", "thinking": text}


def call_block(call_id: str, name: str, arguments: Json) -> JsonObject:
    """A tool call; what is no object of arguments becomes one."""
    if not isinstance(arguments, dict):
        arguments = {"input": arguments}
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def marker(program: str, kind: str, part: Json) -> JsonObject:
    """A part that has no counterpart here, as text that says where it comes from."""
    shown = cut_utf16(json_text(part), _SHOWN)
    return text_block(f"[{program}: a part of kind {one_line(kind)!r}, taken in as text]\n{shown}")


def assistant_message(provider: str, api: str, model: str, ms: int) -> JsonObject:
    """An empty answer; its blocks and usage are filled in as the log tells them."""
    return {
        "role": "assistant",
        "content": [],
        "api": api,
        "provider": provider,
        "model": model or "unknown",
        "usage": usage(),
        "stopReason": "stop",
        "timestamp": ms,
    }


def tool_result(
    call_id: str, name: str, content: list[JsonObject], is_error: bool, ms: int
) -> JsonObject:
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": name,
        "content": content,
        "isError": is_error,
        "timestamp": ms,
    }


def usage(
    input: Json = 0,  # noqa: A002
    output: Json = 0,
    cache_read: Json = 0,
    cache_write: Json = 0,
) -> JsonObject:
    """Tokens of a request; zeros where the log tells no number, and no cost."""
    counts = [_tokens(each) for each in (input, output, cache_read, cache_write)]
    names = ("input", "output", "cacheRead", "cacheWrite")
    cost: dict[str, Any] = {**dict.fromkeys(names, 0), "total": 0}
    return {**dict(zip(names, counts, strict=True)), "totalTokens": sum(counts), "cost": cost}


def _tokens(value: Json) -> int:
    known = isinstance(value, int) and not isinstance(value, bool)
    return min(max(0, value), 10**12) if known else 0


def has_calls(message: JsonObject) -> bool:
    return any(block["type"] == "toolCall" for block in message["content"])
