"""Sentences worth keeping for the names and numbers in them.

A sentence is a fact when it holds a path, URL, identifier or number that no better one holds. Facts
are worth more the more their speaker counts and the rarer their tokens are; those of earlier
summaries were chosen once already and go on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sapwood.compaction.draft import KEPT_BEFORE
from sapwood.compaction.sentences import MAX_SENTENCE, shorten
from sapwood.compaction.signals import TOKEN

SAYS_SOMETHING = 6
"""Characters besides a name or number that say something about it."""

FACT_LENGTH = 220
"""Characters of a sentence that are kept."""


@dataclass(slots=True)
class Facts:
    """Collects sentences; `ranked` gives each with its worth."""

    _kept: dict[str, None] = field(default_factory=dict)
    _found: dict[str, tuple[float, frozenset[str]]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def keep(self, fact: str) -> None:
        """A fact of an earlier summary."""
        self._kept[shorten(fact, 500)] = None

    def add(self, sentence: str, worth: float) -> None:
        """Consider a sentence; `worth` says how much its speaker's word counts."""
        tokens = frozenset(TOKEN.findall(sentence))
        if len(sentence) < max(map(len, tokens), default=MAX_SENTENCE) + SAYS_SOMETHING:
            return
        self._counts.update(tokens)
        text = shorten(sentence, FACT_LENGTH)
        before, _ = self._found.pop(text, (worth, tokens))
        self._found[text] = (max(worth, before), tokens)

    def ranked(self) -> list[tuple[str, float]]:
        """The facts, oldest first, each with what it is worth."""
        kept = [(text, KEPT_BEFORE) for text in self._kept]
        return kept + [
            (text, worth + self._news(tokens)) for text, (worth, tokens) in self._found.items()
        ]

    def _news(self, tokens: frozenset[str]) -> float:
        """Up to one: a token that everyone repeats is no news."""
        return sum(self._counts[token] <= 4 for token in tokens) / len(tokens)
