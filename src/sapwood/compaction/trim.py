"""A kept tail that is too large by itself: its largest texts are shortened by context edits.

Tool results first; if that is not enough, what was typed, pasted or injected. The record keeps the
whole text; the context sees the beginning, a marker, and the end, and every image. Edits are plain
`context_edit` entries, so they are branch-local, visible, and can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from sapwood.compaction.cut import Slot
from sapwood.compaction.serialize import blocks_of, plain_text
from sapwood.context.estimate import estimate_tokens
from sapwood.session.schema import Message, Replacement
from sapwood.text import cut_utf16, utf16_len

SHORTEST_RESULT = 2000
"""UTF-16 units below which a tool result is left alone."""

SHORTEST_REQUEST = 8000
"""The same for what the user or an extension said: only what was pasted is longer."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A context edit to append: the new content of one entry, and the estimated tokens it saves."""

    target_id: str
    replacement: Replacement
    saved_tokens: int


def shorten_texts(slots: Iterable[Slot], limit: int) -> list[Edit]:
    """Edits that bring the slots to at most `limit` tokens, or as near as they can.

    The largest texts shrink first, all to one common length, so that none is cut needlessly deep.
    """
    slots = list(slots)
    excess = sum(slot.tokens for slot in slots) - limit
    edits = _shortened(slots, {"toolResult"}, excess, SHORTEST_RESULT)
    excess -= sum(edit.saved_tokens for edit in edits)
    return edits + _shortened(slots, {"user", "custom"}, excess, SHORTEST_REQUEST)


def _shortened(slots: list[Slot], roles: set[str], excess: int, shortest: int) -> list[Edit]:
    """Edits of the entries with these roles that together save `excess` tokens, if they can."""
    if excess <= 0:
        return []
    found = [slot for slot in slots if slot.has_role(roles) and slot.entry.id]
    length = _common_length([_length(slot) for slot in found], excess * 4, shortest)
    edits = (_edit(slot, length) for slot in found if _length(slot) > length)
    return [edit for edit in edits if edit.saved_tokens > 0]


def _common_length(lengths: list[int], excess: int, shortest: int) -> int:
    """The length to which all longer texts must shrink to save `excess` units."""
    lengths = sorted((length for length in lengths if length > shortest), reverse=True)
    total = 0
    for count, length in enumerate(lengths, 1):
        total += length
        following = lengths[count] if count < len(lengths) else shortest
        saved = total - count * following
        if saved >= excess:
            return max(shortest, following + (saved - excess) // count)
    return shortest


def _length(slot: Slot) -> int:
    return sum(utf16_len(plain_text(message.get("content"))) for message in slot.messages)


def _edit(slot: Slot, length: int) -> Edit:
    contents = [message.get("content") for message in slot.messages]
    text = "\n".join(map(plain_text, contents))
    marker = f"\n\n[... {utf16_len(text) - length} characters left out to fit the context ...]\n\n"
    room = max(length - utf16_len(marker), 0)
    head = cut_utf16(text, room * 2 // 3)
    shortened = head + marker + text[len(text) - room // 6 :]
    images = [block for content in contents for block in blocks_of(content) if _is_image(block)]
    blocks: list[Any] = [{"type": "text", "text": shortened}, *images]
    after = estimate_tokens(cast(Message, {**slot.messages[0], "content": blocks}))
    return Edit(slot.entry.id, {"content": blocks}, slot.tokens - after)


def _is_image(block: dict[str, Any]) -> bool:
    return block.get("type") == "image"
