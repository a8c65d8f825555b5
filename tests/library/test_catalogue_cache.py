"""Listings through the cache equal listings without it, whatever becomes of files and cache."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from sapwood.library.catalogue import Catalogue, cache_file
from sapwood.session.info import NO_MESSAGES
from sapwood.session.listing import list_all_sessions
from sapwood.session.manager import SessionManager


def make(folder: Path, text: str, cwd: str = "/w/project") -> Path:
    with SessionManager.create(cwd, folder) as manager:
        manager.append_message({"role": "user", "content": text, "timestamp": 1})
        assert manager.path is not None
        return manager.path


def append(path: Path, text: str) -> None:
    with SessionManager.open(path) as manager:
        manager.append_message({"role": "user", "content": text, "timestamp": 2})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    for text in ("first", "second", "third \ud83d half"):
        make(folder, text)
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "sessions.msgpack"


def test_a_second_listing_answers_from_the_cache(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Catalogue(cache).list_all(folder)
    assert first == list_all_sessions(folder)

    def never(path: Path) -> None:
        raise AssertionError(f"{path} was read again")

    monkeypatch.setattr("sapwood.library.catalogue.session_info", never)
    assert Catalogue(cache).list_all(folder) == first


def test_a_file_that_changed_is_read_again(folder: Path, cache: Path) -> None:
    before = Catalogue(cache).list_all(folder)
    append(before.sessions[0].path, "more")
    after = Catalogue(cache).list_all(folder)
    assert after == list_all_sessions(folder)
    assert sum(info.message_count for info in after.sessions) == 4


def test_new_and_removed_files_are_noticed(folder: Path, cache: Path) -> None:
    gone = Catalogue(cache).list_all(folder).sessions[0].path
    gone.unlink()
    new = make(folder, "new")
    paths = {info.path for info in Catalogue(cache).list_all(folder).sessions}
    assert new in paths
    assert gone not in paths


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_noticed(
    folder: Path, cache: Path
) -> None:
    path = Catalogue(cache).list_all(folder).sessions[0].path
    status = path.stat()
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes().replace(b"half", b"HALF").replace(b"first", b"FIRST"))
    other.replace(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Catalogue(cache).list_all(folder) == list_all_sessions(folder)


@pytest.mark.parametrize(
    "damage",
    [b"", b"\x00", b"not msgpack", b"\x92\x01\x80", b"\x92\x63\x80", b"\x92\x01\x81\xa1\xff\x90"],
)
def test_a_damaged_cache_counts_as_none(folder: Path, cache: Path, damage: bytes) -> None:
    cache.parent.mkdir()
    cache.write_bytes(damage)
    assert Catalogue(cache).list_all(folder) == list_all_sessions(folder)
    assert Catalogue(cache).list_all(folder) == list_all_sessions(folder)


def test_every_torn_cache_is_survived(folder: Path, cache: Path) -> None:
    whole = Catalogue(cache).list_all(folder)
    data = cache.read_bytes()
    for size in range(0, len(data), 7):
        cache.write_bytes(data[:size])
        assert Catalogue(cache).list_all(folder) == whole


def test_a_cache_that_cannot_be_written_is_done_without(folder: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    listing = Catalogue(blocked / "sessions.msgpack").list_all(folder)
    assert listing == list_all_sessions(folder)


def test_the_cache_is_private(folder: Path, cache: Path) -> None:
    Catalogue(cache).list_all(folder)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.parent.stat().st_mode) == 0o700


def test_programs_that_list_at_once_do_not_disturb_each_other(folder: Path, cache: Path) -> None:
    expected = list_all_sessions(folder)
    results = []

    def work() -> None:
        results.extend(Catalogue(cache).list_all(folder) == expected for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 20
    assert [each.name for each in cache.parent.iterdir()] == [cache.name]


def test_stray_files_are_skipped_and_counted(folder: Path, cache: Path) -> None:
    (folder / "empty.jsonl").touch()
    (folder / "text.jsonl").write_text("hello\n")
    (folder / "folder.jsonl").mkdir()
    (folder / "notes.txt").write_text("not even named like one")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "nowhere.jsonl").symlink_to(folder / "missing")
    for _ in range(2):
        listing = Catalogue(cache).list_all(folder)
        assert len(listing.sessions) == 3
        names = {path.name for path in listing.skipped}
        assert names == {
            "empty.jsonl", "text.jsonl", "folder.jsonl", "pipe.jsonl", "nowhere.jsonl"
        }  # fmt: skip


def test_only_sessions_of_the_working_folder_are_listed_here(folder: Path, cache: Path) -> None:
    make(folder, "elsewhere", cwd="/w-project")
    here = Catalogue(cache).list_here("/w/project", folder)
    assert len(here.sessions) == 3
    there = Catalogue(cache).list_here("/w-project/", folder)
    assert [info.first_message for info in there.sessions] == ["elsewhere"]


def test_a_folder_reached_twice_is_listed_once(tmp_path: Path, cache: Path) -> None:
    make(tmp_path / "root" / "a", "one")
    (tmp_path / "root" / "b").symlink_to(tmp_path / "root" / "a")
    assert len(Catalogue(cache).list_all(tmp_path / "root").sessions) == 1


def test_order_is_by_the_last_message_not_by_the_files_time(tmp_path: Path, cache: Path) -> None:
    folder = tmp_path / "sessions"
    old, new = make(folder, "old"), make(folder, "new")
    append(new, "later")
    with SessionManager.open(old) as manager:
        manager.append_session_info("renamed")
    os.utime(old, (4e9, 4e9))
    listing = Catalogue(cache).list_all(folder)
    assert [info.path for info in listing.sessions] == [new, old]


def test_a_session_without_a_user_message_says_so(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"session","version":3,"id":"s","timestamp":"x","cwd":"/w"}\n')
    info = Catalogue(cache).info(path)
    assert info is not None
    assert info.first_message == NO_MESSAGES
    assert info.created is None
    assert info.modified == int(path.stat().st_mtime * 1000)


def test_the_cache_lives_where_caches_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert cache_file() == Path("/x/cache/sapwood/sessions.msgpack")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_file() == Path("/home/someone/.cache/sapwood/sessions.msgpack")
