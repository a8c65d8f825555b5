"""Candidates for a summary, and the choice among them when room is short.

Every kind of matter has a shelf with a share of the budget. Within a shelf the worthier items go in
first, among equals the newer; on the page they stand in the order in which they came up. A fact or
an error that the page holds already is not told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sapwood.compaction.sections import Section
from sapwood.compaction.untrusted import disarm_tags
from sapwood.text import utf16_len


class Shelf(Enum):
    """A kind of matter: the section where it stands, and its share of the budget."""

    GOAL = (Section.GOAL, 0.13)
    CONSTRAINTS = (Section.CONSTRAINTS, 0.05)
    CONCLUSIONS = (Section.DONE, 0.10)
    DONE = (Section.DONE, 0.06)
    IN_PROGRESS = (Section.IN_PROGRESS, 0.04)
    BLOCKED = (Section.BLOCKED, 0.05)
    SEARCHED = (Section.CONTEXT, 0.07)
    TASKS = (Section.NEXT_STEPS, 0.14)
    DECISIONS = (Section.DECISIONS, 0.12)
    ERRORS = (Section.CONTEXT, 0.10)
    FACTS = (Section.CONTEXT, 0.14)

    def __init__(self, section: Section, share: float) -> None:
        self.section = section
        self.share = share


_TAKES_LEFTOVERS = frozenset({Shelf.TASKS, Shelf.DECISIONS, Shelf.ERRORS, Shelf.FACTS})
"""The shelves for which there is never too much room; more of the others would be chatter."""

FAILED_LAST = " failed when it last ran: "
_BEFORE_ERROR = (FAILED_LAST, "`: ")
"""What stands between a call and the error it ended with."""

_TOLD_ONCE = frozenset({Shelf.ERRORS, Shelf.FACTS})

SAID_IN_PASSING = 0.0
CONCLUDED = 1.0
KEPT_BEFORE = 1.5
SAID_BY_USER = 2.0
INDISPENSABLE = 9.0
"""What an item is worth by where it comes from: talk between tool calls, the closing answer of a
run, an earlier summary, the user; the request that a session began with."""


@dataclass(slots=True)
class Draft:
    """Items per shelf with their worth, oldest first; each once."""

    items: dict[Shelf, dict[str, float]] = field(
        default_factory=lambda: {shelf: {} for shelf in Shelf}
    )

    def add(self, shelf: Shelf, item: str, worth: float = CONCLUDED) -> None:
        """Add an item as the newest; one that is there already moves to the end."""
        text = _line(item)
        before = self.items[shelf].pop(text, worth)
        self.items[shelf][text] = max(worth, before)

    def drop(self, shelf: Shelf, item: str) -> None:
        self.items[shelf].pop(_line(item), None)

    def fit(
        self, budget: int, sections: Sequence[Section], said: Iterable[str] = ()
    ) -> dict[Section, list[str]]:
        """The items that fit into `budget` tokens, by section; `said` stands on the page anyway."""
        fitted: dict[Section, list[str]] = {section: [] for section in sections}
        carried = list(said)
        page = list(carried)
        spare = 0.0
        for shelf in Shelf:
            if shelf.section not in fitted:
                continue
            room = budget * shelf.share
            if shelf in _TAKES_LEFTOVERS:
                room, spare = room + spare, 0.0
            told = "\n".join(page if shelf in _TOLD_ONCE else carried)
            told = told if shelf in _TOLD_ONCE | {Shelf.DECISIONS} else ""
            chosen, left = _choose(self.items[shelf], room, told)
            fitted[shelf.section] += chosen
            page += chosen
            spare += left
        return fitted


def _choose(items: dict[str, float], room: float, told: str) -> tuple[list[str], float]:
    """The items for this room, in their order, and the room that is left."""
    texts = list(items)
    chosen: set[str] = set()
    cores: set[str] = set()
    for index in sorted(range(len(texts)), key=lambda i: (items[texts[i]], i), reverse=True):
        cost = -(-utf16_len(texts[index]) // 4) + 2
        fits = cost <= room or items[texts[index]] == INDISPENSABLE
        core = _core(texts[index])
        if fits and core not in cores and not (told and core in told):
            room -= cost
            chosen.add(texts[index])
            cores.add(core)
    return [text for text in texts if text in chosen], room


def _core(text: str) -> str:
    """What has to stand elsewhere for an item to be told already."""
    for mark in _BEFORE_ERROR:
        text = text.partition(mark)[2] or text
    return text.removesuffix("…")


def _line(item: str) -> str:
    return disarm_tags(" ".join(item.split()))
