"""Word lists turned into patterns.

A list is comma-separated. Phrases in scripts that put spaces between words match whole words;
Chinese, Japanese and Korean phrases match anywhere. An apostrophe matches the typographic one too.
"""

from __future__ import annotations

import re

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def any_of(words: str, *, also: str = "") -> re.Pattern[str]:
    """A pattern that finds any of the words, or the regular expression `also`."""
    phrases = [phrase.strip() for phrase in words.split(",") if phrase.strip()]
    spaced = [_escaped(phrase) for phrase in phrases if not _UNSPACED.search(phrase)]
    unspaced = [_escaped(phrase) for phrase in phrases if _UNSPACED.search(phrase)]
    branches = [rf"\b(?:{'|'.join(spaced)})\b", *unspaced, *([also] if also else [])]
    return re.compile("|".join(branches), re.IGNORECASE)


def _escaped(phrase: str) -> str:
    return re.escape(phrase).replace("'", "['’]?").replace(r"\ ", r"\s+")
