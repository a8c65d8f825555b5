"""What is beside or below a list: lines about the marked row, and a rule towards the list."""

from __future__ import annotations

from textual.strip import Strip

from sapwood.modes.tui.canvas import Canvas
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.lines import BLANK, cut, full_line, strip


class SideView(Canvas):
    """Subclasses give `make_lines`, called when they are drawn, and call `forget` for others."""

    def __init__(self, palette: Palette, *, beside: bool) -> None:
        super().__init__(classes="beside" if beside else "below")
        self.palette = palette
        self._beside = beside
        self._top = 0
        self._made: list[Strip] | None = None
        self._lines: list[Strip] | None = None  # as they are on the screen

    def make_lines(self, width: int) -> list[Strip]:
        """The lines, at most ``width`` cells wide."""
        raise NotImplementedError

    def forget(self) -> None:
        """Something else is to be shown, from its beginning."""
        self._made = self._lines = None
        self._top = 0
        self.refresh()

    def scroll_rows(self, rows: int) -> None:
        last = max(len(self._all()) - self._height, 0)
        self._top = min(max(self._top + rows, 0), last)
        self._lines = None
        self.refresh()

    def on_resize(self) -> None:
        self._made = self._lines = None

    @property
    def _height(self) -> int:
        return self.size.height - (0 if self._beside else 1)

    @property
    def _width(self) -> int:
        return max(self.size.width - (3 if self._beside else 2), 1)

    def _all(self) -> list[Strip]:
        if self._made is None:
            self._made = self.make_lines(self._width)
        return self._made

    def render_line(self, y: int) -> Strip:
        if self._lines is None:
            self._lines = self._framed()
        return self._lines[y]

    def _framed(self) -> list[Strip]:
        """All lines of the widget."""
        made = self._all()
        shown = made[self._top : self._top + self._height]
        left = len(made) - self._top - len(shown)
        if left > 0 and shown:
            words = f"… {left + 1:,} more lines · Shift+↓"
            shown[-1] = strip((cut(words, self._width), self.palette["faint"]))
        shown += [BLANK] * (self._height - len(shown))
        width, base = self.size.width, self.rich_style
        edge = strip(("│ " if self._beside else " ", self.palette["faint"]))
        lines = [full_line(Strip.join([edge, line]), width, base) for line in shown]
        if not self._beside:
            lines.insert(0, full_line(strip(("─" * width, self.palette["faint"])), width, base))
        return lines
