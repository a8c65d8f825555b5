"""Pairing rule for images: a request holds a bounded number of image bytes, the newest first.

Servers refuse large bodies whatever the tokens, and a session collects screenshots for days.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple, cast

from sapwood.context.projection import Projected
from sapwood.session.schema import JsonObject, Message

IMAGE_BYTES = 12_000_000
"""At most this many bytes of base64 in one request: the smallest limit known is 16 MB a body."""

IMAGE_BYTES_AFTER = 6_000_000
"""Once there are more, older images go until this many are left. So much is made room for at once
that what is sent stays the same over many requests, and a provider's cache of it valid.
"""

IMAGE_LEFT_OUT = "[An older image was left out to keep the request small.]"


class _Image(NamedTuple):
    item: int
    block: int
    size: int


def limit_images(items: list[Projected]) -> list[Projected]:
    """Rule: older images beyond the limit are replaced by a line that says so."""
    kept: deque[_Image] = deque()
    dropped: dict[int, set[int]] = {}
    total = 0
    for index, item in enumerate(items):
        for number, block in enumerate(_content(item)):
            if block["type"] != "image":
                continue
            kept.append(_Image(index, number, len(block["data"])))
            total += len(block["data"])
            if total > IMAGE_BYTES:
                while total > IMAGE_BYTES_AFTER and (len(kept) > 1 or total > IMAGE_BYTES):
                    image = kept.popleft()
                    total -= image.size
                    dropped.setdefault(image.item, set()).add(image.block)
    if not dropped:
        return items
    return [
        _without(item, dropped[index]) if index in dropped else item
        for index, item in enumerate(items)
    ]


def _content(item: Projected) -> list[JsonObject]:
    content: Any = cast(Any, item.message)["content"]
    return content if isinstance(content, list) else []


def _without(item: Projected, dropped: set[int]) -> Projected:
    content = [
        {"type": "text", "text": IMAGE_LEFT_OUT} if number in dropped else block
        for number, block in enumerate(_content(item))
    ]
    return item.with_message(cast(Message, {**cast(Any, item.message), "content": content}))
