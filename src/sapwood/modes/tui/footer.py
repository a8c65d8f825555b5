"""The footer: where we are (folder, name, branches) and what it costs (context, money, model).

What it shows is a plain `FooterInfo`; how it is laid out is a pure function of that and the width.
Every number says what it is; an estimate carries ``~``.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import BLANK, cut, full_line, painted
from sapwood.modes.tui.words import cost_text, count_text, tokens_text
from sapwood.text import one_line

GAUGE = 10


@dataclass(frozen=True, slots=True)
class FooterInfo:
    """``tokens`` in context now and ``cost`` in US dollars: None while unknown; ``window`` of the
    model: None if undeclared.
    """

    folder: str = ""
    name: str | None = None
    branches: int = 1
    model: str | None = None
    level: str = "off"
    tokens: int | None = None
    window: int | None = None
    estimated: bool = False
    cost: float | None = 0.0
    ready: bool = True
    """Whether there is a session yet; until then only the folder is known."""
    note: str = ""
    """A word on the session itself: ``not saved``, ``read only``."""


Part = tuple[str, str]
"""Text and the role it is drawn in."""


def place_parts(info: FooterInfo) -> tuple[list[Part], list[Part]]:
    """Left and right end of the first line."""
    left: list[Part] = [(one_line(info.folder), "dim")]
    if info.name:
        left += [(" · ", "faint"), (one_line(info.name), "text")]
    right: list[Part] = []
    if info.note:
        right.append((info.note, "warn"))
    if info.branches > 1:
        right += [(" · ", "faint")] if right else []
        right.append((count_text(info.branches, "branch", "branches"), "dim"))
    return left, right


def gauge_parts(info: FooterInfo) -> tuple[list[Part], list[Part]]:
    """Left and right end of the second line."""
    if not info.ready:
        return [("", "dim")], [("starting", "faint")]
    left = _context(info)
    if info.cost is not None:
        left += [(" · ", "faint"), (cost_text(info.cost), "dim")]
    right: list[Part] = [(one_line(info.model), "dim") if info.model else ("no model", "warn")]
    if info.model and info.level != "off":
        right.append((f" · {info.level}", "accent"))
    return left, right


def _context(info: FooterInfo) -> list[Part]:
    if info.tokens is None:
        known = f" of {tokens_text(info.window)}" if info.window else ""
        return [(f"context unknown{known}", "dim")]
    mark = "~" if info.estimated else ""
    if not info.window:
        return [(f"context {mark}{tokens_text(info.tokens)}", "dim")]
    share = info.tokens / info.window
    filled = min(max(round(share * GAUGE), 1 if info.tokens else 0), GAUGE)
    role = "bad" if share > 0.9 else "warn" if share > 0.7 else "accent"
    return [
        ("▰" * filled, role),
        ("▱" * (GAUGE - filled), "faint"),
        (f" {share:.0%} · {mark}{tokens_text(info.tokens)} of {tokens_text(info.window)}", "dim"),
    ]


def layout(left: list[Part], right: list[Part], width: int, palette: Palette) -> Strip:
    """One line; where both ends do not fit, each gets its half and the longer part is cut."""
    inner = max(width - 2, 1)
    room = inner - min(_width(left), inner // 2) - 2
    right = _trimmed(right, room)
    left = _trimmed(left[::-1], inner - _width(right) - (2 if right else 0))[::-1]
    gap = " " * (inner - _width(left) - _width(right))
    segments = [Segment(text, palette[role]) for text, role in (*left, (gap, "text"), *right)]
    return full_line(Strip([Segment(" "), *segments]), width)


def _width(parts: list[Part]) -> int:
    return sum(cell_len(text) for text, _ in parts)


def _trimmed(parts: list[Part], room: int) -> list[Part]:
    """Parts that fit ``room``: the first one is cut, and if that is not enough all are dropped."""
    over = _width(parts) - room
    if over <= 0 or not parts:
        return parts
    (text, role), rest = parts[0], parts[1:]
    wanted = cell_len(text) - over
    if wanted < 4:
        return _trimmed(rest, room)
    return [(cut(text, wanted), role), *rest]


class Footer(Widget):
    """Two lines at the bottom; one on a terminal of few rows."""

    DEFAULT_CSS = "Footer { height: 2; background: $background; }"
    can_focus = False
    info: reactive[FooterInfo] = reactive(FooterInfo())

    def __init__(self, palette: Palette = DARK) -> None:
        super().__init__()
        self.palette = palette

    def render_line(self, y: int) -> Strip:
        rows = [gauge_parts(self.info)]
        if self.size.height > 1:
            rows.insert(0, place_parts(self.info))
        if y >= len(rows):
            return painted(BLANK, self)
        return painted(layout(*rows[y], self.size.width, self.palette), self)
