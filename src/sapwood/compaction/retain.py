"""Pins: entries whose text every later compaction and branch summary carries verbatim.

A pin is a `custom` entry `sapwood.retain` with `{targetId, retained}`; the last one on the path
decides, so pins are branch-local and can be undone. A summary holds a pinned text in a
`<retained entry="id">` block. Blocks of a branch that was left are carried on from its summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sapwood.compaction.path_text import PathText
from sapwood.compaction.untrusted import disarm_tags
from sapwood.session import Entry, SessionManager
from sapwood.text import one_line, utf16_len

RETAIN_TYPE = "sapwood.retain"
RETAIN_BUDGET = 4000
"""Tokens that all pinned texts of a summary may take together."""

_BLOCK = re.compile(r'^<retained entry="([^"\n]*)">\n(.*?)\n</retained>$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pin:
    """A pinned entry and its text, disarmed for its block."""

    entry_id: str
    text: str

    @property
    def block(self) -> str:
        entry_id = one_line(self.entry_id).replace('"', "'")
        return f'<retained entry="{disarm_tags(entry_id)}">\n{self.text}\n</retained>'

    @property
    def tokens(self) -> int:
        return -(-utf16_len(self.block) // 4)


def set_retained(manager: SessionManager, entry_id: str, retained: bool) -> str:
    """Pin or unpin an entry on the current branch; returns the id of the entry that says so.

    Raises `EntryNotFoundError` when there is no such entry.
    """
    manager.tree.require(entry_id)
    return manager.append_custom_entry(RETAIN_TYPE, {"targetId": entry_id, "retained": retained})


def pin_states(path: Iterable[Entry]) -> dict[str, bool]:
    """Entry id → whether it is pinned, for every entry that a pin on the path names."""
    states: dict[str, bool] = {}
    for entry in path:
        if entry.type != "custom" or entry.data.get("customType") != RETAIN_TYPE:
            continue
        data = entry.data.get("data")
        if isinstance(data, dict) and isinstance(target := data.get("targetId"), str):
            states.pop(target, None)
            states[target] = data.get("retained") is True
    return states


def pins_before(path: Sequence[Entry], before: Sequence[Entry], texts: PathText) -> list[Pin]:
    """The pins a summary of `before` (a part of the path) has to carry, oldest pin first."""
    states = pin_states(path)
    inherited = {
        pin.entry_id: pin
        for entry in before
        if entry.type in ("compaction", "branch_summary")
        for pin in pins_in(texts.of(entry))
        if pin.entry_id not in states
    }
    replaced = {entry.id: entry for entry in before}
    own = [
        Pin(entry_id, disarm_tags(text))
        for entry_id, pinned in states.items()
        if pinned and entry_id in replaced and (text := texts.of(replaced[entry_id]))
    ]
    return [*inherited.values(), *own]


def pins_in(summary: str) -> list[Pin]:
    """The pins whose texts a summary carries."""
    return [Pin(entry_id, text) for entry_id, text in _BLOCK.findall(summary)]


def within_budget(pins: Iterable[Pin], budget: int) -> tuple[list[Pin], list[Pin]]:
    """The pins that fit, oldest first, and those that do not."""
    kept: list[Pin] = []
    left_out: list[Pin] = []
    for pin in pins:
        fits = sum(other.tokens for other in kept) + pin.tokens <= budget
        (kept if fits else left_out).append(pin)
    return kept, left_out
