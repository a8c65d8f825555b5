"""Prose taken apart: the sentences of a text, without pasted code.

Works for languages that end a sentence with a full stop and a space and for those (Chinese,
Japanese) that use a wide mark and none. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_BREAK = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+(?=\S)|(?<=[。！？!?])(?=\S)")
_BULLET = re.compile(r"^(?:[-*+•]\s*|\d+(?:[.)]\s+|[)、．]\s*)|[（(]\d+[)）]\s*)")
_CODE_LINE = re.compile(r"[{}<>=;|\\$]")

MAX_SENTENCE = 400
"""UTF-16-ish length above which a line is a paste, not a sentence."""


def without_code(text: str, stand_in: str = "") -> str:
    """The text without fenced code; `stand_in` takes its place."""
    return _FENCE.sub(f"\n{stand_in}", text) if "```" in text or "~~~" in text else text


def sentences(text: str) -> list[str]:
    """The sentences of a text in order; bullets lose their mark, code and pastes are left out."""
    found: list[str] = []
    for raw in without_code(text).split("\n"):
        line = raw.strip()
        if not line or line.startswith((">", "|", "@@", "+++", "---")):
            continue
        line = _BULLET.sub("", line)
        found += [part for part in map(str.strip, _BREAK.split(line)) if _is_prose(part)]
    return found


def _is_prose(part: str) -> bool:
    if not 4 <= len(part) <= MAX_SENTENCE:
        return False
    return len(_CODE_LINE.findall(part)) * 12 <= len(part) + 24


def ends(text: str, limit: int) -> str:
    """A text of at most `limit` characters; of a longer one, its beginning and its end."""
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}\n{text[len(text) - half :]}"


def joined(said: Iterable[str]) -> str:
    """Sentences one after the other; after a wide full stop without a space."""
    return re.sub(r"(?<=[。！？]) ", "", " ".join(said))


def shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut at a word where there is one."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    space = head.rfind(" ", limit * 2 // 3)
    return (head[:space] if space > 0 else head).rstrip() + "…"


def shorten_middle(text: str, limit: int) -> str:
    """One line of at most `limit` characters: the beginning, and the end where more is told."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    tail = line[-(limit // 4) :].partition(" ")[2]
    return f"{shorten(line, limit - len(tail) - 1)} {tail}".rstrip()
