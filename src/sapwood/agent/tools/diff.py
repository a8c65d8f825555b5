"""What an edit changed, for people: a unified diff and a numbered one, made from where it changed.

The places are known, so only they are compared: the cost follows the edits, not the file. Long
lines and long diffs are cut; a diff is for reading, never for applying.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sapwood.agent.tools.replace import Span

CONTEXT_LINES = 3
MAX_DIFF_LINES = 1000
MAX_LINE = 500
_COMPARED_LINES = 400
"""Larger replacements are shown as all old, all new: comparing them line by line gets slow."""


@dataclass(frozen=True, slots=True)
class Change:
    """Lines ``old[a:b]`` became ``new[c:d]``."""

    a: int
    b: int
    c: int
    d: int


@dataclass(frozen=True, slots=True)
class Diff:
    """``first_line`` is the first changed line of the new text, counting from 1."""

    unified: str
    numbered: str
    first_line: int


def diff_spans(old: str, new: str, spans: Sequence[Span], name: str) -> Diff:
    """The diff between ``old`` and ``new``, which the ordered ``spans`` made of it."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    if old_lines[-1] == new_lines[-1] == "":
        del old_lines[-1], new_lines[-1]
    changes = list(_changes(old, old_lines, new_lines, spans))
    hunks = list(_hunks(changes))
    unified = [f"--- {name}", f"+++ {name}"]
    numbered: list[str] = []
    for hunk in hunks:
        rows = list(_rows(hunk, old_lines, new_lines))
        unified.append(_header(rows))
        unified += [f"{sign}{text}" for sign, _, _, text in rows]
        width = len(str(len(new_lines)))
        numbered += ["…"] if numbered else []
        numbered += [
            f"{sign}{(before if sign == '-' else after) + 1:>{width}} {text}"
            for sign, before, after, text in rows
        ]
    first = changes[0].c + 1 if changes else 1
    return Diff("\n".join(_bounded(unified)), "\n".join(_bounded(numbered)), first)


def _bounded(lines: list[str]) -> Iterator[str]:
    for line in lines[:MAX_DIFF_LINES]:
        yield line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…"
    if len(lines) > MAX_DIFF_LINES:
        yield f"… {len(lines) - MAX_DIFF_LINES} more lines"


def _changes(
    old: str, old_lines: list[str], new_lines: list[str], spans: Sequence[Span]
) -> Iterator[Change]:
    """The changed line ranges; spans that share a line are compared together."""
    shift = 0
    for group in _groups(old, spans):
        first, last = group.first, group.last
        block = Change(
            first,
            min(last + 1, len(old_lines)),
            first + shift,
            min(last + 1 + shift + group.grown, len(new_lines)),
        )
        shift += group.grown
        yield from _refined(block, old_lines, new_lines)


@dataclass(slots=True)
class _Group:
    """Spans on the old lines ``first``-``last``; the new text has ``grown`` lines more there."""

    first: int
    last: int
    grown: int


def _groups(old: str, spans: Sequence[Span]) -> Iterator[_Group]:
    line = position = 0
    group: _Group | None = None
    for span in spans:
        first = line + old.count("\n", position, span.start)
        inside = old.count("\n", span.start, span.end)
        line, position = first + inside, span.end
        grown = span.new.count("\n") - inside
        if group is not None and group.last == first:
            group.last, group.grown = line, group.grown + grown
            continue
        if group is not None:
            yield group
        group = _Group(first, line, grown)
    if group is not None:
        yield group


def _refined(block: Change, old_lines: list[str], new_lines: list[str]) -> Iterator[Change]:
    """Only the lines that really differ."""
    before, after = old_lines[block.a : block.b], new_lines[block.c : block.d]
    if len(before) > _COMPARED_LINES or len(after) > _COMPARED_LINES:
        yield block
        return
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Change(block.a + a, block.a + b, block.c + c, block.c + d)


def _hunks(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes whose context would touch stand in one hunk."""
    hunk: list[Change] = []
    for change in changes:
        if hunk and change.a - hunk[-1].b > 2 * CONTEXT_LINES:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _rows(
    hunk: list[Change], old_lines: list[str], new_lines: list[str]
) -> Iterator[tuple[str, int, int, str]]:
    """``(sign, old index, new index, text)`` of each line of a hunk with its context."""
    lead = min(hunk[0].a, CONTEXT_LINES)
    a, c = hunk[0].a - lead, hunk[0].c - lead
    for change in hunk:
        for offset in range(change.a - a):
            yield " ", a + offset, c + offset, old_lines[a + offset]
        for index in range(change.a, change.b):
            yield "-", index, change.c, old_lines[index]
        for index in range(change.c, change.d):
            yield "+", change.b, index, new_lines[index]
        a, c = change.b, change.d
    for offset in range(min(CONTEXT_LINES, len(old_lines) - a)):
        yield " ", a + offset, c + offset, old_lines[a + offset]


def _header(rows: Sequence[tuple[str, int, int, str]]) -> str:
    removed = sum(sign != "+" for sign, *_ in rows)
    added = sum(sign != "-" for sign, *_ in rows)
    _, before, after, _ = rows[0]
    return f"@@ -{before + (removed > 0)},{removed} +{after + (added > 0)},{added} @@"
