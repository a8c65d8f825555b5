"""The lines above the editor: what is going on, what is queued, and the last notice.

A plain `Status` says what to show; the widget adds the spinner and the seconds. It takes no room
when there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from sapwood.modes.tui.theme import DARK, Palette
from sapwood.modes.tui.transcript.lines import BLANK, cut, full_line, painted, strip, wrap
from sapwood.modes.tui.words import span_text
from sapwood.text import one_line

Kind = Literal["info", "warn", "error"]

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MARKS = {"info": ("·", "accent"), "warn": ("!", "warn"), "error": ("✗", "bad")}
MAX_QUEUED = 4
MAX_NOTICE = 4
INFO_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Status:
    """``doing`` is empty when idle; ``since`` is a monotonic time in seconds."""

    doing: str = ""
    since: float = 0.0
    hint: str = ""
    steering: tuple[str, ...] = ()
    follow_up: tuple[str, ...] = ()
    notice: str = ""
    kind: Kind = "info"


def status_strips(status: Status, now: float, width: int, palette: Palette) -> list[Strip]:
    """The lines to show at a moment."""
    strips = [*_queue(status, width, palette), *_notice(status, width, palette)]
    if status.doing:
        strips.append(_activity(status, now, width, palette))
    return [full_line(line, width) for line in strips]


def _activity(status: Status, now: float, width: int, palette: Palette) -> Strip:
    spent = max(now - status.since, 0.0)
    frame = SPINNER[int(now * 10) % len(SPINNER)]
    tail = f" · {span_text(spent)}" + (f" · {status.hint}" if status.hint else "")
    words = cut(one_line(status.doing), max(width - len(tail) - 5, 6))
    return strip(
        (f"  {frame} ", palette["accent"]), (words, palette["text"]), (tail, palette["dim"])
    )


def _queue(status: Status, width: int, palette: Palette) -> list[Strip]:
    waiting = [("steers", text) for text in status.steering]
    waiting += [("then", text) for text in status.follow_up]
    strips = [
        strip(
            (f"  ↳ {kind:<6} ", palette["accent"]),
            (cut(one_line(text), max(width - 12, 4)), palette["dim"]),
        )
        for kind, text in waiting[:MAX_QUEUED]
    ]
    if waiting:
        more = len(waiting) - MAX_QUEUED
        words = (f"{more} more · " if more > 0 else "") + "Alt+Up takes them back"
        strips.append(strip((f"    {cut(words, width - 4)}", palette["faint"])))
    return strips


def _notice(status: Status, width: int, palette: Palette) -> list[Strip]:
    if not status.notice:
        return []
    mark, role = MARKS[status.kind]
    lines = list(wrap(one_line(status.notice), max(width - 6, 8)))
    if len(lines) > MAX_NOTICE:
        lines = [*lines[: MAX_NOTICE - 1], cut(lines[MAX_NOTICE - 1] + " …", width - 6)]
    style = palette["text" if status.kind == "info" else role]
    return [
        strip((f"  {mark} " if row == 0 else "    ", palette[role]), (line, style))
        for row, line in enumerate(lines)
    ]


class StatusLines(Widget):
    """Shows a `Status`; ticks only while something is going on."""

    DEFAULT_CSS = "StatusLines { height: auto; background: $background; display: none; }"
    can_focus = False

    def __init__(self, palette: Palette = DARK, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.palette = palette
        self.status = Status()
        self._clock = clock
        self._strips: list[Strip] = []
        self._ticker: Timer | None = None
        self._fading: Timer | None = None

    def doing(self, what: str, hint: str = "") -> None:
        """Say what is going on; an empty text ends it. The seconds count from the first word."""
        since = self.status.since if self.status.doing and what else self._clock()
        self._set(replace(self.status, doing=what, hint=hint, since=since))

    def queue(self, steering: tuple[str, ...], follow_up: tuple[str, ...]) -> None:
        self._set(replace(self.status, steering=steering, follow_up=follow_up))

    def notice(self, text: str = "", kind: Kind = "info") -> None:
        """Show one notice in place of the one before; an empty text takes it away.

        Mere information goes by itself after a while; warnings and errors stay.
        """
        self._set(replace(self.status, notice=text, kind=kind))
        if self._fading is not None:
            self._fading.stop()
            self._fading = None
        if text and kind == "info":
            self._fading = self.set_timer(INFO_SECONDS, self.notice, name="notice fades")

    def _set(self, status: Status) -> None:
        if status == self.status:
            return
        self.status = status
        self._tick_while(bool(status.doing))
        self._redraw()

    def _tick_while(self, busy: bool) -> None:
        if busy and self._ticker is None:
            self._ticker = self.set_interval(0.1, self._redraw, name="spinner")
        elif not busy and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _redraw(self) -> None:
        height = len(self._strips)
        self._strips = status_strips(
            self.status, self._clock(), max(self.size.width, 20), self.palette
        )
        self.display = bool(self._strips)
        self.refresh(layout=len(self._strips) != height)

    def on_resize(self) -> None:
        self._redraw()

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._strips)

    def render_line(self, y: int) -> Strip:
        if y < len(self._strips):
            return painted(self._strips[y], self)
        return painted(BLANK, self)
