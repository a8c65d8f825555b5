"""What the user wrote on a path, from the record itself: also what earlier summaries replaced.

The latest edit of an entry counts, wherever on the path it stands, so what the user took out of the
context stays out of everything that is made from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from sapwood.compaction.serialize import plain_text
from sapwood.context.convert import to_model_message
from sapwood.session.entry import Entry
from sapwood.session.replay import edits_in_force


class PathText:
    """Reads the texts of entries as the edits on the path leave them."""

    def __init__(self, path: Iterable[Entry]) -> None:
        self._edits = edits_in_force(path)

    def of(self, entry: Entry) -> str:
        """The text of an entry as a model would see it; empty when there is none."""
        if entry.id in self._edits:
            edit = self._edits[entry.id]
            return plain_text(edit["content"]) if edit is not None else ""
        if entry.type == "custom_message":
            return plain_text(entry.data.get("content"))
        if entry.type in ("branch_summary", "compaction"):
            return str(entry.data.get("summary") or "")
        if entry.message is None:
            return ""
        message: Any = to_model_message(cast(Any, entry.message))
        return plain_text(message.get("content")) if message is not None else ""

    def requests(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
        """The user's own messages among the entries that still have a text, in order."""
        for entry in entries:
            if entry.type != "message" or entry.message is None:
                continue
            if entry.message.get("role") == "user" and (text := self.of(entry).strip()):
                yield entry, text
