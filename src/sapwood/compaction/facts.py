"""Sentences worth keeping for the names and numbers in them.

A sentence is a fact when it holds a path, URL, identifier or number that no better one holds. Facts
are ranked by who said them and how rare their tokens are; those of earlier summaries were chosen
once already and go on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sapwood.compaction.sentences import shorten
from sapwood.compaction.signals import IDENTIFIER, NUMBER, PATH, URL

FACT_LENGTH = 220
"""Characters of a sentence that are kept."""


@dataclass(slots=True)
class Facts:
    """Collects sentences; `ranked` gives those worth keeping, least worthy first."""

    _kept: dict[str, None] = field(default_factory=dict)
    _found: dict[str, tuple[int, frozenset[str]]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def keep(self, fact: str) -> None:
        """A fact of an earlier summary."""
        self._kept[shorten(fact, 500)] = None

    def add(self, sentence: str, *, weight: int) -> None:
        """Consider a sentence; `weight` says how much its speaker's word counts."""
        tokens = frozenset(_tokens_in(sentence))
        if not tokens:
            return
        self._counts.update(tokens)
        text = shorten(sentence, FACT_LENGTH)
        before = self._found.pop(text, None)
        self._found[text] = (max(weight, before[0]) if before else weight, tokens)

    def ranked(self) -> list[str]:
        """Facts in rising order of worth, so that the last are the ones to keep first."""
        ordered = sorted(
            enumerate(self._found.items()), key=lambda entry: (self._worth(*entry[1][1]), entry[0])
        )
        return [*self._kept, *(text for _, (text, _) in ordered if text not in self._kept)]

    def _worth(self, weight: int, tokens: frozenset[str]) -> float:
        """A token that everyone repeats is no news; one named two or three times matters most."""
        return weight + sum(1.0 if self._counts[token] <= 4 else 0.25 for token in tokens)


def _tokens_in(sentence: str) -> set[str]:
    found = set(URL.findall(sentence)) | set(PATH.findall(sentence))
    rest = PATH.sub(" ", URL.sub(" ", sentence))
    return found | set(IDENTIFIER.findall(rest)) | set(NUMBER.findall(rest))
