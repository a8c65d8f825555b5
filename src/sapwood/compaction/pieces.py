"""A conversation cut into pieces that fit a window.

Token counts here are cautious, not the reference's estimate: a wide script costs about a token per
character, and a request that is refused for its length is a request wasted.
"""

from __future__ import annotations

from collections.abc import Iterable

from sapwood.compaction.serialize import clip, serialize_message
from sapwood.session.schema import Message

SMALLEST_ROOM = 400
"""Tokens below which a piece would say nothing."""


def cautious_tokens(text: str) -> int:
    """An upper bound, for most tokenizers, of what a text costs."""
    narrow = len(text.encode("ascii", "ignore"))
    return narrow // 3 + (len(text) - narrow) + 1


def paragraphs(messages: Iterable[Message]) -> list[str]:
    """The serialized conversation, one paragraph a label."""
    return [part for message in messages for part in serialize_message(message)]


def next_piece(parts: list[str], room: int) -> tuple[str, list[str]]:
    """As many leading paragraphs as fit in `room` tokens, joined, and the rest.

    A paragraph that does not fit by itself is shortened, so that there is always progress.
    """
    taken: list[str] = []
    used = 0
    for part in parts:
        cost = cautious_tokens(part)
        if taken and used + cost > room:
            break
        taken.append(part if cost <= room else _shortened(part, room, cost))
        used += cost
    return "\n\n".join(taken), parts[len(taken) :]


def _shortened(part: str, room: int, cost: int) -> str:
    return clip(part, max(1, len(part) * (room - 20) // cost))
