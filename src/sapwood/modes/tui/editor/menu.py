"""The completion menu: a few rows under the editor, moved through from the editor itself."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from sapwood.modes.tui.editor.completion import Choice
from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import cut, full_line, painted
from sapwood.text import one_line

ROWS = 8


class CompletionMenu(Widget):
    """Shows choices while there are any; takes no focus."""

    DEFAULT_CSS = """
    CompletionMenu { height: auto; max-height: 9; background: $background; display: none; }
    """
    can_focus = False
    selected: reactive[int] = reactive(0)

    def __init__(self, palette: Palette = DARK) -> None:
        super().__init__()
        self.palette = palette
        self.choices: Sequence[Choice] = ()

    @property
    def is_open(self) -> bool:
        return bool(self.choices)

    @property
    def choice(self) -> Choice | None:
        return self.choices[self.selected] if self.choices else None

    def offer(self, choices: Sequence[Choice]) -> None:
        """Show these, the first one selected; an empty sequence closes the menu."""
        if not choices and not self.choices:
            return  # at every key: no reason to lay the screen out anew
        self.choices = choices
        self.selected = 0
        self.display = bool(choices)
        self.refresh(layout=True)

    def move(self, step: int) -> None:
        """Select the next or previous choice, around the ends."""
        if self.choices:
            self.selected = (self.selected + step) % len(self.choices)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        rows = min(len(self.choices), ROWS)
        return rows + (1 if len(self.choices) > ROWS else 0)

    def render_line(self, y: int) -> Strip:
        top = max(0, min(self.selected - ROWS // 2, len(self.choices) - ROWS))
        width = self.size.width
        if y >= min(len(self.choices), ROWS):
            text = f"    {self.selected + 1} of {len(self.choices)}" if self.choices else ""
            return painted(Strip([Segment(text, self.palette["faint"])]), self)
        index = top + y
        label_width = min(max(cell_len(c.label) for c in self.choices[top : top + ROWS]), width - 6)
        choice, selected = self.choices[index], index == self.selected
        return painted(choice_strip(choice, selected, label_width, width, self.palette), self)


def choice_strip(
    choice: Choice, selected: bool, label_width: int, width: int, palette: Palette
) -> Strip:
    """One row: a mark, the label in its column, the detail dimmed."""
    back = palette["selected"] if selected else Style()
    label = cut(one_line(choice.label), label_width)
    gap = " " * (label_width - cell_len(label) + 2)
    mark = "  › " if selected else "    "
    detail = cut(one_line(choice.detail), max(width - label_width - 6, 0))
    strip = Strip(
        [
            Segment(mark, palette["accent"] + back),
            Segment(label, palette["strong" if selected else "text"] + back),
            Segment(gap, back),
            Segment(detail, palette["dim"] + back),
        ]
    )
    return full_line(strip, width, back)
