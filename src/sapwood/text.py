"""Strings as the file format, a terminal and a list row see them.

The file format counts in UTF-16 code units (an emoji counts 2); terminals count in cells. Text from
files and models is never trusted: escape sequences, bidi overrides and lone surrogates are made
visible and harmless before a terminal sees them.
"""

from __future__ import annotations

import re
from unicodedata import category, east_asian_width

REPLACEMENT = "\ufffd"

_BREAKS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
# C0 and C1 controls, bidi embeddings, overrides and isolates, lone surrogates, tag characters.
_HARMFUL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAFE = re.compile(f"[{_HARMFUL}]")
ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    r"|\x1b[\]P^_X][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[ -/]*[0-~]"
    r"|\x1b"
)
"""One terminal escape sequence, or an escape character alone."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""One control character; tab and newline are none here."""


def utf16_len(text: str) -> int:
    """Length in UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_utf16(text: str, limit: int) -> str:
    """The longest prefix of at most ``limit`` UTF-16 units that splits no code point."""
    if limit <= 0:
        return ""
    if text.isascii():
        return text[:limit]
    head = text[:limit]
    surplus = utf16_len(head) - limit
    while surplus > 0:
        surplus -= 2 if head[-1] > "\uffff" else 1
        head = head[:-1]
    return head


def one_line(text: str) -> str:
    """``text`` for one row of a list: line breaks and tabs become a space, controls visible."""
    return _UNSAFE.sub(REPLACEMENT, _BREAKS.sub(" ", text))


def printable(text: str) -> str:
    """``text`` safe to print on a terminal over several lines; ``\\n`` and ``\\t`` stay."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(REPLACEMENT, text)


def plain_text(text: str) -> str:
    """Terminal output as plain lines: no escape sequences, no controls but ``\\t`` and ``\\n``.

    A carriage return inside a line starts it afresh, as on a terminal.
    """
    text = ESCAPE.sub("", text)
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return CONTROL.sub("", text)


def well_formed(text: str) -> str:
    """``text`` with surrogate halves joined where they make a character, else as U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cell_width(text: str) -> int:
    """Terminal columns that ``text`` takes; controls count 0."""
    if text.isascii():
        return len(text) if text.isprintable() else sum(map(_cells, text))
    return sum(map(_cells, text))


def fit(text: str, cells: int) -> str:
    """``text`` in at most ``cells`` columns, ending in ``…`` where something was left out."""
    if cells <= 0:
        return ""
    if cell_width(text) <= cells:
        return text
    width = 0
    for index, char in enumerate(text):
        width += _cells(char)
        if width > cells - 1:
            return text[:index] + "…"
    return text


def _cells(char: str) -> int:
    if " " <= char <= "~":
        return 1
    if category(char) in ("Mn", "Me", "Cf", "Cc", "Cs"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
