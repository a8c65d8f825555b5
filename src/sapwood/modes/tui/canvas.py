"""Widgets that are nothing but lines of their own, drawn without Textual's frame around them.

A Textual widget is drawn through its styles line by line: border, outline, padding, opacity. That
costs several times what the lines cost, for things that these widgets do not have.
"""

from __future__ import annotations

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from sapwood.modes.tui.transcript.lines import BLANK, cut, full_line, strip


class Canvas(Widget, can_focus=False, inherit_bindings=False):
    """``render_line`` gives whole lines, in the widget's full width and on its background."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in ``crop``, past the filters that the terminal needs."""
        lines = [self.render_line(y) for y in crop.line_range]
        background = self.background_colors[1]
        for each in self.get_line_filters():
            lines = [line.apply_filter(each, background) for line in lines]
        if crop.column_span != (0, self.outer_size.width):
            lines = [line.crop(*crop.column_span) for line in lines]
        return lines


class TextLines(Canvas):
    """Lines of plain text in one style, a space before each; what does not fit is cut."""

    def __init__(self, *, classes: str) -> None:
        super().__init__(classes=classes)
        self._texts: tuple[str, ...] = ()
        self._style = Style.null()

    def show(self, style: Style, *texts: str) -> None:
        """Show other lines; does nothing when they are the same."""
        if (style, texts) != (self._style, self._texts):
            self._style, self._texts = style, texts
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        text = self._texts[y] if y < len(self._texts) else ""
        line = strip((" " + cut(text, width - 2), self._style)) if text else BLANK
        return full_line(line, width, self.rich_style)
