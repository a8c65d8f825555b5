"""From the chat to the tree, the picker and back: what arrives, what is asked, what stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sapwood.agent.activity import Activity
from sapwood.session.manager import SessionManager
from support.tui import Ui, make_place, running_ui

OK = {"text": "ok"}


async def tree_is_open(ui: Ui) -> None:
    await ui.until(lambda: type(ui.app.screen).__name__ == "TreeScreen", "the tree")


async def chat_is_open(ui: Ui) -> None:
    await ui.until(lambda: ui.app.screen is ui.chat, "the chat")


async def open_tree(ui: Ui) -> None:
    await ui.press("escape", "escape")
    await tree_is_open(ui)


async def test_escape_twice_on_an_empty_editor_opens_the_tree(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("first question")
        await ui.type("not empty")
        await ui.press("escape", "escape")
        assert ui.app.screen is ui.chat
        await ui.press("ctrl+c")
        await open_tree(ui)
        assert "first question" in ui.screen_text
        before = len(ui.session.manager.tree.entries)
        await ui.press("escape")
        await chat_is_open(ui)
        assert len(ui.session.manager.tree.entries) == before


async def test_double_escape_can_be_another_action(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    (place.agent_dir / "settings.json").write_text('{"doubleEscapeAction": "none"}', "utf-8")
    async with running_ui(place) as ui:
        await ui.send("first")
        await ui.press("escape", "escape")
        await ui.pilot.pause(0.2)
        assert ui.app.screen is ui.chat


async def test_user_message_is_opened_for_editing(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("first question")
        await ui.send("second question")
        await open_tree(ui)
        await ui.press("up", "enter")
        await ui.until(lambda: ui.app.screen is not ui.chat)
        for _ in range(4):
            if ui.app.screen is ui.chat:
                break
            await ui.press("enter")
            await ui.pilot.pause(0.1)
        await chat_is_open(ui)
        assert ui.chat.editor.text == "second question"
        assert "▌ first question" in ui.screen_text
        assert "▌ second question" not in ui.screen_text
        await ui.send(" again")
        assert "2 branches" in ui.screen_text


async def test_summary_of_the_branch_left_can_be_cancelled_and_text_stays(tmp_path: Path) -> None:
    summary: list[dict[str, Any]] = [{"text": "## Goal\nx", "delay": 8}]
    place = make_place(tmp_path, [OK], summaries=summary, contextWindow=100_000)
    async with running_ui(place) as ui:
        await ui.send("first question")
        await ui.send("second question")
        await ui.type("typed before")
        leaf = ui.session.manager.get_leaf()
        ui.chat.run_command("tree", "", "/tree")
        await tree_is_open(ui)
        from sapwood.modes.tui.tree import TreeChoice

        target = ui.session.manager.tree.path()[1].id
        ui.app.screen.dismiss(TreeChoice(target, False, "default", None))
        await ui.until(lambda: ui.session.activity is Activity.NAVIGATING)
        assert "Summarizing the branch you leave" in ui.screen_text
        await ui.press("escape")
        await tree_is_open(ui)
        assert ui.session.manager.get_leaf() == leaf
        await ui.press("escape")
        await chat_is_open(ui)
        assert ui.chat.editor.text == "typed before"
        assert ui.session.is_idle


async def test_summary_of_the_branch_left_becomes_a_card(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK], contextWindow=100_000)
    async with running_ui(place) as ui:
        await ui.send("first question")
        await ui.send("second question")
        ui.chat.run_command("tree", "", "/tree")
        await tree_is_open(ui)
        from sapwood.modes.tui.tree import TreeChoice

        path = ui.session.manager.tree.path()
        target = next(e for e in path if e.message and e.message["role"] == "assistant")
        ui.app.screen.dismiss(TreeChoice(target.id, True, "default", None))
        await ui.until(lambda: "Summary of the branch left behind" in ui.screen_text)
        await ui.settled()
        assert "▌ second question" not in ui.screen_text


async def test_resume_opens_another_session_here(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    other = SessionManager.create(place.project, place.session_dir)
    async with running_ui(place, other) as ui:
        await ui.send("the other talk")
    async with running_ui(place) as ui:
        await ui.send("this talk")
        await ui.type("kept draft")
        ui.chat.run_command("resume", "", "/resume")
        await ui.until(lambda: "the other talk" in ui.screen_text, "the picker's rows")
        await ui.press(*"other", "enter")
        await chat_is_open(ui)
        await ui.until(lambda: ui.session.session_id == other.session_id)
        assert "▌ the other talk" in ui.screen_text
        assert ui.chat.editor.text == "kept draft"


async def test_resume_at_the_start_and_backing_out(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    other = SessionManager.create(place.project, place.session_dir)
    async with running_ui(place, other) as ui:
        await ui.send("the other talk")
    from sapwood.modes.tui.app import SapwoodApp
    from support.tui import launch_of

    app = SapwoodApp(launch_of(place, resume=True))
    async with app.run_test(size=(100, 30)) as pilot:
        ui = Ui(app, pilot)
        await ui.until(lambda: "the other talk" in ui.screen_text, "the picker's rows")
        await ui.press("enter")
        await ui.until(lambda: ui.chat.session is not None)
        await chat_is_open(ui)
        assert ui.session.session_id == other.session_id
        await ui.session.dispose()

    app = SapwoodApp(launch_of(place, resume=True))
    async with app.run_test(size=(100, 30)) as pilot:
        ui = Ui(app, pilot)
        await ui.until(lambda: "the other talk" in ui.screen_text, "the picker's rows")
        await ui.press("escape")
        await ui.until(lambda: not app.is_running)
    assert len(list(place.session_dir.rglob("*.jsonl"))) == 1
