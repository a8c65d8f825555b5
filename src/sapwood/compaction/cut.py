"""Where the kept tail starts.

Works on slots: the entries in force with the messages that each projects (none for settings,
labels, edits and entries that an edit leaves out). The walk goes back from the newest slot until
the tokens to keep are reached and cuts at the next place where a cut is legal: never at a tool
result, so a call and its result stay together. Metadata right before the cut comes along. A cut
inside a turn (one that starts at an earlier user-side message) splits that turn. Source: the
reference's goldens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import Projection
from sapwood.session.entry import Entry
from sapwood.session.schema import Message

TURN_START_ROLES = frozenset({"user", "bashExecution", "custom", "branchSummary"})
CUT_ROLES = TURN_START_ROLES | {"assistant"}


@dataclass(frozen=True, slots=True)
class Slot:
    """An entry in force and what it gives to the context."""

    entry: Entry
    messages: tuple[Message, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(estimate_tokens(message) for message in self.messages)

    def has_role(self, roles: Iterable[str]) -> bool:
        return any(message.get("role") in roles for message in self.messages)

    @property
    def is_metadata(self) -> bool:
        """Whether this gives nothing to the context; an older compaction is a boundary instead."""
        return not self.messages and self.entry.type != "compaction"

    @property
    def omits_answer(self) -> bool:
        """Whether this is an assistant's answer that an edit leaves out."""
        stored = self.entry.message
        return not self.messages and stored is not None and stored.get("role") == "assistant"


@dataclass(frozen=True, slots=True)
class Cut:
    """Indices into the slots; `turn_start` is set only when the cut splits a turn."""

    first_kept: int
    turn_start: int | None = None


def slots_of(projection: Projection) -> list[Slot]:
    """The entries in force, each with its messages."""
    messages: dict[int, list[Message]] = {}
    for item in projection.items:
        messages.setdefault(id(item.entry), []).append(item.message)
    return [Slot(entry, tuple(messages.get(id(entry), ()))) for entry in projection.entries]


def find_cut(slots: Sequence[Slot], start: int, keep_tokens: int) -> Cut:
    """The cut in `slots[start:]` that keeps about `keep_tokens` (estimated) at the end."""
    legal = [index for index in range(start, len(slots)) if slots[index].has_role(CUT_ROLES)]
    if not legal:
        return Cut(start)
    reached, kept = _walk_back(slots, start, keep_tokens)
    if reached is None:
        first = legal[0]
    else:
        first = next((index for index in legal if index >= reached), legal[-1])
        if kept > keep_tokens and _only_a_failed_answer_follows(slots[first + 1 :]):
            first += 1
    while first > start and slots[first - 1].is_metadata:
        first -= 1
    return Cut(first, _split_turn_start(slots, start, first))


def _walk_back(slots: Sequence[Slot], start: int, keep_tokens: int) -> tuple[int | None, int]:
    """The slot at which the tail holds `keep_tokens`, and what the tail holds there."""
    kept = 0
    for index in range(len(slots) - 1, start - 1, -1):
        tokens = slots[index].tokens
        kept += tokens
        if tokens and kept >= keep_tokens:
            return index, kept
    return None, kept


def _only_a_failed_answer_follows(rest: Sequence[Slot]) -> bool:
    """Whether an omitted answer is all that comes after the cut, so that nothing need be kept.

    That is how a session looks when an answer overflowed and was left out: keeping the request
    before it verbatim would overflow again. A visible message, or an edit that changes something
    outside this suffix, means the session went on.
    """
    if not any(slot.omits_answer for slot in rest) or any(slot.messages for slot in rest):
        return False
    inside = {slot.entry.id for slot in rest}
    return not any(
        slot.entry.type == "context_edit"
        and slot.entry.data.get("replacement") is not None
        and slot.entry.data.get("targetId") not in inside
        for slot in rest
    )


def _split_turn_start(slots: Sequence[Slot], start: int, first: int) -> int | None:
    if slots[first].has_role(TURN_START_ROLES):
        return None
    earlier = range(first - 1, start - 1, -1)
    return next((index for index in earlier if slots[index].has_role(TURN_START_ROLES)), None)
