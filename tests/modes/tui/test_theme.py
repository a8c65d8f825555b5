"""Palettes: which one is chosen, that each draws everything, and that nothing needs colour."""

from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.modes.tui.theme import DARK, LIGHT, PALETTES, choose
from support.tui import Ui, make_place, running_ui

FULL = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("setting", "environ", "few_colours", "name"),
    [
        (None, {}, False, "dark"),
        (None, {"COLORFGBG": "15;0"}, False, "dark"),
        (None, {"COLORFGBG": "0;15"}, False, "light"),
        (None, {"COLORFGBG": "0;default;7"}, False, "light"),
        ("light", {"COLORFGBG": "15;0"}, False, "light"),
        ("terminal", {}, False, "terminal"),
        ("terminal", {"COLORFGBG": "0;15"}, False, "terminal-light"),
        ("no such theme", {}, False, "dark"),
        (None, {}, True, "terminal"),
        (None, {"COLORFGBG": "0;15"}, True, "terminal-light"),
        ("dark", {}, True, "dark"),
        ("plain", {}, False, "plain"),
        ("dark", {"NO_COLOR": "1"}, False, "plain"),
        (None, {"NO_COLOR": ""}, False, "dark"),
        (None, {"TERM": "vt100"}, True, "plain"),
        (None, {"TERM": "dumb"}, True, "plain"),
    ],
)
def test_choice(setting: str | None, environ: dict[str, str], few_colours: bool, name: str) -> None:
    assert choose(setting, {**FULL, **environ}, few_colours=few_colours).name == name


async def test_a_theme_can_be_changed_to_plain_and_back(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "`code`"}])) as ui:
        await ui.send("hi")
        assert any(colours(ui))
        ui.app.use_theme("plain")
        await ui.settled()
        assert not any(colours(ui))
        ui.app.use_theme("light")
        await ui.settled()
        assert any(colours(ui))


def colours(ui: Ui) -> list[object]:
    """What colours the segments on the screen have."""
    styles = [
        segment.style
        for strip in ui.app.screen._compositor.render_strips()
        for segment in strip
        if segment.style is not None
    ]
    return [colour for style in styles for colour in (style.color, style.bgcolor) if colour]


def test_palettes_have_the_same_roles() -> None:
    roles = [set(palette.styles) for palette in PALETTES.values()]
    assert all(names == roles[0] for names in roles)


@pytest.mark.parametrize("theme", list(PALETTES))
async def test_every_theme_draws_everything(tmp_path: Path, theme: str) -> None:
    call = {"name": "bash", "arguments": {"command": "echo x"}}
    place = make_place(tmp_path, [{"tools": [call], "thinking": "a"}, {"text": "# b\n\n`c`"}])
    async with running_ui(place, theme=theme) as ui:
        await ui.send("hi")
        assert "● $ echo x" in ui.screen_text
        await ui.press("/")
        assert "/model" in ui.screen_text
        await ui.press("ctrl+c")
        ui.chat.run_command("tree", "", "/tree")
        await ui.until(lambda: "user: hi" in ui.screen_text)
        await ui.press("escape")
        ui.chat.run_command("settings", "", "/settings")
        await ui.until(lambda: "Colours" in ui.screen_text)


def contrast(first: str, second: str) -> float:
    """WCAG contrast of two ``#rrggbb`` colours."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_text_can_be_read(palette: object) -> None:
    for role in ("text", "dim", "accent", "user", "good", "warn", "bad", "code"):
        for ground in ("background", "surface", "selected"):
            value = contrast(getattr(palette, role), getattr(palette, ground))
            assert value >= (3.0 if ground == "selected" else 4.5), (role, ground, value)
