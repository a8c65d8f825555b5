"""Every key of the tree, one by one, in the running UI."""

from __future__ import annotations

from typing import Any

from sapwood.library.tree_rows import TreeFilter
from sapwood.modes.tui.tree.browser import TreeBrowser
from sapwood.modes.tui.tree.keys import TREE
from sapwood.modes.tui.tree.prepared import PreparedTree
from sapwood.modes.tui.tree.words import empty_words, title_words
from support.conversation import Talk

DEFAULT = ["ask", "read", "found", "summary", "other", "other_answer", "left", "left_answer"]


async def test_opens_at_the_leaf_with_the_active_branch_first(open_tree: Any) -> None:
    async with open_tree() as tree:
        assert tree.shown == DEFAULT
        assert tree.at == "other_answer"
        here = next(line for line in tree.text.splitlines() if " here " in line)
        assert here.startswith("›•")
        assert "Tests are added" in here
        assert "  └⊟ user: Rewrite it in Rust" in tree.text


async def test_up_down_wrap_around(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("up")
        assert tree.at == "other"
        await tree.press("down", "down", "down")
        assert tree.at == "left_answer"
        await tree.press("down")
        assert tree.at == "ask"
        await tree.press("up")
        assert tree.at == "left_answer"


async def test_left_right_and_page_keys_page(open_tree: Any) -> None:
    async with open_tree() as tree:
        for back, forth in (("left", "right"), ("pageup", "pagedown")):
            await tree.press(back)
            assert tree.at == "ask"
            await tree.press(forth)
            assert tree.at == "left_answer"


async def test_home_and_end(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("home")
        assert tree.at == "ask"
        await tree.press("end")
        assert tree.at == "left_answer"


async def test_fold_and_unfold(open_tree: Any) -> None:
    for fold, unfold in (("ctrl+left", "ctrl+right"), ("alt+left", "alt+right")):
        async with open_tree() as tree:
            await tree.press(fold)
            assert tree.at == "summary", "first to the start of the segment"
            await tree.press(fold)
            assert tree.shown == ["ask", "read", "found", "summary", "left", "left_answer"]
            assert "+2 folded" in tree.text
            await tree.press(unfold)
            assert tree.shown == DEFAULT
            await tree.press(unfold)
            assert tree.at == "left"
            await tree.press(unfold)
            assert tree.at == "left_answer"


async def test_jumps_up_to_the_segment_before(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("ctrl+left", "ctrl+left", "ctrl+left")
        assert tree.at == "ask"


async def test_filter_keys_go_straight_to_each_and_back(open_tree: Any) -> None:
    expected = {
        "ctrl+t": (TreeFilter.NO_TOOLS, [name for name in DEFAULT if name != "read"]),
        "ctrl+u": (TreeFilter.USER_ONLY, ["ask", "other", "left"]),
        "ctrl+l": (TreeFilter.LABELED_ONLY, ["left_answer"]),
    }
    async with open_tree() as tree:
        for key, (shown, rows) in expected.items():
            await tree.press(key)
            assert tree.browser.shown is shown
            assert tree.shown == rows
            await tree.press(key)
            assert tree.shown == DEFAULT, "the same key again shows the default"
        await tree.press("ctrl+a")
        assert tree.browser.shown is TreeFilter.ALL
        assert len(tree.shown) == 11
        await tree.press("ctrl+d")
        assert tree.shown == DEFAULT


async def test_cycling_filters_both_ways(open_tree: Any) -> None:
    async with open_tree() as tree:
        seen = []
        for _ in range(5):
            seen.append(tree.browser.shown)
            await tree.press("ctrl+o")
        assert seen == list(TreeFilter)
        await tree.press("ctrl+shift+o")
        assert tree.browser.shown is TreeFilter.ALL


async def test_starts_with_the_filter_of_the_settings(open_tree: Any) -> None:
    async with open_tree(settings={"treeFilterMode": "user-only"}) as tree:
        assert tree.shown == ["ask", "other", "left"]
        assert "your messages only" in tree.text


async def test_cursor_returns_when_a_filter_is_taken_back(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("ctrl+u")
        assert tree.at == "other", "the nearest row above"
        await tree.press("ctrl+d")
        assert tree.at == "other_answer"


async def test_folds_stay_through_filters_and_searches(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("ctrl+left", "ctrl+left")
        folded = tree.shown
        await tree.press("ctrl+t", "ctrl+d", *"rust", "escape")
        assert tree.shown == folded


async def test_search_matches_what_is_shown_and_comes_back(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press(*"parser.py")
        assert tree.shown == ["read", "found"]
        assert "/parser.py" in tree.text
        await tree.press("escape")
        assert tree.shown == DEFAULT
        assert tree.at == "other_answer"
        await tree.press("escape")
        await tree.in_chat()


async def test_search_takes_all_words_and_labels(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press(*"it", "space", *"add")
        assert tree.shown == ["other"]
        await tree.press("ctrl+w", "backspace", "backspace", "backspace", *"old")
        assert tree.browser.search == "old"
        assert tree.shown == ["left_answer"]


async def test_search_composes_with_filters(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press(*"rust", "ctrl+u")
        assert tree.shown == ["left"]
        await tree.press("ctrl+d")
        assert tree.shown == ["summary", "left"]


async def test_moving_in_a_search_keeps_what_was_found(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press(*"rust", "down")
        found = tree.at
        await tree.press("escape")
        assert tree.at == found


async def test_capitals_are_typed_once_a_search_has_begun(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("slash", "L", "T", "W", "slash")
        assert tree.browser.search == "LTW/"
        await tree.press(*["backspace"] * 4, "T", "e", "s")
        assert tree.shown == ["other", "other_answer"]


async def test_pasting_searches(open_tree: Any) -> None:
    from textual import events

    async with open_tree() as tree:
        tree.screen.post_message(events.Paste("tests\nare"))
        await tree.ui.pilot.pause()
        assert tree.browser.search == "tests are"
        assert tree.shown == ["other_answer"]


async def test_empty_states_say_what_hides(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press(*"parser.py", "ctrl+u")
        assert tree.shown == []
        assert "No row holds “parser.py” with “your messages only”" in tree.text
        assert "3 rows hold it among all entries: Ctrl+A" in tree.text
        await tree.press(*"zzz")
        assert "No entry holds “parser.pyzzz”" in tree.text
        await tree.press("enter", "L", "down", "ctrl+left", "end")
        assert tree.shown == []


async def test_label_is_edited_beside_its_row(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("L", *"good", "space", *"tests")
        line = next(line for line in tree.text.splitlines() if "good tests" in line)
        assert "assistant: Tests are added" in line
        assert "user: Where is the parser?" in tree.text, "the tree stays in sight"
        await tree.press("enter")
        assert tree.ui.session.manager.tree.label(tree.ids["other_answer"]) == "good tests"
        assert "[good tests] assistant: Tests are added" in tree.text
        assert tree.at == "other_answer"


async def test_label_is_taken_away_by_an_empty_one_and_left_by_escape(open_tree: Any) -> None:
    async with open_tree() as tree:
        label = tree.ui.session.manager.tree.label
        await tree.press("end", "f2", "x", "escape")
        assert label(tree.ids["left_answer"]) == "old"
        await tree.press("f2", *["backspace"] * 3, "enter")
        assert label(tree.ids["left_answer"]) is None
        assert "[old]" not in tree.text


async def test_label_can_be_set_on_a_search_hit(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press(*"rewrite", "f2", "x", "enter")
        assert tree.ui.session.manager.tree.label(tree.ids["left"]) == "x"
        assert tree.browser.search == "rewrite"


async def test_label_times_toggle(open_tree: Any) -> None:
    async with open_tree() as tree:
        assert "[old]" in tree.text
        await tree.press("T")
        assert "[old " in tree.text
        assert "[old]" not in tree.text
        await tree.press("T")
        assert "[old]" in tree.text


async def test_weights_toggle(open_tree: Any) -> None:
    async with open_tree() as tree:
        assert "6 tok " not in tree.text
        await tree.press("W")
        assert "6 tok " in tree.text
        await tree.press("W")
        assert "6 tok " not in tree.text


async def test_panning_shows_the_rest_of_long_rows(open_tree: Any) -> None:
    async with open_tree(size=(40, 20)) as tree:
        assert "That would take a while" not in tree.text.split("─")[0]
        await tree.press("shift+right")
        assert "would take a while" in tree.text.split("─")[0]
        await tree.press("shift+left", "shift+left")
        assert "user: Where is" in tree.text


async def test_preview_is_below_or_beside_and_scrolls(open_tree: Any) -> None:
    async with open_tree(size=(80, 24)) as tree:
        assert tree.screen._below.display
        assert not tree.screen._beside.display
        assert "~4 tokens" in tree.text
        await tree.press("home")
        assert "▌ Where is the parser?" in tree.text
    async with open_tree(size=(120, 30)) as tree:
        assert tree.screen._beside.display
        assert not tree.screen._below.display
    async with open_tree(size=(40, 12)) as tree:
        assert not tree.screen._below.display


async def test_preview_scrolls_by_shift_and_arrows(open_tree: Any) -> None:
    long = "\n".join(f"line {number}" for number in range(60))
    async with open_tree() as tree:
        tree.ui.session.manager.append_message({"role": "user", "content": long})
        await tree.ui.pilot.pause()
        tree.screen._refresh()
        await tree.press("end", "home", *["down"] * 6)
        assert "more lines" in tree.text
        assert "line 12" not in tree.text
        await tree.press(*["shift+down"] * 10)
        assert "line 12" in tree.text
        await tree.press(*["shift+up"] * 10)
        assert "▌ line 1\n" in tree.text


async def test_new_entries_appear_while_one_looks(open_tree: Any) -> None:
    async with open_tree() as tree:
        tree.ui.session.set_label(tree.ids["ask"], "first")
        await tree.ui.until(lambda: "[first]" in tree.text)


def test_every_key_has_a_name_and_a_method() -> None:
    from sapwood.modes.tui.tree.screen import TreeScreen

    assert len({action.id for action in TREE}) == len(TREE)
    for action in TREE:
        assert hasattr(TreeScreen, f"action_{action.method.partition('(')[0]}")


def test_a_search_finds_more_as_it_reads_on() -> None:
    talk = Talk()
    ids = [talk.user(f"needle {number}") for number in range(500)]
    tree = talk.tree()
    browser = TreeBrowser(PreparedTree(tree))
    browser.read_on(0)
    browser.search = "needle"
    browser.search_again()
    assert len(browser.rows) < 500
    assert [row.entry.id for row in browser.rows][-1] == ids[-1]
    assert f"searching {browser.unread:,} more" in title_words(browser)
    browser.stand(0)
    stood_on = browser.anchor
    while browser.unread:
        browser.read_on(1)
    browser.search_again()
    assert len(browser.rows) == 500
    assert browser.row is not None
    assert browser.row.entry.id == stood_on
    assert "searching" not in title_words(browser)


def test_a_search_that_is_not_done_does_not_say_that_nothing_is_there() -> None:
    talk = Talk()
    talk.user("needle")
    for number in range(500):
        talk.user(f"straw {number}")
    tree = talk.tree()
    browser = TreeBrowser(PreparedTree(tree))
    browser.read_on(0)
    browser.search = "needle"
    browser.search_again()
    assert empty_words(browser) == ["Nothing holds “needle” so far.", "Esc stops the search."]
    browser.search_for("needle")
    while browser.unread:
        browser.read_on(1)
    browser.search_again()
    assert [row.text for row in browser.rows] == ["needle"]


async def test_entries_of_a_session_that_goes_on_appear_together(open_tree: Any) -> None:
    async with open_tree() as tree:
        entries = len(tree.browser.view.entries)
        for number in range(20):
            tree.ui.session.set_label(tree.ids["ask"], f"mark {number}")
        tree.browser.use_filter(TreeFilter.ALL)
        await tree.ui.until(lambda: len(tree.browser.view.entries) == entries + 20, "the entries")
        await tree.press("slash", *"mark", "space", *"19")
        assert tree.text.count("mark 19") >= 2
