"""A kept tail that is too large by itself: its largest tool results are shortened by context edits.

The record keeps the whole result; the context sees the beginning, a marker, and the end. Edits are
plain `context_edit` entries, so they are branch-local, visible, and can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sapwood.compaction.cut import Slot
from sapwood.compaction.serialize import plain_text
from sapwood.session.schema import Replacement
from sapwood.text import cut_utf16, utf16_len

SHORTEST_RESULT = 2000
"""UTF-16 units below which a tool result is left alone."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A context edit to append: the new content of one entry, and the estimated tokens it saves."""

    target_id: str
    replacement: Replacement
    saved_tokens: int


def shorten_results(slots: Iterable[Slot], limit: int) -> list[Edit]:
    """Edits that bring the slots to at most `limit` tokens, or as near as tool results allow.

    The largest results shrink first, all to one common length, so that none is cut needlessly deep.
    """
    slots = list(slots)
    excess = sum(slot.tokens for slot in slots) - limit
    if excess <= 0:
        return []
    results = [slot for slot in slots if slot.has_role({"toolResult"}) and slot.entry.id]
    length = _common_length([_length(slot) for slot in results], excess * 4)
    edits = (_edit(slot, length) for slot in results if _length(slot) > length)
    return [edit for edit in edits if edit.saved_tokens > 0]


def _common_length(lengths: list[int], excess: int) -> int:
    """The length to which all longer results must shrink to save `excess` units."""
    lengths = sorted((length for length in lengths if length > SHORTEST_RESULT), reverse=True)
    for count in range(1, len(lengths) + 1):
        following = lengths[count] if count < len(lengths) else SHORTEST_RESULT
        saved = sum(lengths[:count]) - count * following
        if saved >= excess:
            return max(SHORTEST_RESULT, following + (saved - excess) // count)
    return SHORTEST_RESULT


def _length(slot: Slot) -> int:
    return sum(utf16_len(plain_text(message.get("content"))) for message in slot.messages)


def _edit(slot: Slot, length: int) -> Edit:
    text = "\n".join(plain_text(message.get("content")) for message in slot.messages)
    marker = f"\n\n[... {utf16_len(text) - length} characters left out to fit the context ...]\n\n"
    room = max(length - utf16_len(marker), 0)
    head = cut_utf16(text, room * 2 // 3)
    shortened = head + marker + text[len(text) - room // 6 :]
    saved = slot.tokens - -(-utf16_len(shortened) // 4)
    return Edit(slot.entry.id, {"content": [{"type": "text", "text": shortened}]}, saved)
