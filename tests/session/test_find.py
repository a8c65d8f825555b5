"""Finding a session: by id, prefix, path, or as the latest of a folder; and what is passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sapwood.errors import AmbiguousSessionError, SessionNotFoundError
from sapwood.session import SessionManager
from sapwood.session.find import find_by_id, most_recent, read_header, resolve_session
from sapwood.session.paths import default_session_dir
from support.message_makers import user


@pytest.fixture(autouse=True)
def agent_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    monkeypatch.delenv("PI_CODING_AGENT_SESSION_DIR", raising=False)
    return tmp_path / "agent"


def made(cwd: str, session_id: str, folder: Path | None = None) -> Path:
    with SessionManager.create(cwd, folder, id=session_id) as manager:
        manager.append_message(user("x"))
        assert manager.path is not None
        return manager.path


def test_an_id_or_a_unique_prefix_finds_its_session() -> None:
    path = made("/work/a", "abc-1")
    made("/work/a", "abd-2")
    assert find_by_id("abc-1", "/work/a") == path
    assert find_by_id("abc", "/work/a") == path
    assert SessionManager.find_by_id("abc", "/work/a") == path


def test_an_exact_id_wins_over_longer_ones() -> None:
    path = made("/work/a", "abc")
    made("/work/a", "abc-1")
    assert find_by_id("abc", "/work/a") == path


def test_this_folder_comes_first_then_all_others() -> None:
    here, there = made("/work/a", "abc-1"), made("/work/b", "abc-2")
    assert find_by_id("abc", "/work/a") == here
    assert find_by_id("abc", "/work/b") == there
    assert find_by_id("abc-2", "/work/a") == there


def test_copies_of_one_session_are_told_by_their_files() -> None:
    path = made("/work/a", "abc-1")
    path.with_name("copy.jsonl").write_bytes(path.read_bytes())
    with pytest.raises(AmbiguousSessionError, match=r"2 files hold .*copy\.jsonl.*give a path"):
        find_by_id("abc", "/work/a")


def test_several_and_none_are_told_apart() -> None:
    made("/work/a", "abc-1")
    made("/work/a", "abc-2")
    with pytest.raises(AmbiguousSessionError, match="2 sessions fit 'abc': abc-1, abc-2"):
        find_by_id("abc", "/work/a")
    for text in ("zzz", "", "../abc-1", "a\x1b[31m", "abc-1\n"):
        with pytest.raises(SessionNotFoundError) as refused:
            find_by_id(text, "/work/a")
        assert "\n" not in str(refused.value)
        assert "\x1b" not in str(refused.value)


def test_a_reference_with_a_separator_or_suffix_is_a_path() -> None:
    path = made("/work/a", "abc")
    assert resolve_session(str(path), "/") == path
    assert resolve_session("x.jsonl", "/") == Path("x.jsonl")
    assert resolve_session("abc", "/work/a") == path


def test_the_latest_session_of_a_folder_is_the_one_changed_last(tmp_path: Path) -> None:
    old, new = made("/work/a", "old"), made("/work/a", "new")
    folder = new.parent
    (folder / "junk.jsonl").write_text("junk")
    (folder / "empty.jsonl").touch()
    (folder / "folder.jsonl").mkdir()
    os.utime(new, (1, 1))
    assert most_recent("/work/a") == old
    assert most_recent("/work/none") is None
    with SessionManager.continue_recent("/work/a") as manager:
        assert manager.session_id == "old"
    with SessionManager.continue_recent("/work/none") as manager:
        assert manager.get_entries() == []
        assert not default_session_dir("/work/none").exists()


def test_folders_that_share_a_name_do_not_share_sessions() -> None:
    assert default_session_dir("/w/a-b/c") == default_session_dir("/w/a/b-c")
    first = made("/w/a-b/c", "first")
    assert most_recent("/w/a/b-c") is None
    second = made("/w/a/b-c", "second")
    assert most_recent("/w/a-b/c") == first
    assert most_recent("/w/a/b-c") == second
    assert [info.id for info in SessionManager.list("/w/a-b/c")] == ["first"]
    assert {info.id for info in SessionManager.list_all()} == {"first", "second"}


def test_only_headers_are_read(tmp_path: Path) -> None:
    path = made("/work/a", "abc")
    with path.open("ab") as file:
        file.write(b"x" * 1_000_000)
    header = read_header(path)
    assert header is not None
    assert header["id"] == "abc"
    assert read_header(tmp_path / "none.jsonl") is None
    assert read_header(tmp_path) is None


def test_a_header_id_that_looks_like_a_path_leads_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"session","version":3,"id":"../../evil","cwd":"/w"}\n')
    with SessionManager.open(path) as manager:
        root = manager.append_message(user("x"))
        new = manager.create_branched_session(root)
    assert new is not None
    assert new.parent == tmp_path
    with SessionManager.fork_from(path, "/w", tmp_path / "f") as fork:
        assert fork.path is not None
        assert fork.path.parent == tmp_path / "f"


def test_the_environment_names_the_session_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path / "mine"))
    assert made("/work/a", "abc").parent == tmp_path / "mine"
    assert find_by_id("abc", "/work/b").parent == tmp_path / "mine"
