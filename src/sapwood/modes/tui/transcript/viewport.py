"""Which lines of a long row of blocks are on screen, without knowing how tall the rest is.

The view is anchored at a line of a block (or follows the end), never at an absolute line: only
blocks in sight are rendered, nothing is measured or estimated in advance, and a block that changes
above the view moves nothing. Pure: blocks come from a function ``lines(index)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

Line = TypeVar("Line")


class Anchor(NamedTuple):
    """The line at the top of the view: line ``line`` of block ``block``."""

    block: int
    line: int


@dataclass(frozen=True, slots=True)
class View:
    """What is on screen. ``anchor`` is None when the view shows and follows the end."""

    anchor: Anchor | None
    top: Anchor
    rows: list[tuple[int, int]]
    """For each row from the top: block and line."""


def view(
    anchor: Anchor | None, count: int, lines: Callable[[int], list[Line]], height: int
) -> View:
    """Lay out ``height`` rows from the anchor; a view that would end early is moved to the end."""
    if anchor is None:
        return _end_view(count, lines, height)
    rows: list[tuple[int, int]] = []
    for block in range(min(anchor.block, count), count):
        skip = anchor.line if block == anchor.block else 0
        rows.extend((block, line) for line in range(skip, len(lines(block))))
        if len(rows) > height:
            top = Anchor(*rows[0])
            return View(top, top, rows[:height])
    return _end_view(count, lines, height)


def _end_view(count: int, lines: Callable[[int], list[Line]], height: int) -> View:
    rows: list[tuple[int, int]] = []
    for block in range(count - 1, -1, -1):
        rows.extend((block, line) for line in range(len(lines(block)) - 1, -1, -1))
        if len(rows) >= height:
            break
    rows = rows[:height][::-1]
    return View(None, Anchor(*rows[0]) if rows else Anchor(0, 0), rows)


def scrolled(top: Anchor, count: int, lines: Callable[[int], list[Line]], rows: int) -> Anchor:
    """The anchor ``rows`` below ``top`` (above, when negative); stops at the first line."""
    block, line = top.block, top.line + rows
    while line < 0 and block > 0:
        block -= 1
        line += len(lines(block))
    while block < count - 1 and line >= len(lines(block)):
        line -= len(lines(block))
        block += 1
    return Anchor(block, max(line, 0))
