"""What the tree draws: hostile text, wide characters, tiny terminals, no colour, snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sapwood.session.manager import SessionManager
from support.tree_session import HOSTILE, answer, user

HARMFUL = set("\x1b\x07\r\x9b\u202e\u2066\x00")


async def test_hostile_text_stays_in_its_row(open_tree: Any) -> None:
    async with open_tree() as tree:
        manager: SessionManager = tree.ui.session.manager
        manager.append_message(user(HOSTILE))
        entry = manager.append_message(answer(HOSTILE * 50))
        manager.append_label_change(entry, HOSTILE)
        for size in ((80, 24), (120, 30), (40, 12)):
            await tree.ui.pilot.resize_terminal(*size)
            tree.screen._refresh()
            await tree.press("home", *["down"] * 7)
            assert not HARMFUL & set(tree.text)
            lines = tree.text.split("\n")
            assert len(lines) == size[1]
            assert any("<b>[bold]" in line for line in lines) or size[0] == 40


async def test_wide_characters_keep_the_columns(open_tree: Any) -> None:
    from rich.cells import cell_len

    async with open_tree(size=(60, 24)) as tree:
        texts = ["日本語" * 20, "👩‍👩‍👧 family " * 8, "e\u0301" * 50, "עברית " * 20]
        for text in texts:
            tree.ui.session.manager.append_message(user(text))
        tree.screen._refresh()
        await tree.press("home")
        strips = tree.ui.app.screen._compositor.render_strips()
        assert [strip.text for strip in strips if cell_len(strip.text) != 60] == []


@pytest.mark.parametrize("size", [(40, 12), (20, 6), (10, 3)])
async def test_tiny_terminals_work(open_tree: Any, size: tuple[int, int]) -> None:
    async with open_tree(size=size) as tree:
        await tree.press("home", "down", "right", "W", "T", *"rust", "escape", "L", "x", "escape")
        await tree.press("escape")
        await tree.in_chat()


async def test_resizing_keeps_the_place(open_tree: Any) -> None:
    async with open_tree(size=(120, 40)) as tree:
        await tree.press("up")
        await tree.ui.pilot.resize_terminal(40, 12)
        await tree.ui.pilot.pause()
        assert tree.at == "other"
        assert any(line.startswith("›•") for line in tree.text.splitlines())


async def test_without_colour_marks_say_it_all(
    open_tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_tree() as tree:
        assert "›•" in tree.text
        assert " here " in tree.text
        assert "⤷ [branch summary]" in tree.text


async def test_cursor_is_kept_in_sight_in_long_trees(open_tree: Any) -> None:
    async with open_tree(size=(60, 12)) as tree:
        manager = tree.ui.session.manager
        for number in range(300):
            manager.append_message(user(f"message {number}"))
        tree.screen._refresh()
        await tree.press("home", "up")
        assert "Rewrite" in tree.text or "old" in tree.text
        await tree.press("home")
        assert "Where is the parser?" in tree.text
        for _ in range(5):
            await tree.press("right")
        assert any(line.startswith("›") for line in tree.text.splitlines())


async def test_empty_session_says_so(tmp_path: Path) -> None:
    from sapwood.modes.tui.tree.screen import TreeScreen
    from support.tui import make_place, running_ui

    async with running_ui(make_place(tmp_path)) as ui:
        ui.chat.action_command("tree")
        await ui.until(lambda: isinstance(ui.app.screen, TreeScreen))
        await ui.press("up", "enter", "L", "ctrl+left", "W")
        if not ui.session.manager.tree.entries:
            assert "Nothing has been said yet" in ui.screen_text
        await ui.press("escape")
        await ui.until(lambda: ui.app.screen is ui.chat)


async def test_click_selects_and_double_click_goes(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.ui.pilot.click(offset=(10, 3))
        assert tree.at == "read"
        await tree.ui.pilot.click(offset=(10, 9), times=2)
        await tree.asked("Summarize the branch")
