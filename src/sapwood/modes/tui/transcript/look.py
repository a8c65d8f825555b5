"""How blocks are drawn just now: palette, width, what is unfolded. Part of every render cache."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style

from sapwood.modes.tui.theme import Palette


@dataclass(frozen=True)
class Look:
    """``width`` in cells; ``expanded`` unfolds tool output and summaries, ``thinking`` thoughts."""

    palette: Palette
    width: int
    expanded: bool = False
    thinking: bool = False

    def style(self, role: str) -> Style:
        return self.palette[role]

    def __hash__(self) -> int:
        return hash((self.palette.name, self.width, self.expanded, self.thinking))
