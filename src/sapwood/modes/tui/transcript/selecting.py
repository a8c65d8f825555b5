"""Text selected with the mouse, from one place to another: a line of a block and a cell of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from textual.strip import Strip

MARGINS = ("  ", "▌ ")
"""What stands before the text of a line and is not copied with it."""


class Place(NamedTuple):
    block: int
    line: int
    cell: int


@dataclass(frozen=True, slots=True)
class Selected:
    """What lies between two places, in either order, both included."""

    one: Place
    other: Place

    @property
    def is_empty(self) -> bool:
        return self.one == self.other

    def cells(self, block: int, line: int) -> tuple[int, int] | None:
        """The cells of a line from the first to behind the last; None for none of it."""
        first, last = sorted((self.one, self.other))
        if not first[:2] <= (block, line) <= last[:2]:
            return None
        start = first.cell if (block, line) == first[:2] else 0
        end = last.cell + 1 if (block, line) == last[:2] else 1_000_000
        return start, end

    def text(self, lines: Callable[[int], list[Strip]]) -> str:
        """The text, line by line as drawn, without margins."""
        first, last = sorted((self.one, self.other))
        rows: list[str] = []
        for block in range(first.block, last.block + 1):
            for number, line in enumerate(lines(block)):
                if (cells := self.cells(block, number)) is not None:
                    row = line.crop(min(cells[0], line.cell_length), cells[1]).text
                    has_margin = cells[0] == 0 and row[:2] in MARGINS
                    rows.append((row[2:] if has_margin else row).rstrip())
        return "\n".join(rows).strip("\n")
