"""A row of the tree as a strip: marks, guides, label, speaker, text; weight and age at the right.

No meaning is in colour alone: ``›`` is the cursor, ``•`` the active path, ``here`` the place where
the next message goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sapwood.library.tree_kinds import Kind
from sapwood.library.tree_rows import TreeRow
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import full_line, strip
from sapwood.modes.tui.tree.weight import weight
from sapwood.modes.tui.words import age_text, tokens_text
from sapwood.session.javascript import parse_date
from sapwood.text import one_line

JOINER = "\u200d"

NARROW = 50
"""Below this many cells a row shows no age."""

_STYLES = {
    Kind.USER: "user",
    Kind.COMPACTION: "accent",
    Kind.BRANCH_SUMMARY: "accent",
    Kind.ASSISTANT: "text",
    Kind.CUSTOM: "text",
    Kind.BASH: "text",
}
_CARDS = {Kind.COMPACTION: "━ ", Kind.BRANCH_SUMMARY: "⤷ "}


@dataclass(frozen=True, slots=True)
class RowLook:
    """How rows are drawn just now. ``now`` in seconds since 1970, ``pan`` in cells."""

    palette: Palette
    width: int
    now: float
    words: tuple[str, ...] = ()
    pan: int = 0
    label_times: bool = False
    weights: bool = False


def draw_row(row: TreeRow, look: RowLook, *, cursor: bool, here: bool, label_time: str) -> Strip:
    """``label_time``: when the label was set, as the record says; "" without a label."""
    palette = look.palette
    back = palette["selected"] if cursor else Style()
    mark = ("›" if cursor else " ") + ("•" if row.on_path else " ") + " "
    marks = strip((mark, palette["accent"]))
    right = strip(*_right(row, look, here=here))
    room = max(look.width - marks.cell_length - right.cell_length - 1, 1)
    left = _panned(Strip(list(_left(row, look, label_time, cursor=cursor))), look, room)
    line = Strip.join([marks, left.adjust_cell_length(room), strip((" ", Style())), right])
    return full_line(line, look.width, back)


def _left(row: TreeRow, look: RowLook, label_time: str, *, cursor: bool) -> Iterator[Segment]:
    palette = look.palette
    yield Segment(row.guides, palette["faint"])
    if row.label is not None:
        when = f" {_age(label_time, look.now)}" if look.label_times else ""
        yield Segment("[", palette["warn"])
        yield from _marked(row.label, palette["warn"], look)
        yield Segment(f"{when}] ", palette["warn"])
    if row.kind in _CARDS:
        yield Segment(_CARDS[row.kind], palette["accent"])
    role = _STYLES.get(row.kind, "dim")
    if row.speaker:
        speaker = "strong" if cursor else "user" if row.kind is Kind.USER else "dim"
        yield Segment(f"{row.speaker}: ", palette[speaker])
    text = "text" if row.kind is Kind.USER else role
    yield from _marked(row.text or "(empty)", palette["strong" if cursor else text], look)
    if row.fold == "folded":
        yield Segment(f"  +{row.folded_rows:,} folded", palette["dim"])


def _marked(text: str, style: Style, look: RowLook) -> Iterator[Segment]:
    """The text with what is searched for in it set off."""
    lower = text.lower()
    spans = sorted(_found(lower, look.words)) if len(lower) == len(text) else []
    at = 0
    for start, end in spans:
        if end <= at:
            continue
        if start > at:
            yield Segment(text[at:start], style)
        yield Segment(text[max(start, at) : end], look.palette["match"])
        at = end
    if at < len(text):
        yield Segment(text[at:], style)


def _found(text: str, words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for word in words:
        start = text.find(word)
        while start >= 0:
            yield start, start + len(word)
            start = text.find(word, start + len(word))


def _panned(line: Strip, look: RowLook, room: int) -> Strip:
    """The part of a row in sight; ``…`` where it goes on."""
    if look.pan:
        line = _measured(line.crop(look.pan, None))
    if line.cell_length <= room:
        return line
    more = strip(("…", look.palette["dim"]))
    return Strip.join([_measured(line.crop(0, room - 1)).adjust_cell_length(room - 1), more])


def _measured(line: Strip) -> Strip:
    """A cropped line measured again: an emoji of several characters may have been cut in two.

    What would join its first half with the character that follows is taken away.
    """
    *segments, last = line or [Segment("")]
    return Strip([*segments, Segment(last.text.rstrip(JOINER), last.style)])


def _right(row: TreeRow, look: RowLook, *, here: bool) -> Iterator[tuple[str, Style]]:
    palette = look.palette
    if here:
        yield "here ", palette["accent"]
    if look.weights:
        tokens = weight(row.entry)
        yield (f"{tokens_text(tokens)} tok" if tokens else "").rjust(9) + " ", palette["dim"]
    if look.width >= NARROW:
        yield _age(row.entry.timestamp, look.now).rjust(4), palette["faint"]


def _age(timestamp: object, now: float) -> str:
    moment = parse_date(timestamp) if isinstance(timestamp, str) else float("nan")
    if moment != moment:
        return "?"
    return one_line(age_text(max(now - moment / 1000, 0)))
