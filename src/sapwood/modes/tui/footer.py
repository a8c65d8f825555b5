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
from sapwood.modes.tui.transcript.lines import cut
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
    """One line: left part cut where the right part begins."""
    inner = max(width - 2, 1)
    right_width = sum(cell_len(text) for text, _ in right)
    if right_width > inner // 2 and right_width > inner - 12:
        right, right_width = [], 0
    room = inner - right_width - (2 if right else 0)
    segments = [Segment(" ")]
    used = 0
    for text, role in left:
        shown = cut(text, room - used)
        segments.append(Segment(shown, palette[role]))
        used += cell_len(shown)
        if used >= room:
            break
    segments.append(Segment(" " * (inner - used - right_width)))
    segments += [Segment(text, palette[role]) for text, role in right]
    return Strip(segments).adjust_cell_length(width)


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
            return Strip.blank(self.size.width)
        return layout(*rows[y], self.size.width, self.palette)
