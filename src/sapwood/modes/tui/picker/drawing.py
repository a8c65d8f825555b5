"""A session as a row: marks, name or first message, how many messages, how long ago."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from rich.style import Style
from textual.strip import Strip

from sapwood.modes.tui.picker.shelf import ShelfRow
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import cut, full_line, strip
from sapwood.modes.tui.words import age_text, count_text
from sapwood.session.info import SessionInfo
from sapwood.text import cell_width, one_line

TITLE = 400
"""Characters of a first message that a row looks at."""

NARROW = 60
"""Below this many cells the count of messages is left out."""


@dataclass(frozen=True, slots=True)
class RowLook:
    """``now`` in seconds since 1970; ``folders`` where sessions of several are shown."""

    palette: Palette
    width: int
    now: float
    paths: bool = False
    folders: bool = False


def title_of(info: SessionInfo) -> str:
    """What a session is called: its name, else its first message. Harmless, on one line."""
    return " ".join(one_line((info.name or info.first_message)[:TITLE]).split()) or "(empty)"


def folder_text(info: SessionInfo) -> str:
    """The working folder with ``~`` for home; harmless."""
    home = str(Path.home())
    cwd = info.cwd or "(no folder)"
    if cwd == home or cwd.startswith(home + os.sep):
        cwd = "~" + cwd[len(home) :]
    return one_line(cwd)


def draw_row(row: ShelfRow, look: RowLook, *, selected: bool, current: bool) -> Strip:
    """``current``: the session that is open now; the row says so in words."""
    palette, info = look.palette, row.info
    mark = ("›" if selected else " ") + ("•" if current else " ") + " "
    branch = "   " * (row.depth - 1) + "└─ " if row.depth else ""
    right = _right(info, look, current=current)
    room = look.width - 4 - cell_width(branch) - cell_width(right)
    style = palette["strong" if selected else "user" if info.name else "text"]
    title, more = _title(row, look, max(room, 1))
    line = strip(
        (mark, palette["accent"]),
        (branch, palette["faint"]),
        (title, style),
        (more, palette["dim"]),
    )
    line = line.adjust_cell_length(max(look.width - cell_width(right) - 1, 0))
    line = Strip.join([line, strip((f" {right}", palette["dim"]))])
    back = palette["selected"] if selected else Style()
    return full_line(line, look.width, back)


def _title(row: ShelfRow, look: RowLook, room: int) -> tuple[str, str]:
    """What the session is called, and after that what is asked for: path, folder, or the hit."""
    more = ""
    if look.paths:
        more = one_line(str(row.info.path))
    elif row.said:
        more = one_line(row.said)
    elif look.folders:
        more = folder_text(row.info)
    share = room if not more else max(room * 2 // 5, room - cell_width(more) - 2, 8)
    title = cut(title_of(row.info), min(share, room))
    left = room - cell_width(title) - 2
    if not more or left < 4:
        return title, ""
    return title, "  " + (cut(more, left) if row.said and not look.paths else tail(more, left))


def tail(text: str, width: int) -> str:
    """The end of a path in at most ``width`` cells: it tells more than the beginning."""
    if cell_width(text) <= width:
        return text
    start = len(text)
    while start and cell_width(text[start - 1 :]) < width:
        start -= 1
    return "…" + text[start:]


def _right(info: SessionInfo, look: RowLook, *, current: bool) -> str:
    age = age_text(max(look.now - info.modified / 1000, 0))
    when = "now" if age == "now" else f"{age} ago"
    messages = f"{count_text(info.message_count, 'message'):>12}" if look.width >= NARROW else ""
    return f"{'open  ' if current else ''}{messages}{when:>9}"
