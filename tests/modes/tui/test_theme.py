"""Palettes: which one is chosen, that each draws everything, and that nothing needs colour."""

from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.modes.tui.theme import DARK, LIGHT, PALETTES, choose
from support.tui import make_place, running_ui


@pytest.mark.parametrize(
    ("setting", "colorfgbg", "name"),
    [
        (None, None, "dark"),
        (None, "15;0", "dark"),
        (None, "0;15", "light"),
        (None, "0;default;7", "light"),
        ("light", "15;0", "light"),
        ("terminal", None, "terminal"),
        ("no such theme", None, "dark"),
    ],
)
def test_choice(setting: str | None, colorfgbg: str | None, name: str) -> None:
    environ = {"COLORFGBG": colorfgbg} if colorfgbg else {}
    assert choose(setting, environ).name == name


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
