"""Word lists that can be looked up in a sentence.

A list is comma-separated. Phrases in scripts that put spaces between words match whole words, in
any case, with either apostrophe or none; Chinese, Japanese and Korean phrases match anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"\w+(?:['-]\w+)*")
_CHARACTER = re.compile(r".")


class Spoken:
    """A sentence prepared for lookups."""

    __slots__ = ("characters", "lowered", "spaced", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = text.lower().replace("’", "'")
        words = _WORD.findall(self.lowered)
        self.words = frozenset(words)
        self.spaced = f" {' '.join(words)} "
        self.characters = frozenset() if text.isascii() else frozenset(self.lowered)


class Lexicon:
    """Finds any of its words, or of the regular expressions in `also`."""

    def __init__(self, words: str, *, also: str = "") -> None:
        listed = [phrase.strip() for phrase in words.split(",") if phrase.strip()]
        listed += [phrase.replace("'", "") for phrase in listed if "'" in phrase]
        spaced = [phrase for phrase in listed if not _UNSPACED.search(phrase)]
        self._words = frozenset(phrase for phrase in spaced if " " not in phrase)
        self._phrases = _by_first(_WORD, (phrase for phrase in spaced if " " in phrase))
        self._unspaced = _by_first(_CHARACTER, filter(_UNSPACED.search, listed))
        self._also = re.compile(also, re.IGNORECASE) if also else None

    def is_in(self, sentence: Spoken) -> bool:
        if not self._words.isdisjoint(sentence.words):
            return True
        for word in sentence.words & self._phrases.keys():
            if any(f" {phrase} " in sentence.spaced for phrase in self._phrases[word]):
                return True
        for character in sentence.characters & self._unspaced.keys():
            if any(phrase in sentence.lowered for phrase in self._unspaced[character]):
                return True
        return self._also is not None and self._also.search(sentence.text) is not None


def _by_first(unit: re.Pattern[str], phrases: Iterable[str]) -> dict[str, list[str]]:
    """The phrases by their first word or character: only few of them are looked for."""
    found: dict[str, list[str]] = {}
    for phrase in phrases:
        if first := unit.search(phrase):
            found.setdefault(first[0], []).append(phrase)
    return found
