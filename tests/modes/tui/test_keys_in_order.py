"""Keys that come in one burst, as from a fast typist, a slow line or a macro."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from support.tui import Ui, make_place, running_ui


def burst(ui: Ui, *keys: str) -> None:
    """All of them before the program has looked at one."""
    for key in keys:
        character = key if len(key) == 1 else None
        ui.app.post_message(events.Key(key, character))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("a", "x", "backspace", "b"), "ab"),
        (("a", "b", "left", "c"), "acb"),
        (("b", "ctrl+a", "a", "ctrl+e", "c"), "abc"),
        (("z", "ctrl+c", "a", "b"), "ab"),
        (("a", "ctrl+j", "b"), "a\nb"),
        (("a", "b", "ctrl+w", "c"), "c"),
    ],
)
async def test_editing(tmp_path: Path, keys: tuple[str, ...], text: str) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}])) as ui:
        burst(ui, *keys)
        await ui.until(lambda: ui.chat.editor.text == text)


async def test_what_follows_enter_is_the_next_message(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}])) as ui:
        burst(ui, "h", "i", "enter", "y", "o", "u")
        await ui.until(lambda: "an answer" in ui.screen_text)
        assert "▌ hi\n" in ui.screen_text
        assert ui.chat.editor.text == "you"


async def test_searching_the_tree_and_the_sessions(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}])) as ui:
        await ui.send("hello")
        for command in ("tree", "resume"):
            ui.chat.run_command(command, "", f"/{command}")
            await ui.until(lambda: ui.app.screen is not ui.chat)
            burst(ui, "h", "x", "backspace", "e")
            await ui.until(lambda: "he" in ui.screen_text.split("\n")[1])
            burst(ui, "escape", "escape")
            await ui.until(lambda: ui.app.screen is ui.chat)


async def test_a_field_is_taken_as_typed(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}])) as ui:
        await ui.send("hello")
        ui.chat.run_command("name", "", "/name")
        await ui.until(lambda: ui.app.screen is not ui.chat)
        burst(ui, "a", "x", "backspace", "b", "enter")
        await ui.until(lambda: ui.session.session_name == "ab")


async def test_a_command_typed_fast_is_the_one_that_runs(tmp_path: Path) -> None:
    """The menu may still be about its first letters."""
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}])) as ui:
        await ui.press("/", "c", "o")
        assert "/copy" in ui.screen_text
        burst(ui, *"mpact", "enter")
        await ui.until(lambda: "nothing to compact" in ui.notice)
