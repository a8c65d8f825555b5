"""Setting parts of a drawn line off: what was searched for, what the mouse has selected."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


def cells_marked(line: Strip, start: int, end: int, style: Style) -> Strip:
    """The line with its cells ``start`` to ``end`` in a style over their own."""
    end = min(end, line.cell_length)
    if start >= end:
        return line
    inside = [
        Segment(text, own + style if own else style, control)
        for text, own, control in line.crop(start, end)
    ]
    return Strip([*line.crop(0, start), *inside, *line.crop(end)], line.cell_length)


def marked(line: Strip, parts: Iterable[tuple[int, int]], style: Style) -> Strip:
    """The line with characters ``start`` to ``end`` of each part in a style over their own."""
    wanted = [part for part in parts if part[0] < part[1]]
    if not wanted:
        return line
    segments: list[Segment] = []
    at = 0
    for text, own, control in line:
        edges = {0, len(text)}
        for part in wanted:
            edges |= {min(max(edge - at, 0), len(text)) for edge in part}
        cuts = sorted(edges)
        for start, end in pairwise(cuts):
            inside = any(first <= at + start < last for first, last in wanted)
            look = (own + style if own else style) if inside else own
            segments.append(Segment(text[start:end], look, control))
        at += len(text)
    return Strip(segments, line.cell_length)
