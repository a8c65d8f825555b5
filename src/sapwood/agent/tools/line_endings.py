"""A text as models see it (LF, no byte order mark), and the way back to the file's own bytes. Pure.

What an edit does not touch comes back exactly as it was, mixed line endings included.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from sapwood.agent.tools.replace import Span, apply_spans

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class PlainText:
    """``text`` is ``original`` without its mark and with LF for CRLF; ``crlf`` are the indices in
    ``text`` of the line breaks that were CRLF."""

    original: str
    text: str
    crlf: Sequence[int]

    @classmethod
    def of(cls, original: str) -> PlainText:
        """Take the text of a file apart."""
        body = original.removeprefix(_BOM)
        crlf: list[int] = []
        found = body.find("\r\n")
        while found >= 0:
            crlf.append(found - len(crlf))
            found = body.find("\r\n", found + 2)
        return cls(original, lf(body), crlf)

    def changed(self, spans: Sequence[Span]) -> str:
        """The original with ``spans`` of ``text`` replaced; new lines end as most lines do."""
        mostly_crlf = 2 * len(self.crlf) > self.text.count("\n")
        moved = [
            Span(
                self._index(span.start),
                self._index(span.end),
                span.new.replace("\n", "\r\n") if mostly_crlf else span.new,
                span.number,
            )
            for span in spans
        ]
        return apply_spans(self.original, moved)

    def _index(self, index: int) -> int:
        """From an index in ``text`` to the one in ``original``."""
        return index + bisect_left(self.crlf, index) + self.original.startswith(_BOM)


def lf(text: str) -> str:
    """The text with LF for CRLF."""
    return text.replace("\r\n", "\n")
