"""The colours of the terminal UI: a palette of named roles, and the palettes there are.

Every widget and renderer asks for a role (``dim``, ``accent``, ``added`` …), never for a colour,
and no meaning is carried by colour alone: marks and words say it too. ``terminal`` paints with
the terminal's own sixteen colours on its own background, ``plain`` without any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from textual.theme import Theme


@dataclass(frozen=True)
class Palette:
    """Colours by role, as Rich and Textual both spell them."""

    name: str
    dark: bool
    background: str
    surface: str
    selected: str
    text: str
    dim: str
    faint: str
    accent: str
    user: str
    good: str
    warn: str
    bad: str
    code: str
    syntax: str
    ansi: bool = False
    plain: bool = False
    """No colours at all: bold, dim, underlined and reversed say it."""

    @cached_property
    def styles(self) -> Mapping[str, Style]:
        """A Rich style for each role that renderers use."""
        if self.plain:
            return _PLAIN_STYLES
        roles = ("text", "dim", "faint", "accent", "user", "good", "warn", "bad", "code")
        styles = {role: Style(color=_rich_colour(getattr(self, role))) for role in roles}
        styles["heading"] = styles["accent"] + Style(bold=True)
        styles["strong"] = styles["text"] + Style(bold=True)
        styles["thinking"] = styles["dim"] + Style(italic=True)
        styles["added"] = styles["good"]
        styles["removed"] = styles["bad"]
        styles["match"] = styles["accent"] + Style(bold=True, underline=True)
        styles["selected"] = styles["text"] + Style(bgcolor=_rich_colour(self.selected))
        if self.ansi:  # of sixteen colours none is sure to go with all the others
            styles["selected"] = Style(color="default", bgcolor="default", reverse=True)
        styles["ground"] = styles["text"] + Style(bgcolor=_rich_colour(self.background))
        return styles

    def __getitem__(self, role: str) -> Style:
        return self.styles[role]

    def textual(self) -> Theme:
        """The same palette as a Textual theme, for borders, scrollbars and inputs."""
        from textual.theme import BUILTIN_THEMES, Theme

        name = f"sapwood-{self.name}"
        if self.ansi:
            # Textual draws with the terminal's own colours in a way of its own.
            native = BUILTIN_THEMES["ansi-dark" if self.dark else "ansi-light"]
            variables = {**native.variables, **_ANSI_VARIABLES}
            return replace(native, name=name, primary=self.accent, variables=variables)
        return Theme(
            name=name,
            primary=self.accent,
            secondary=self.user,
            accent=self.accent,
            warning=self.warn,
            error=self.bad,
            success=self.good,
            foreground=self.text,
            background=self.background,
            surface=self.surface,
            panel=self.surface,
            dark=self.dark,
            ansi=self.ansi,
            variables={
                "text-muted": self.dim,
                "text-disabled": self.faint,
                "border-blurred": self.faint,
                "block-cursor-background": self.selected,
            },
        )


_ANSI_VARIABLES = {"border-blurred": "ansi_bright_black", "input-cursor-text-style": "reverse"}

_NO_STYLE = Style.null()
_PLAIN_STYLES: Mapping[str, Style] = {
    **dict.fromkeys(("text", "accent", "user", "good", "warn", "bad", "code", "added"), _NO_STYLE),
    **dict.fromkeys(("dim", "faint", "removed"), Style(dim=True)),
    **dict.fromkeys(("heading", "strong"), Style(bold=True)),
    "thinking": Style(dim=True, italic=True),
    "match": Style(bold=True, underline=True),
    "selected": Style(reverse=True),
    "ground": _NO_STYLE,
}


def _rich_colour(name: str) -> str:
    """A colour as Rich spells it: Textual puts ``ansi_`` before the terminal's own."""
    return name.removeprefix("ansi_")


DARK = Palette(
    name="dark",
    dark=True,
    background="#15171a",
    surface="#1d2024",
    selected="#2c3138",
    text="#d7d9dc",
    dim="#8d939b",
    faint="#5d636b",
    accent="#8fbf8a",
    user="#8ab4d8",
    good="#8fbf8a",
    warn="#d9b36c",
    bad="#e08a80",
    code="#c9a7d8",
    syntax="one-dark",
)

LIGHT = Palette(
    name="light",
    dark=False,
    background="#fbfaf7",
    surface="#f1efe9",
    selected="#e0ddd3",
    text="#26282b",
    dim="#5f656d",
    faint="#9a9ea4",
    accent="#2f6f3e",
    user="#1f5f99",
    good="#2f6f3e",
    warn="#8a5a00",
    bad="#b03a2e",
    code="#7a3e9d",
    syntax="friendly",
)

TERMINAL = Palette(
    name="terminal",
    dark=True,
    background="ansi_default",
    surface="ansi_default",
    selected="ansi_bright_black",
    text="ansi_default",
    dim="ansi_bright_black",
    faint="ansi_bright_black",
    accent="ansi_green",
    user="ansi_cyan",
    good="ansi_green",
    warn="ansi_yellow",
    bad="ansi_red",
    code="ansi_magenta",
    syntax="ansi_dark",
    ansi=True,
)

TERMINAL_LIGHT = replace(TERMINAL, name="terminal-light", dark=False, syntax="ansi_light")
PLAIN = replace(TERMINAL, name="plain", syntax="bw", plain=True)

PALETTES: Mapping[str, Palette] = {
    palette.name: palette for palette in (DARK, LIGHT, TERMINAL, TERMINAL_LIGHT, PLAIN)
}
SETTINGS = ("dark", "light", "terminal", "plain")
"""What the setting ``theme`` may be."""


def choose(
    setting: str | None, environ: Mapping[str, str], *, few_colours: bool = False
) -> Palette:
    """The palette for the setting ``theme``; without one, what the terminal can show.

    ``NO_COLOR`` and terminals without colours come before the setting. ``COLORFGBG`` tells a light
    background. ``few_colours``: the terminal has no more than its own sixteen. An unknown name is
    the same as none: a theme never stands in the way of starting.
    """
    if environ.get("NO_COLOR") or _is_colourless(environ.get("TERM", "")):
        return PLAIN
    is_light = environ.get("COLORFGBG", "").rpartition(";")[2] in {"7", "15"}
    if setting == "terminal" or (few_colours and setting not in SETTINGS):
        return TERMINAL_LIGHT if is_light else TERMINAL
    if setting in SETTINGS:
        return PALETTES[setting]
    return LIGHT if is_light else DARK


def _is_colourless(term: str) -> bool:
    """Terminals of a time, or a kind, without colours."""
    return term in {"dumb", "unknown"} or term.startswith(("vt1", "vt2")) or term.endswith("-m")
