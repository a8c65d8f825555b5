"""The telling lines of an output: the first two and the last error of it.

Of a call that failed every line that speaks of an error counts. Of one that did not, only what is
unmistakable: a line of code that raises or catches an error is none.
"""

from __future__ import annotations

import re

from sapwood.compaction.lexicon import Spoken
from sapwood.compaction.signals import ERROR, SURE_ERROR

SCANNED = 20_000
"""Characters at each end of an output that are searched."""

LONGEST_LINE = 400

_COUNT = re.compile(
    r"\W*(?:FAIL(?:ED)?|ERRORS?)?\W*(?:(?:errors|failures)=)?\d+\b[^:/'\"`]{0,60}|\W*FAIL(?:ED)?\W*",
    re.IGNORECASE,
)
"""`1 failed, 211 passed`, `FAILED (errors=1)`, `FAIL`: how many, not what."""


def error_lines(text: str, failed: bool) -> list[str]:
    """At most three lines, in order; of a failed output at least its last line."""
    if len(text) > 2 * SCANNED:
        text = f"{text[:SCANNED]}\n{text[-SCANNED:]}"
    stripped = [line for line in map(str.strip, text.splitlines()) if line]
    candidates = [line for line in stripped if len(line) <= LONGEST_LINE]
    if failed:
        lines = [line for line in candidates if ERROR.is_in(Spoken(line))]
        lines = [line for line in lines if not _COUNT.fullmatch(line)] or lines or stripped[-1:]
    else:
        lines = [line for line in candidates if SURE_ERROR.search(line)]
    return list(dict.fromkeys([*lines[:2], *lines[-1:]]))
