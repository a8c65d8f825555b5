"""Signatures hold only as long as what came before an answer is what its model saw.

A provider may refuse signed thinking, and ids that belong to it, once an edit has changed earlier
content. Such an answer is sent without saying whose it is, as the answer of another model would be:
`sapwood.models.convert` then leaves out what only its author may see again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sapwood.context.projection import Projected, Projection
from sapwood.session.entry import Entry
from sapwood.session.replay import is_edit
from sapwood.session.schema import Message

AUTHOR = ("api", "provider", "model")


def disown_changed(projection: Projection) -> list[Projected]:
    """The items, without the author of answers that an edit changed something before.

    Answers after the last message of the user keep theirs: within a run of tools providers demand
    the thinking back.
    """
    changed = _after_a_change(projection.entries)
    if not changed:
        return projection.items
    last = _last_request(projection.items)
    return [
        item.with_message(_disown(item.message))
        if index < last and item.message["role"] == "assistant" and id(item.entry) in changed
        else item
        for index, item in enumerate(projection.items)
    ]


def _after_a_change(entries: Sequence[Entry]) -> set[int]:
    """Entries that stand between an edit and what it edits."""
    positions = {entry.id: position for position, entry in enumerate(entries)}
    changed: set[int] = set()
    earliest_target = len(entries)
    for position in range(len(entries) - 1, -1, -1):
        entry = entries[position]
        if earliest_target < position:
            changed.add(id(entry))
        if entry.type == "context_edit" and is_edit(entry):
            target = positions.get(entry.data["targetId"], earliest_target)
            earliest_target = min(earliest_target, target)
    return changed


def _last_request(items: Sequence[Projected]) -> int:
    """The index of the last item that is neither an answer nor a part of one."""
    for index in range(len(items) - 1, -1, -1):
        if items[index].message["role"] not in ("assistant", "toolResult", "system"):
            return index
    return 0


def _disown(message: Message) -> Message:
    kept = {name: value for name, value in cast(Any, message).items() if name not in AUTHOR}
    return cast(Message, kept)
