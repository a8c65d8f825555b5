"""Exact replacements in a text: where each one goes, or why it cannot be made. Pure.

All of them are found in the original text, so their order does not matter, and they may not touch
each other. Texts use LF here; ``edit`` takes care of other line endings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sapwood.agent.tools.tool import ToolError

_LOOSE = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_SHOWN_LINES = 12


@dataclass(frozen=True, slots=True)
class Edit:
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]`` becomes ``new``. ``number`` counts the edits of a call from 1."""

    start: int
    end: int
    new: str
    number: int


def find_spans(text: str, edits: Sequence[Edit], name: str) -> list[Span]:
    """Where the edits go, in the order of the text.

    Raises:
        ToolError: an edit does not occur, occurs more than once, changes nothing or overlaps
            another; nothing has been changed then. The text names the edit and the place.
    """
    if not edits:
        raise ToolError("edits is empty: give at least one replacement")
    spans = [_find(text, edit, number, name) for number, edit in enumerate(edits, 1)]
    spans.sort(key=lambda span: (span.start, span.end))
    for first, second in pairwise(spans):
        if second.start < first.end:
            raise ToolError(
                f"Edits {first.number} and {second.number} overlap in {name}; make them one edit. "
                "Nothing was changed."
            )
    return spans


def apply_spans(text: str, spans: Sequence[Span]) -> str:
    """The text with the spans (ordered, apart from each other) replaced."""
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += [text[done : span.start], span.new]
        done = span.end
    return "".join([*parts, text[done:]])


def _find(text: str, edit: Edit, number: int, name: str) -> Span:
    if not edit.old:
        raise ToolError(
            f"Edit {number}: oldText is empty. Quote the text to replace, "
            "or use write for a new file."
        )
    if edit.old == edit.new:
        raise ToolError(f"Edit {number}: oldText and newText are the same. Nothing was changed.")
    start = text.find(edit.old)
    if start < 0:
        raise ToolError(f"Edit {number}: {_not_found(text, edit.old, name)} Nothing was changed.")
    again = text.find(edit.old, start + 1)
    if again >= 0:
        raise ToolError(
            f"Edit {number}: oldText occurs {_count(text, edit.old)} times in {name}, first on "
            f"line {line_number(text, start)}, again on line {line_number(text, again)}. "
            "Add lines around it until it is unique. Nothing was changed."
        )
    return Span(start, start + len(edit.old), edit.new, number)


def line_number(text: str, position: int) -> int:
    """The line, counting from 1, on which a character stands."""
    return text.count("\n", 0, position) + 1


def _count(text: str, part: str) -> int:
    """Occurrences, overlapping ones too."""
    count, start = 0, text.find(part)
    while start >= 0:
        count, start = count + 1, text.find(part, start + 1)
    return count


def _not_found(text: str, old: str, name: str) -> str:
    """Say where the text stands if it differs in blanks or quotes only; models often miss those."""
    lines = text.split("\n")
    wanted = [_loose(line) for line in old.strip("\n").split("\n")]
    first = _find_lines([_loose(line) for line in lines], wanted) if any(wanted) else None
    if first is None:
        return f"oldText does not occur in {name}. Read the file again and copy the text exactly."
    actual = lines[first : first + len(wanted)]
    quoted = "\n".join(actual[:_SHOWN_LINES])
    more = "\n…" if len(actual) > _SHOWN_LINES else ""
    return (
        f"oldText does not occur in {name}, but lines {first + 1}-{first + len(wanted)} differ "
        f"from it only in blanks or quotation marks. They read:\n{quoted}{more}\n"
    )


def _loose(line: str) -> str:
    return "".join(line.translate(_LOOSE).split())


def _find_lines(lines: list[str], wanted: list[str]) -> int | None:
    width = len(wanted)
    for start, line in enumerate(lines[: len(lines) - width + 1]):
        if line == wanted[0] and lines[start : start + width] == wanted:
            return start
    return None
