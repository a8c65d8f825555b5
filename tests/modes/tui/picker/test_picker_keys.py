"""Every key of the picker, over real files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sapwood.modes.tui.picker.keys import PICKER
from sapwood.modes.tui.picker.screen import SessionPicker
from sapwood.session.info import session_info
from sapwood.session.manager import SessionManager
from support.message_makers import result, user
from support.picking import NOTHING, make_session, pick


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def shelf(tmp_path: Path, here: Path) -> dict[str, Path]:
    """Three sessions here and one elsewhere; ``parser`` is named and newest."""
    folder = tmp_path / "sessions"
    return {
        "parser": make_session(here, folder, "Where is it?", name="Parser work", day=9),
        "css": make_session(here, folder, "Fix the css", "The margin was 1024 wide", day=5),
        "docs": make_session(here, folder, "Write docs", day=2),
        "other": make_session(tmp_path / "elsewhere", folder, "Something else", day=7),
    }


async def test_lists_this_folder_newest_first_and_says_what_numbers_are(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions", current=shelf["css"]) as picking:
        assert picking.titles == ["Parser work", "Fix the css", "Write docs"]
        assert picking.selected == "Parser work"
        line = next(line for line in picking.text.splitlines() if "Fix the css" in line)
        assert line.startswith(" •")
        assert "open" in line
        assert "2 messages" in line
        assert "ago" in line
        assert "Hidden: 1 in other folders (Tab)" in picking.text


async def test_enter_chooses_and_escape_does_not(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("down", "enter")
        assert picking.host.result == shelf["css"]
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("escape")
        assert picking.host.result is None


async def test_moving(shelf: dict[str, Path], here: Path, tmp_path: Path) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        expected = {
            "up": "Write docs",
            "down": "Parser work",
            "end": "Write docs",
            "home": "Parser work",
            "pagedown": "Write docs",
            "pageup": "Parser work",
        }
        for key, title in expected.items():
            await picking.press(key)
            assert picking.selected == title, key


async def test_tab_shows_all_folders_and_back(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("down", "tab")
        await picking.loaded()
        assert picking.titles == ["Parser work", "Something else", "Fix the css", "Write docs"]
        assert picking.selected == "Fix the css", "the selection is a session, not a row"
        assert "elsewhere" in picking.text
        assert "all folders" in picking.text
        await picking.press("tab")
        assert picking.titles == ["Parser work", "Fix the css", "Write docs"]


async def test_all_folders_are_those_of_the_agent_dir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAPWOOD_AGENT_DIR", str(tmp_path / "agent"))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    from sapwood.session.paths import default_session_dir

    for name in ("one", "two"):
        folder = tmp_path / name
        make_session(folder, default_session_dir(folder), f"In {name}")
    async with pick(tmp_path / "one", None) as picking:
        assert picking.titles == ["In one"]
        assert "1 in other folders (Tab)" in picking.text
        await picking.press("tab")
        await picking.loaded()
        assert sorted(picking.titles) == ["In one", "In two"]


async def test_sorts(shelf: dict[str, Path], here: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    make_session(here, folder, "A fork", parent=shelf["docs"], day=8)
    async with pick(here, folder) as picking:
        assert picking.titles == ["Parser work", "Write docs", "A fork", "Fix the css"]
        assert "└─ A fork" in picking.text
        assert "forks under their parent" in picking.text
        await picking.press("ctrl+s")
        assert picking.titles == ["Parser work", "A fork", "Fix the css", "Write docs"]
        assert "newest first" in picking.text
        await picking.press("ctrl+s", "ctrl+s")
        assert "by name" in picking.text
        assert picking.titles[0] == "Parser work"
        await picking.press("ctrl+s")
        assert "forks under their parent" in picking.text


async def test_named_only_counts_what_it_hides(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("ctrl+n")
        assert picking.titles == ["Parser work"]
        assert "2 without a name (Ctrl+N)" in picking.text
        await picking.press("ctrl+n")
        assert len(picking.titles) == 3


async def test_paths_are_shown_beside_names(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions", size=(160, 24)) as picking:
        await picking.press("ctrl+p")
        line = next(line for line in picking.text.splitlines() if "Fix the css" in line)
        assert shelf["css"].name[-30:] in line
        await picking.press("ctrl+p")
        assert shelf["css"].name[-30:] not in picking.text


async def test_search_in_names_first_messages_and_text(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press(*"docs")
        assert picking.titles == ["Write docs"]
        assert "2 do not match" in picking.text
        await picking.press("escape", *"1024")
        await picking.until(lambda: picking.titles == ["Fix the css"], "the text")
        assert "The margin was 1024 wide" in picking.text
        await picking.press("ctrl+u", *"prsrwk")
        assert picking.titles == ["Parser work"], "names are found by scattered letters"
        await picking.press("escape")
        assert len(picking.titles) == 3
        assert picking.host.result is NOTHING, "the first Escape only clears the search"


async def test_search_finds_what_tools_gave_and_what_other_branches_say(
    tmp_path: Path, here: Path
) -> None:
    folder = tmp_path / "sessions"
    with SessionManager.open(make_session(here, folder, "Begin")) as manager:
        start = manager.get_leaf()
        manager.append_message(result("c", "a zanzibar in the output"))
        manager.append_message(user("left behind: Größe"))
        manager.branch(start or "")
        manager.append_message(user("the way that was taken"))
    async with pick(here, folder) as picking:
        await picking.press(*"zanzibar")
        await picking.until(lambda: picking.titles == ["Begin"], "the tool's output")
        assert "a zanzibar in the output" in picking.text
        await picking.press("s")
        await picking.loaded()
        assert "No session holds “zanzibars”" in picking.text
        await picking.press("ctrl+u", *"GRÖß")
        await picking.until(lambda: picking.titles == ["Begin"], "the other branch")
        assert "left behind: Größe" in picking.text


async def test_search_never_looks_at_ids(tmp_path: Path, here: Path) -> None:
    path = make_session(here, tmp_path / "sessions", "Hello")
    info = session_info(path)
    assert info is not None
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press(*info.id[:6])
        await picking.loaded()
        assert picking.titles == []
        assert f"No session holds “{info.id[:6]}”" in picking.text


async def test_best_match_is_selected_and_words_combine(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sessions"
    make_session(here, folder, "Unrelated", "the parser, in passing", day=20)
    async with pick(here, folder) as picking:
        await picking.press(*"parser")
        await picking.until(lambda: len(picking.titles) == 2, "the text")
        assert picking.selected == "Parser work"
        await picking.press("space", *"passing")
        await picking.until(lambda: picking.titles == ["Unrelated"], "both words")
        await picking.press("ctrl+w", "backspace")
        assert picking.picker.wanted.query == "parser"


async def test_rename_in_place(shelf: dict[str, Path], here: Path, tmp_path: Path) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("down", "ctrl+r", *"Layout")
        assert "Write docs" in picking.text, "the list stays in sight"
        await picking.press("enter")
        assert picking.titles == ["Parser work", "Layout", "Write docs"]
        assert "Renamed to “Layout”" in picking.text
    info = session_info(shelf["css"])
    assert info is not None
    assert info.name == "Layout"


async def test_rename_is_left_by_escape(shelf: dict[str, Path], here: Path, tmp_path: Path) -> None:
    before = shelf["parser"].read_bytes()
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("ctrl+r", "x", "escape")
        assert picking.host.result is NOTHING
        assert picking.selected == "Parser work"
    assert shelf["parser"].read_bytes() == before


async def test_renaming_the_open_session_goes_through_it(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    with SessionManager.open(shelf["parser"]) as manager:
        async with pick(
            here,
            tmp_path / "sessions",
            current=shelf["parser"],
            rename_current=manager.append_session_info,
        ) as picking:
            await picking.press("ctrl+r", *["backspace"] * 11, *"New", "enter")
            assert picking.titles[0] == "New"
        assert manager.get_session_name() == "New"


async def test_rename_says_when_another_program_has_it(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    with SessionManager.open(shelf["parser"]):
        async with pick(here, tmp_path / "sessions") as picking:
            await picking.press("ctrl+r", "x", "enter")
            assert "Not renamed: open for writing by pid" in picking.text
            assert picking.titles[0] == "Parser work"


async def test_delete_asks_and_moves_to_the_trash(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("down", "ctrl+d")
        assert "Move “Fix the css” to the trash?" in picking.text
        await picking.press("enter")
        assert shelf["css"].exists(), "the safe answer comes first"
        await picking.press("ctrl+d", "escape")
        assert shelf["css"].exists()
        await picking.press("ctrl+d", "2")
        await picking.until(lambda: not shelf["css"].exists(), "the trash")
        await picking.until(lambda: picking.titles == ["Parser work", "Write docs"])
        assert picking.selected == "Write docs", "what has come to its place"
        assert "Moved to the trash" in picking.text
    left = sorted(path.name for path in (tmp_path / "sessions").iterdir())
    assert left == sorted(shelf[name].name for name in ("parser", "docs", "other"))


async def test_the_open_session_is_never_deleted_through_whatever_link(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    link = tmp_path / "linked"
    link.symlink_to(tmp_path / "sessions")
    async with pick(here, link, current=shelf["parser"]) as picking:
        assert len(picking.titles) == 3
        await picking.press("ctrl+d")
        assert "Not deleted: it is open here" in picking.text
    assert shelf["parser"].exists()


async def test_a_session_that_became_another_is_not_deleted(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    async with pick(here, tmp_path / "sessions") as picking:
        await picking.press("down", "ctrl+d")
        os.replace(shelf["docs"], shelf["css"])
        await picking.press("2")
        await picking.until(lambda: "not the session any more" in picking.text)
        assert shelf["css"].exists()


async def test_a_session_of_another_program_is_not_deleted(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    with SessionManager.open(shelf["css"]):
        async with pick(here, tmp_path / "sessions") as picking:
            await picking.press("down", "ctrl+d", "2")
            await picking.until(lambda: "open for writing" in picking.text)
    assert shelf["css"].exists()


async def test_preview_tells_how_the_active_path_ends(
    shelf: dict[str, Path], here: Path, tmp_path: Path
) -> None:
    with SessionManager.open(shelf["parser"]) as manager:
        leaf = manager.get_leaf()
        manager.append_message({"role": "user", "content": "An abandoned thought"})
        manager.branch(leaf)
        manager.save_position()
    for size in ((80, 40), (140, 30)):
        async with pick(here, tmp_path / "sessions", size=size) as picking:
            await picking.until(lambda p=picking: "Answer" in p.text, "the preview")
            assert "Done" in picking.text
            assert "abandoned" not in picking.text
            await picking.press("down")
            await picking.until(
                lambda p=picking: "The margin was 1024 wide" in p.text, "the next preview"
            )


def test_every_key_has_a_name_and_a_method() -> None:
    assert len({action.id for action in PICKER}) == len(PICKER)
    for action in PICKER:
        assert hasattr(SessionPicker, f"action_{action.method.partition('(')[0]}")
