"""Something to read and close again: facts in two columns, under small headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widget import Widget

from sapwood.modes.tui.dialogs.dialog import Dialog
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import BLANK, painted, strip, wrap
from sapwood.text import one_line


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a panel. Without a value it is a heading; without a label, a line of text."""

    label: str
    value: str = ""


def fact_strips(facts: Sequence[Fact], width: int, palette: Palette) -> list[Strip]:
    """Labels in one column, values wrapped in the other."""
    labels = [cell_len(one_line(fact.label)) for fact in facts if fact.label and fact.value]
    column = min(max(labels, default=0), width // 2)
    strips: list[Strip] = []
    for fact in facts:
        label = one_line(fact.label)
        if not fact.value:
            strips += [BLANK] if strips else []
            strips.append(strip((label, palette["heading"])))
            continue
        pad = " " * (column - cell_len(label) + 2) if label else ""
        for row, line in enumerate(wrap(fact.value, width - column - 2 if label else width)):
            head = f"{label}{pad}" if row == 0 else " " * (column + 2) if label else ""
            strips.append(strip((head, palette["dim"]), (one_line(line), palette["text"])))
    return strips


class Facts(Widget):
    """Draws facts; as tall as they are."""

    DEFAULT_CSS = "Facts { height: auto; background: $surface; }"

    def __init__(self, facts: Sequence[Fact], palette: Palette) -> None:
        super().__init__()
        self.facts = facts
        self.palette = palette
        self._strips: list[Strip] = []

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        self._strips = fact_strips(self.facts, width, self.palette)
        return len(self._strips)

    def render_line(self, y: int) -> Strip:
        line = self._strips[y] if y < len(self._strips) else BLANK
        return painted(line, self)


class Panel(Dialog[None]):
    """Escape, Enter or ``q`` closes it; arrows and pages scroll."""

    hints = "↑↓ scroll · Esc close"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,q", "cancel", show=False)]
    DEFAULT_CSS = """
    Panel VerticalScroll {
        height: auto; background: $surface; scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, title: str, facts: Sequence[Fact], *, text: str = "") -> None:
        super().__init__(title, text)
        self.facts = facts

    def on_resize(self) -> None:
        super().on_resize()
        self.query_one(VerticalScroll).styles.max_height = self.room

    def body(self) -> list[Widget]:
        return [VerticalScroll(Facts(self.facts, self.palette))]
