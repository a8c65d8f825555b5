"""The output of a command as plain text, piece by piece as it comes."""

from __future__ import annotations

import codecs
import re

from sapwood.text import CONTROL, ESCAPE

_UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]*\x1b?|[ -/]*)|\r)\Z")
"""The end of a text that only its continuation can explain."""
_MAX_HELD = 4096


class PlainStream:
    """Takes bytes and hands out the text that they complete.

    What may go on in the next piece (half a character, half an escape sequence, a carriage return
    before a newline) is held back. A carriage return alone ends a line here: what was already
    handed out cannot be overwritten.
    """

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""

    def feed(self, data: bytes) -> str:
        """The text that `data` completes, which may be none."""
        text = self._held + self._decode(data)
        unfinished = _UNFINISHED.search(text, max(0, len(text) - _MAX_HELD))
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return _as_lines(text[:end])

    def close(self) -> str:
        """What was still held back."""
        rest, self._held = self._held + self._decode(b"", final=True), ""
        return _as_lines(rest)


def _as_lines(text: str) -> str:
    text = ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return CONTROL.sub("", text)
