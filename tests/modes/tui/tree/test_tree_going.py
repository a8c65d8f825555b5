"""Enter in the tree: each question, each way back, and where one arrives."""

from __future__ import annotations

from typing import Any

OK = {"text": "ok"}
SUMMARY = (
    "## Goal\nAdd tests\n\n## Progress\n### Done\n- [x] tests were added\n\n## Next Steps\n1. run"
)


async def test_escape_closes_and_changes_nothing(open_tree: Any) -> None:
    async with open_tree() as tree:
        manager = tree.ui.session.manager
        before = manager.path.read_bytes(), manager.get_leaf()
        await tree.press("home", "ctrl+u", "ctrl+left", "escape")
        await tree.in_chat()
        assert (manager.path.read_bytes(), manager.get_leaf()) == before


async def test_the_leaf_itself_is_no_move(open_tree: Any) -> None:
    async with open_tree() as tree:
        manager = tree.ui.session.manager
        before = manager.path.read_bytes()
        await tree.press("enter")
        await tree.in_chat()
        assert manager.path.read_bytes() == before
        assert "already" in tree.ui.notice


async def test_choosing_where_one_has_gone_is_no_move(open_tree: Any) -> None:
    async with open_tree(settings={"branchSummary": {"skipPrompt": True}}) as tree:
        manager = tree.ui.session.manager
        await tree.press("end", "enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.place == "left_answer")
        before = manager.path.read_bytes()
        await tree.open()
        assert tree.at == "left_answer"
        await tree.press("enter")
        await tree.in_chat()
        await tree.ui.until(lambda: "already" in tree.ui.notice)
        assert manager.path.read_bytes() == before


async def test_going_to_an_answer_without_summary(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("end", "enter")
        await tree.asked("Summarize the branch you leave?")
        assert "You leave 3 entries (1 message of yours), about" in tree.text
        await tree.press("enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.place == "left_answer")
        assert tree.ui.chat.editor.text == ""


async def test_edit_this_message(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.stand_on("left")
        await tree.press("enter")
        await tree.asked("This is a message of yours")
        await tree.press("enter")
        await tree.asked("Summarize the branch")
        await tree.press("enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.ui.chat.editor.text == "Rewrite it in Rust")
        assert tree.place == "found"


async def test_continue_exactly_here(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.stand_on("left")
        await tree.press("enter")
        await tree.asked("This is a message of yours")
        await tree.press("down", "enter")
        await tree.asked("Summarize the branch")
        await tree.press("enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.place == "left")
        assert tree.ui.chat.editor.text == ""


async def test_nothing_is_asked_where_nothing_is_left(open_tree: Any) -> None:
    async with open_tree() as tree:
        tree.ui.session.manager.branch(tree.ids["found"])
        tree.screen._refresh()
        await tree.stand_on("left_answer")
        await tree.press("enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.place == "left_answer")


async def test_settings_skip_the_question(open_tree: Any) -> None:
    async with open_tree(settings={"branchSummary": {"skipPrompt": True}}) as tree:
        await tree.press("end", "enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.place == "left_answer")


async def test_escape_goes_back_one_step_at_a_time(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.stand_on("left")
        await tree.press("enter")
        await tree.asked("This is a message of yours")
        await tree.press("enter")
        await tree.asked("Summarize the branch")
        await tree.press("3")
        await tree.asked("What should the summary attend to?")
        await tree.press("escape")
        await tree.asked("Summarize the branch")
        assert "›• Summarize with a focus" in tree.text
        await tree.press("escape")
        await tree.asked("This is a message of yours")
        await tree.press("escape")
        await tree.in_tree()
        assert tree.at == "left"
        await tree.press("escape")
        await tree.in_chat()
        assert tree.ui.session.manager.get_leaf() == tree.ids["other_answer"]


async def test_keys_of_the_tree_do_nothing_behind_a_question(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("end", "enter")
        await tree.asked("Summarize the branch")
        screen = tree.ui.app.screen_stack[-2]
        await tree.press("home", "x", "ctrl+u")
        assert screen.browser.search == ""
        assert screen.browser.shown == "default"


async def test_summary_is_written_and_the_branch_continued(open_tree: Any) -> None:
    async with open_tree(summaries=[{"text": SUMMARY}]) as tree:
        await tree.press("end", "enter")
        await tree.asked("Summarize the branch")
        await tree.press("2")
        await tree.in_chat()
        manager = tree.ui.session.manager
        await tree.ui.until(lambda: manager.get_leaf_entry().type == "branch_summary")
        assert manager.get_leaf_entry().parent_id == tree.ids["left_answer"]


async def test_focus_reaches_the_summary(open_tree: Any) -> None:
    async with open_tree(summaries=[{"text": SUMMARY}]) as tree:
        await tree.press("end", "enter")
        await tree.asked("Summarize the branch")
        await tree.press("3")
        await tree.asked("What should the summary attend to?")
        await tree.press("enter")
        await tree.asked("Summarize the branch")
        await tree.press("enter")
        await tree.asked("What should the summary attend to?")
        await tree.press(*"tests", "enter")
        await tree.in_chat()
        manager = tree.ui.session.manager
        await tree.ui.until(lambda: manager.get_leaf_entry().type == "branch_summary")


async def test_cancelled_summary_leads_back_to_the_row(open_tree: Any) -> None:
    slow = [{"text": SUMMARY, "delay": 30}]
    async with open_tree(summaries=slow) as tree:
        manager = tree.ui.session.manager
        before = manager.path.read_bytes()
        await tree.press("end", "enter")
        await tree.asked("Summarize the branch")
        await tree.press("2")
        await tree.in_chat()
        await tree.ui.until(lambda: not tree.ui.session.is_idle, "the summary")
        assert "Esc cancels" in tree.text
        await tree.press("escape")
        await tree.in_tree()
        assert tree.at == "left_answer"
        assert manager.path.read_bytes() == before
        await tree.press("escape")
        await tree.in_chat()


async def test_text_in_the_editor_survives_a_move(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("escape")
        await tree.in_chat()
        await tree.ui.type("half a thought")
        await tree.open()
        await tree.press("end", "enter")
        await tree.asked("Summarize the branch")
        await tree.press("1")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.place == "left_answer")
        assert tree.ui.chat.editor.text == "half a thought"
