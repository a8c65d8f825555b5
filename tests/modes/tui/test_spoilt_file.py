"""A session whose file another program spoils while the UI has it open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sapwood.session.manager import SessionManager
from support.tree_session import branched_session
from support.tui import make_place, running_ui


@pytest.mark.parametrize("command", ["tree", "session", "fork"])
async def test_a_command_says_so_or_the_program_ends_with_a_line(
    tmp_path: Path, command: str
) -> None:
    place = make_place(tmp_path)
    made, _ = branched_session(place.project, place.session_dir)
    assert made.path is not None
    made.close()
    async with running_ui(place, SessionManager.open(made.path)) as ui:
        os.truncate(made.path, 400)
        ui.chat.action_command(command)
        await ui.until(lambda: "cut short" in (ui.app.farewell or ui.screen_text))
        assert ui.app.return_value == (1 if ui.app.farewell else None)
        assert "\n" not in ui.app.farewell


async def test_drawing_what_is_gone_ends_the_program_with_a_line(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    made, _ = branched_session(place.project, place.session_dir)
    assert made.path is not None
    made.close()
    async with running_ui(place, SessionManager.open(made.path), size=(160, 40)) as ui:
        ui.chat.action_command("tree")
        await ui.until(lambda: ui.app.screen is not ui.chat)
        os.truncate(made.path, 400)
        await ui.press("home", "down", "down")
        await ui.until(lambda: ui.app.return_value == 1)
        assert "cut short" in ui.app.farewell
        assert "\n" not in ui.app.farewell
