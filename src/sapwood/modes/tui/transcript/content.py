"""Reading the content of messages: its text, its images, in one place.

Content is a string or a list of blocks, and comes from files that anybody may have written: what
has another shape is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.session.schema import Json, JsonObject


def blocks(content: Json) -> Iterator[JsonObject]:
    """The blocks of a message's content; a string counts as one text block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def text_of(content: Json) -> str:
    """All text blocks, joined by newlines."""
    return "\n".join(
        block["text"]
        for block in blocks(content)
        if block.get("type") == "text" and isinstance(block.get("text"), str)
    )


def images_of(content: Json) -> list[str]:
    """A few words for each image: ``image/png, 34 KB``."""
    return [
        f"{field(block, 'mimeType') or 'image'}, {size_text(base64_size(field(block, 'data')))}"
        for block in blocks(content)
        if block.get("type") == "image"
    ]


def field(data: Any, name: str) -> str:
    """A string field of an object; empty when it is missing or something else."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""


def base64_size(data: str) -> int:
    """Bytes that base64 text stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def size_text(size: int) -> str:
    """Bytes as people say them: ``812 B``, ``34 KB``, ``1.2 MB``."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.0f} KB"
    return f"{size / 1_000_000:.1f} MB"
