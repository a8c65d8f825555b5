"""Pairing rules for what is inside a message: readable blocks, well-formed text, nothing empty.

A message that already complies is passed on as the very object it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from sapwood.context.projection import Projected
from sapwood.session.codec import decode_line
from sapwood.session.schema import Json, JsonObject, Message
from sapwood.text import well_formed

Readers = Mapping[str, Callable[[JsonObject], JsonObject | None]]
"""Block type → what makes a readable block of it, or None."""

MAX_DEPTH = 100
"""Arguments of a call that are nested more deeply are sent as an empty object."""

NO_OUTPUT = "(no output)"
"""Stands for the empty result of a tool; a result cannot be left out."""


def make_readable(items: list[Projected]) -> list[Projected]:
    """Rule: messages are by user, assistant or tool, and made of blocks that can be read.

    What cannot be read is left out: other roles, blocks that lack their text, image or call. Blank
    text goes too, providers refuse it. Arguments of a call are an object.
    """
    readable: list[Projected] = []
    for item in items:
        read = _READERS.get(item.message["role"])
        if read is not None:
            message = read(item.message)
            readable.append(item if message is item.message else item.with_message(message))
    return readable


def drop_empty(items: list[Projected]) -> list[Projected]:
    """Rule: every message says something.

    Thinking alone is no answer: it may be left out for another model, and then nothing is left.
    A result without content says that there was no output.
    """
    kept: list[Projected] = []
    for item in items:
        message: Any = item.message
        content = message["content"]
        if message["role"] == "toolResult" and not content:
            block = {"type": "text", "text": NO_OUTPUT}
            kept.append(item.with_message(cast(Message, {**message, "content": [block]})))
        elif _says_something(content):
            kept.append(item)
    return kept


def _says_something(content: str | list[JsonObject]) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return any(block["type"] != "thinking" for block in content)


def _with_content(message: Any, content: Json) -> Message:
    """``message`` itself if that is its content already."""
    old = message.get("content")
    if old is content or (isinstance(old, list) and _same_blocks(old, content)):
        return cast(Message, message)
    return cast(Message, {**message, "content": content})


def _same_blocks(old: list[Json], new: list[JsonObject]) -> bool:
    return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))


def _read_user(message: Any) -> Message:
    content = message.get("content")
    if isinstance(content, str):
        return _with_content(message, well_formed(content))
    return _with_content(message, _read_blocks(content, _USER_BLOCKS))


def _read_result(message: Any) -> Message:
    read = {
        "toolCallId": _text(message.get("toolCallId")),
        "toolName": _text(message.get("toolName")),
        "isError": bool(message.get("isError")),
    }
    if any(message.get(name) is not value for name, value in read.items()):
        message = {**message, **read}
    return _with_content(message, _read_blocks(message.get("content"), _USER_BLOCKS))


def _read_assistant(message: Any) -> Message:
    return _with_content(message, _read_blocks(message.get("content"), _ASSISTANT_BLOCKS))


_READERS: dict[str, Callable[[Any], Message]] = {
    "user": _read_user,
    "assistant": _read_assistant,
    "toolResult": _read_result,
}


def _read_blocks(content: Json, readers: Readers) -> list[JsonObject]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks: list[JsonObject] = []
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        read = readers.get(kind) if isinstance(kind, str) else None
        if read is not None and (readable := read(block)) is not None:
            blocks.append(readable)
    return blocks


def _read_text(block: JsonObject) -> JsonObject | None:
    text = block.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    return _with(block, "text", well_formed(text))


def _read_image(block: JsonObject) -> JsonObject | None:
    data, mime_type = block.get("data"), block.get("mimeType")
    return block if data and isinstance(data, str) and isinstance(mime_type, str) else None


def _read_thinking(block: JsonObject) -> JsonObject | None:
    thinking = block.get("thinking")
    if not isinstance(thinking, str):
        return None
    return _with(block, "thinking", well_formed(thinking))


def _read_call(block: JsonObject) -> JsonObject | None:
    name = block.get("name")
    if not isinstance(name, str) or not name.strip():
        return None
    block = _with(block, "id", _text(block.get("id")))
    block = _with(block, "name", well_formed(name))
    return _with(block, "arguments", _arguments(block.get("arguments")))


_USER_BLOCKS: Readers = {"text": _read_text, "image": _read_image}
_ASSISTANT_BLOCKS: Readers = {
    "text": _read_text,
    "thinking": _read_thinking,
    "toolCall": _read_call,
}


def _arguments(value: Json) -> JsonObject:
    """Arguments as an object. Some servers left them as the text of one."""
    try:
        if isinstance(value, str):
            value = decode_line(value.encode("utf-8", "replace"))
        return cast(JsonObject, _deeply_well_formed(value)) if isinstance(value, dict) else {}
    except ValueError:
        return {}


def _deeply_well_formed(value: Json, depth: int = 0) -> Json:
    """``value`` with no half of a surrogate pair in any string; itself if it has none.

    Raises ``ValueError`` for what is nested more deeply than JSON readers can be trusted with.
    """
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        items = [_deeply_well_formed(item, depth + 1) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, dict):
        fields = {well_formed(k): _deeply_well_formed(v, depth + 1) for k, v in value.items()}
        same = all(k in fields and fields[k] is v for k, v in value.items())
        return value if same else fields
    return value


def _text(value: Json) -> str:
    return well_formed(value) if isinstance(value, str) else ""


def _with(block: JsonObject, name: str, value: Json) -> JsonObject:
    return block if block.get(name) is value else {**block, name: value}
