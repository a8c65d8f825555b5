"""Whether a session is what somebody looks for. Ids are never looked at.

Every word must be found: in the name (as it is, or its letters in order and close together), in the
first message, or anywhere in what was said, called and answered on any branch.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from sapwood.session.info import SessionInfo

FUZZY_FROM = 3
"""Letters from which on a word may be scattered over a name."""

SPREAD = 2
"""How many times its length a scattered word may span."""


@dataclass(frozen=True, slots=True)
class Match:
    """``score``: more is better. ``said``: the word that only the conversation holds, or ""."""

    score: int = 0
    said: str = ""


def match(
    words: list[str], info: SessionInfo, said: Container[str], folder: str = ""
) -> Match | None:
    """``words`` in lower case, ``said`` those of them that the conversation holds.

    ``folder`` is looked at where it is shown.
    """
    name = (info.name or "").lower()
    first = info.first_message.lower()
    score = 0
    only_said = ""
    for word in words:
        if word in name:
            score += 6 if f" {name}".find(f" {word}") >= 0 else 5
        elif word in first:
            score += 4
        elif is_scattered(word, name):
            score += 3
        elif folder and word in folder.lower():
            score += 2
        elif word in said:
            score += 1
            only_said = only_said or word
        else:
            return None
    return Match(score, only_said)


def is_scattered(word: str, name: str) -> bool:
    """Whether the letters of ``word`` occur in ``name`` in order and not too far apart."""
    if len(word) < FUZZY_FROM:
        return False
    start = name.find(word[0])
    while start >= 0:
        at = start
        for letter in word[1:]:
            at = name.find(letter, at + 1)
            if at < 0:
                return False
        if at - start < SPREAD * len(word):
            return True
        start = name.find(word[0], start + 1)
    return False


def snippet(text: str, word: str, room: int = 60) -> str:
    """The surroundings of ``word`` in ``text``; "" when it is not there."""
    at = text.lower().find(word)
    if at < 0:
        return ""
    start = max(at - room // 3, 0)
    if start:
        space = text.find(" ", start, at)
        start = space + 1 if space >= 0 else start
    end = start + room
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
