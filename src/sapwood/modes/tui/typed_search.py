"""Searching by typing, where a list has the keys: what a key, a paste, a deletion means."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.screen import Screen

PASTED = 200
"""Characters of a paste that a search takes."""


def typed_letter(screen: Screen[Any], event: events.Key) -> str | None:
    """The character that a key types into the search; None for a key that means something else."""
    if event.character is None or not event.is_printable or event.key in screen.active_bindings:
        return None
    return event.character


def pasted_words(event: events.Paste) -> str:
    return " ".join(event.text.split())[:PASTED]


def without_last_word(query: str) -> str:
    before, blank, _ = query.rstrip().rpartition(" ")
    return before + blank
