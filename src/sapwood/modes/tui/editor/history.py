"""Earlier prompts, one step at a time, without losing what is being written.

Older ones come from an iterator that is read only as far as somebody goes back, so a long session
costs nothing until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class History:
    """Index 0 is the text being written; 1 the newest prompt, and so on back."""

    def __init__(self, newest_first: Iterable[str] = ()) -> None:
        self._known: list[str] = []
        self._more: Iterator[str] = iter(newest_first)
        self._at = 0
        self._writing = ""

    def add(self, text: str) -> None:
        """A prompt was sent; browsing starts anew."""
        if text.strip() and (not self._known or self._known[0] != text):
            self._known.insert(0, text)
        self.rest()

    def rest(self) -> None:
        """The text was changed or sent: it is the one being written from now on."""
        self._at = 0

    @property
    def browsing(self) -> bool:
        return self._at > 0

    def older(self, current: str) -> str | None:
        """The prompt before; ``current`` is kept if it is the one being written."""
        if self._at == 0:
            self._writing = current
        if self._at == len(self._known) and not self._read_one():
            return None
        self._at += 1
        return self._known[self._at - 1]

    def newer(self) -> str | None:
        """The prompt after, at last what was being written; None when already there."""
        if self._at == 0:
            return None
        self._at -= 1
        return self._known[self._at - 1] if self._at else self._writing

    def _read_one(self) -> bool:
        for text in self._more:
            if text.strip() and (not self._known or self._known[-1] != text):
                self._known.append(text)
                return True
        return False
