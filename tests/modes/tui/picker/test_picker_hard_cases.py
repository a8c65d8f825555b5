"""What the picker meets in the wild: hostile text, odd files, links, races, tiny terminals."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from rich.cells import cell_len

from sapwood.modes.tui.picker.screen import SessionPicker
from sapwood.modes.tui.theme import DARK
from sapwood.session.info import session_info
from support.picking import Host, Picking, make_session, pick
from support.tree_session import HOSTILE

HARMFUL = set("\x1b\x07\r\x9b\u202e\u2066\x00")


async def test_empty_states_tell_what_to_press(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    async with pick(tmp_path / "here", folder) as picking:
        assert "No session in this folder yet." in picking.text
        await picking.press("enter", "ctrl+d", "ctrl+r", "down")
        await picking.press("tab")
        await picking.loaded()
        assert "No sessions yet" in picking.text
    make_session(tmp_path / "there", folder, "Elsewhere")
    async with pick(tmp_path / "here", folder) as picking:
        assert "1 session in other folders: Tab." in picking.text
        await picking.press("tab")
        await picking.loaded()
        await picking.press("ctrl+n")
        assert "None has a name; 1 session without one: Ctrl+N." in picking.text


async def test_hostile_names_and_messages_stay_in_their_rows(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for number, text in enumerate([HOSTILE, "日本語" * 40, "👩‍👩‍👧 " * 30, "x" * 100_000]):
        make_session(tmp_path, folder, text, text, name=text[:50] if number % 2 else "")
    for size in ((80, 24), (120, 40), (40, 12)):
        async with pick(tmp_path, folder, size=size) as picking:
            for key in ("down", "down", "ctrl+p", "down"):
                await picking.press(key)
                assert not HARMFUL & set(picking.text)
                strips = picking.host.screen._compositor.render_strips()
                assert len(strips) == size[1]
                assert {strip.cell_length for strip in strips} == {size[0]}
            assert cell_len(picking.text.splitlines()[2]) <= size[0]


async def test_what_is_no_session_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    make_session(tmp_path, folder, "A real one")
    (folder / "empty.jsonl").write_text("")
    (folder / "text.jsonl").write_text("just words\n")
    (folder / "folder.jsonl").mkdir()
    async with pick(tmp_path, folder) as picking:
        assert picking.titles == ["A real one"]
        assert "3 files not readable as a session" in picking.text


async def test_a_linked_file_is_listed_once(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    path = make_session(tmp_path, folder, "Only once")
    (folder / "again.jsonl").symlink_to(path)
    async with pick(tmp_path, folder) as picking:
        assert picking.titles == ["Only once"]


async def test_renaming_and_touching_change_no_order(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    paths = [make_session(tmp_path, folder, f"day {day}", day=day) for day in (1, 2, 3)]
    os.utime(paths[0])
    async with pick(tmp_path, folder) as picking:
        await picking.press("end", "ctrl+r", *"oldest", "enter")
        assert picking.titles == ["day 3", "day 2", "oldest"]
    async with pick(tmp_path, folder) as picking:
        assert picking.titles == ["day 3", "day 2", "oldest"]


async def test_selection_stays_on_its_session_while_rows_arrive(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for day in (1, 3):
        make_session(tmp_path, folder, f"day {day}", day=day)
    async with pick(tmp_path, folder) as picking:
        await picking.press("down")
        assert picking.selected == "day 1"
        late = make_session(tmp_path, folder, "day 2", day=2)
        picking.picker.reading.take_in([(late, session_info(late))], "sessions", 1, 1)
        assert picking.titles == ["day 3", "day 2", "day 1"]
        assert picking.selected == "day 1"
        await picking.press("enter")
        assert "day 1" in picking.host.result.read_text()


async def test_circular_parents_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    one = make_session(tmp_path, folder, "one", day=1)
    two = make_session(tmp_path, folder, "two", day=2, parent=one)
    lines = one.read_text().split("\n")
    header = {**json.loads(lines[0]), "parentSession": str(two)}
    one.write_text("\n".join([json.dumps(header, separators=(",", ":")), *lines[1:]]))
    own = make_session(tmp_path, folder, "own parent", day=3)
    own.write_text(own.read_text().replace('"cwd"', f'"parentSession":"{own}","cwd"', 1))
    async with pick(tmp_path, folder) as picking:
        assert sorted(picking.titles) == ["one", "own parent", "two"]


async def test_many_sessions_show_rows_before_all_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for number in range(60):
        make_session(tmp_path, folder, f"session {number}", day=number % 20)
    host = Host(SessionPicker(tmp_path, folder, current=None, palette=DARK))
    async with host.run_test(size=(80, 24)) as pilot:
        picking = Picking(host, pilot)
        await picking.until(lambda: len(picking.titles) > 0, "the first rows")
        await picking.loaded()
        assert len(picking.titles) == 60
        await picking.press("end", "pageup", "home")
        assert picking.picker._list.index == 0


async def test_leaving_while_it_reads_is_quiet(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for number in range(40):
        make_session(tmp_path, folder, f"session {number}")
    host = Host(SessionPicker(tmp_path, folder, current=None, palette=DARK))
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.press("x", "escape", "escape")
        await pilot.pause()
        assert host.result is None


@pytest.mark.parametrize("size", [(40, 12), (20, 6), (10, 3)])
async def test_tiny_terminals_work(tmp_path: Path, size: tuple[int, int]) -> None:
    make_session(tmp_path, tmp_path / "sessions", "A session")
    async with pick(tmp_path, tmp_path / "sessions", size=size) as picking:
        await picking.press("ctrl+p", *"ses", "ctrl+r", "x", "escape", "escape", "ctrl+d")
        await picking.press("escape", "enter")
        assert picking.host.result is not None


async def test_no_colour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    path = make_session(tmp_path, tmp_path / "sessions", "A session")
    async with pick(tmp_path, tmp_path / "sessions", current=path) as picking:
        assert "›•" in picking.text
        assert "open" in picking.text
        await picking.press("x")
        assert "No session holds" in picking.text


async def test_clicks(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for day in (1, 2, 3):
        make_session(tmp_path, folder, f"day {day}", day=day)
    async with pick(tmp_path, folder) as picking:
        await picking.pilot.click(offset=(10, 3))
        assert picking.selected == "day 2"
        await picking.pilot.click(offset=(10, 4), times=2)
        await picking.pilot.pause()
        assert picking.host.result is not None
        assert "day 1" in picking.host.result.read_text()
