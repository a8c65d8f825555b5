"""Small, large and changing terminals, and texts of every width."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from support.tui import Ui, make_place, running_ui

SIZES = [(20, 6), (40, 10), (80, 24), (300, 100)]
WIDE = "日本語のテキスト 👩‍👩‍👧 e\u0301 שלום עולם مرحبا ไทย"


def lines_fit(ui: Ui) -> bool:
    """Whether every line of the screen is as wide as the screen, no more and no less."""
    strips = ui.app.screen._compositor.render_strips()
    width = ui.app.size.width
    return all(cell_len(strip.text) == width for strip in strips)


def editor_is_in_sight(ui: Ui) -> bool:
    region = ui.chat.editor.content_region
    return region.height > 0 and region.bottom <= ui.app.size.height


@pytest.mark.parametrize("size", SIZES)
async def test_the_editor_is_in_sight(tmp_path: Path, size: tuple[int, int]) -> None:
    place = make_place(tmp_path, [{"text": f"{WIDE}\n\n| a | b |\n|---|---|\n| {WIDE} | x |"}])
    async with running_ui(place, size=size) as ui:
        await ui.send(WIDE)
        await ui.type("typed")
        assert editor_is_in_sight(ui)
        assert "typed" in ui.screen_text
        assert lines_fit(ui)


async def test_a_storm_of_resizing_while_it_answers(tmp_path: Path) -> None:
    text = "\n\n".join(f"{number} {WIDE}" for number in range(200))
    place = make_place(tmp_path, [{"text": text}], chunk=20)
    async with running_ui(place, size=(80, 24)) as ui:
        await ui.type("go")
        await ui.press("enter")
        await ui.type("half a thought")
        for round_ in range(20):
            await ui.pilot.resize_terminal(*SIZES[round_ % len(SIZES)])
        await ui.pilot.resize_terminal(80, 24)
        await ui.settled()
        assert ui.chat.editor.text == "half a thought"
        assert editor_is_in_sight(ui)
        assert "199 日本語" in ui.screen_text
        assert lines_fit(ui)


@pytest.mark.parametrize("size", [(80, 24), (40, 14), (300, 100)])
async def test_dialogs_show_their_hints_and_their_selected_row(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}]), size=size) as ui:
        await ui.send("hello")
        for command in ("settings", "hotkeys", "session", "login", "thinking", "fork", "name"):
            ui.chat.run_command(command, "", f"/{command}")
            await ui.until(lambda: ui.app.screen is not ui.chat, command)
            await ui.pilot.pause()
            assert "Esc" in ui.screen_text.rstrip("\n─ ").split("\n")[-1], command
            assert lines_fit(ui), command
            await ui.press("escape")
            await ui.until(lambda: ui.app.screen is ui.chat)


async def test_wide_texts_everywhere(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": WIDE}])
    folder = place.project / "日本語 שלום"
    folder.mkdir()
    async with running_ui(place, size=(60, 20)) as ui:
        await ui.send(WIDE)
        ui.session.set_session_name(WIDE)
        ui.chat.view.refresh_footer()
        await ui.type(f"{WIDE} {WIDE}")
        await ui.pilot.pause()
        assert lines_fit(ui)
        for command in ("tree", "resume"):
            ui.chat.run_command(command, "", f"/{command}")
            await ui.until(lambda: ui.app.screen is not ui.chat)
            await ui.until(lambda: "日本語" in ui.screen_text)
            assert lines_fit(ui), command
            await ui.press("escape")
            await ui.until(lambda: ui.app.screen is ui.chat)
    (file,) = place.session_dir.rglob("*.jsonl")
    assert WIDE in [json.loads(line).get("name") for line in file.read_text("utf-8").splitlines()]
