"""Messages as the plain text that a summarizer reads.

`[User]: …`, `[Assistant]: …`, `[Assistant tool calls]: name(k=json, …); …`, `[Tool result]: …`,
with a blank line between. Thinking, system messages and whatever the user excluded are left out.
Every kind of text is cut at a limit (UTF-16 units, never inside a code point) with a marker that
tells how much is missing. Lines that look like a role label are disarmed. Source: session format.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sapwood.compaction.untrusted import disarm_labels
from sapwood.context.convert import to_model_message
from sapwood.session.codec import json_text
from sapwood.session.javascript import items
from sapwood.session.schema import Json, Message
from sapwood.text import cut_utf16, utf16_len

TOOL_RESULT_LIMIT = 2000
TEXT_LIMIT = 40_000
"""Limit of one user, custom or assistant text: some 10,000 tokens, far above what people type."""
ARGUMENT_LIMIT = 8000
IMAGE_MARKER = "[image]"


def serialize(messages: Iterable[Message]) -> str:
    """The conversation as text; empty when nothing in it is for a model."""
    return "\n\n".join(part for message in messages for part in serialize_message(message))


def serialize_message(message: Message) -> list[str]:
    """The labelled paragraphs of one message: none, one, or two (an answer and its tool calls)."""
    converted: Any = to_model_message(message)
    if converted is None:
        return []
    match converted.get("role"):
        case "user":
            text = _text_and_images(converted.get("content"))
            return [_labelled("User", text, TEXT_LIMIT)] if text else []
        case "assistant":
            return _assistant(converted.get("content"))
        case "toolResult":
            text = _text_and_images(converted.get("content"))
            return [_labelled("Tool result", text, TOOL_RESULT_LIMIT)] if text else []
        case _:
            return []


def clip(text: str, limit: int) -> str:
    """`text`, or its first `limit` UTF-16 units and a note of how many more there were."""
    length = utf16_len(text)
    if length <= limit:
        return text
    return f"{cut_utf16(text, limit)}\n\n[... {length - limit} more characters truncated]"


def blocks_of(content: Json) -> list[dict[str, Any]]:
    """The content blocks of a message, whatever was stored: bare text becomes one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def plain_text(content: Json, separator: str = "\n") -> str:
    """The text blocks of a content, joined."""
    texts = (block.get("text") for block in blocks_of(content) if block.get("type") == "text")
    return separator.join(text for text in texts if isinstance(text, str))


def _labelled(label: str, text: str, limit: int) -> str:
    return f"[{label}]: {disarm_labels(clip(text, limit))}"


def _text_and_images(content: Json) -> str:
    blocks = blocks_of(content)
    text = plain_text(blocks, "")
    images = sum(block.get("type") == "image" for block in blocks)
    if not images:
        return text
    marker = IMAGE_MARKER if images == 1 else f"[{images} images]"
    return f"{text}\n{marker}" if text else marker


def _assistant(content: Json) -> list[str]:
    blocks = blocks_of(content)
    calls = [_call(block) for block in blocks if block.get("type") == "toolCall"]
    parts: list[str] = []
    if any(block.get("type") == "text" for block in blocks):  # an empty text is an answer too
        parts.append(_labelled("Assistant", plain_text(blocks), TEXT_LIMIT))
    if calls:
        parts.append(f"[Assistant tool calls]: {disarm_labels('; '.join(calls))}")
    return parts


def _call(block: dict[str, Any]) -> str:
    arguments = ", ".join(
        f"{name}={clip(json_text(value), ARGUMENT_LIMIT)}"
        for name, value in _entries(block.get("arguments"))
    )
    return f"{block.get('name')}({arguments})"


def _entries(arguments: Json) -> list[tuple[str, Json]]:
    """The arguments as JavaScript enumerates them; a list or text goes by position."""
    if isinstance(arguments, dict):
        return items(arguments)
    if isinstance(arguments, list | str):
        return [(str(index), value) for index, value in enumerate(arguments)]
    return []
