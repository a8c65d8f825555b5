"""What a session has cost so far, for the footer: added up once, then kept up entry by entry.

Adding up reads every entry, so it happens in a thread after the prompt is there; entries are
decoded one at a time and not kept. What a fork copied was paid for elsewhere and does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sapwood.agent.stats import copied_until, usages_of
from sapwood.session.entry import Entry, decode_entry

if TYPE_CHECKING:
    from sapwood.session.manager import SessionManager
    from sapwood.session.schema import SessionHeader

_PAID = frozenset({"message", "compaction", "branch_summary", "usage"})


def cost_of(entry: Entry) -> float:
    """US dollars that an entry records."""
    total = 0.0
    for usage in usages_of(entry):
        cost = usage.get("cost")
        amount = cost.get("total") if isinstance(cost, dict) else None
        total += amount if isinstance(amount, (int, float)) else 0.0
    return total


def cost_of_all(entries: Iterable[Entry], header: SessionHeader) -> float:
    """US dollars that a session spent itself. Blocking, and decodes as it goes."""
    copied = copied_until(header)
    total = 0.0
    for entry in entries:
        if entry.type not in _PAID or entry.timestamp <= copied:
            continue
        raw = entry.raw
        if b'"cost"' in raw:
            total += cost_of(Entry.of(decode_entry(entry, raw)))
    return total


class CostMeter:
    """The cost of one session as it grows; ``dollars`` is None until the past is added up."""

    def __init__(self, manager: SessionManager) -> None:
        self._past = list(manager.tree.entries)
        self._header = manager.header
        self.dollars: float | None = None if self._past else 0.0
        self._since = 0.0
        self.close = manager.subscribe(self._on_entry)

    def add_up(self) -> float:
        """The cost of what was there already. Blocking; touches nothing of the meter."""
        return cost_of_all(self._past, self._header)

    def know(self, past: float) -> None:
        """Take in what `add_up` gave."""
        self._past = []
        self.dollars = past + self._since

    def _on_entry(self, entry: Entry) -> None:
        spent = cost_of(entry)
        self._since += spent
        if self.dollars is not None:
            self.dollars += spent
