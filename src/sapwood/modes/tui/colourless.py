"""No colour reaches the terminal, whatever drew it: for ``NO_COLOR`` and the palette ``plain``.

Textual's own filter makes greys of colours, or names the default colours; here only weight,
underlining and reversal stay.
"""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor


@lru_cache(4096)
def without_colour(style: Style) -> Style:
    """The style without its two colours."""
    return style.without_color


class WithoutColour(LineFilter):
    """Takes all colours away while it is enabled."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, without_colour(style) if style else style, control)
            for text, style, control in segments
        ]


def replaces(other: LineFilter) -> bool:
    """Whether Textual put this filter in for ``NO_COLOR``."""
    return isinstance(other, Monochrome | NoColor)
