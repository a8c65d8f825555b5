"""What other programs do to the file while it is open, and what the disk refuses."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import SessionError, SessionWriteError
from sapwood.session import Entry, SessionManager
from support.limits import file_size_limit
from support.message_makers import assistant, user


def text_of(entry: Entry) -> Any:
    return entry.message["content"] if entry.message else None


def foreign_line(entry_id: str, parent: str | None, text: str) -> bytes:
    entry = {
        "type": "message", "id": entry_id, "parentId": parent,
        "timestamp": "2026-01-01T00:00:00.000Z", "message": user(text),
    }  # fmt: skip
    return json.dumps(entry).encode()


@pytest.fixture
def manager(tmp_path: Path) -> SessionManager:
    manager = SessionManager.create("/work", tmp_path / "s")
    manager.append_message(user("one"))
    manager.append_message(assistant("two"))
    return manager


def file_of(manager: SessionManager) -> Path:
    assert manager.path is not None
    return manager.path


def reopened(manager: SessionManager) -> SessionManager:
    manager.close()
    return SessionManager.open(file_of(manager))


def test_a_vanished_file_is_written_anew_in_full(manager: SessionManager) -> None:
    before = file_of(manager).read_bytes()
    file_of(manager).unlink()
    file_of(manager).parent.rmdir() if not any(file_of(manager).parent.iterdir()) else None
    manager.append_message(user("three"))
    assert file_of(manager).read_bytes().startswith(before)
    assert stat.S_IMODE(file_of(manager).stat().st_mode) == 0o600
    manager.append_message(user("four"))
    assert len(reopened(manager).get_branch()) == 4


def test_appends_of_others_are_taken_in_reported_and_kept_apart(manager: SessionManager) -> None:
    leaf = manager.get_leaf()
    heard: list[str] = []
    manager.subscribe(lambda entry: heard.append(entry.id))
    with file_of(manager).open("ab") as file:
        file.write(foreign_line("f1", leaf, "theirs") + b"\n")
        file.write(foreign_line("f2", "f1", "theirs too") + b"\n")
    mine = manager.append_message(user("mine"))
    assert heard == ["f1", "f2", mine]
    assert [text_of(entry) for entry in manager.get_branch("f2")][-2:] == ["theirs", "theirs too"]
    assert manager.get_entry(mine).parent_id == leaf  # type: ignore[union-attr]
    found = [entry for entry in manager.diagnostics if entry.kind == "foreign-entries"]
    assert [(entry.entry_id, entry.count) for entry in found] == [("f1", 2)]
    assert [entry.line for entry in manager.get_entries()] == [2, 3, 4, 5, 6]
    assert len(reopened(manager).get_entries()) == 5


def test_one_that_only_looked_follows_the_entries_of_others(manager: SessionManager) -> None:
    with SessionManager.open(file_of(manager), writer="shared") as looker:
        manager.close()
        with file_of(manager).open("ab") as file:
            file.write(foreign_line("f1", looker.get_leaf(), "theirs") + b"\n")
        mine = looker.append_message(user("mine"))
        assert looker.get_entry(mine).parent_id == "f1"  # type: ignore[union-attr]


def test_half_a_line_of_another_is_completed_later(manager: SessionManager) -> None:
    line = foreign_line("f1", manager.get_leaf(), "é and 日本")
    with file_of(manager).open("ab") as file:
        file.write(line[:-7])
    first = manager.append_message(user("mine"))
    assert manager.get_entry("f1") is None
    assert [found.kind for found in manager.diagnostics] == ["unreadable-line"]
    assert file_of(manager).read_bytes().split(b"\n")[3] == line[:-7]
    with file_of(manager).open("ab") as file:
        file.write(line)
    manager.append_message(user("mine again"))
    assert manager.get_entry("f1") is not None
    again = reopened(manager)
    assert [entry.id for entry in again.get_entries()][2:4] == [first, "f1"]
    assert text_of(again.tree.require("f1")) == "é and 日本"


def test_a_shortened_file_is_left_alone(manager: SessionManager) -> None:
    data = file_of(manager).read_bytes()[:-20]
    file_of(manager).write_bytes(data)
    with pytest.raises(SessionWriteError, match="shorter"):
        manager.append_message(user("three"))
    assert file_of(manager).read_bytes() == data
    assert len(manager.get_entries()) == 2


def test_a_file_changed_in_place_is_left_alone(manager: SessionManager) -> None:
    data = file_of(manager).read_bytes().replace(b"two", b"TWO")
    file_of(manager).write_bytes(data)
    with pytest.raises(SessionWriteError, match="changed by another program"):
        manager.append_message(user("three"))
    assert file_of(manager).read_bytes() == data


def test_a_file_replaced_by_another_is_left_alone(manager: SessionManager) -> None:
    other = file_of(manager).with_name("other")
    other.write_bytes(b'{"type":"session","id":"x"}\n' * 60)
    os.replace(other, file_of(manager))
    with pytest.raises(SessionWriteError, match="changed by another program"):
        manager.append_message(user("three"))
    assert b"three" not in file_of(manager).read_bytes()


def test_a_file_replaced_by_its_equal_is_gone_on_with(manager: SessionManager) -> None:
    copy = file_of(manager).with_name("copy")
    copy.write_bytes(file_of(manager).read_bytes() + foreign_line("f1", None, "x") + b"\n")
    os.replace(copy, file_of(manager))
    manager.append_message(user("three"))
    assert manager.get_entry("f1") is not None
    assert len(reopened(manager).get_entries()) == 4


def test_a_touched_file_is_gone_on_with(manager: SessionManager) -> None:
    os.utime(file_of(manager), (1, 1))
    manager.append_message(user("three"))
    assert len(reopened(manager).get_entries()) == 3


def test_every_torn_tail_is_kept_and_the_next_append_starts_a_clean_line(tmp_path: Path) -> None:
    made = SessionManager.create("/work", tmp_path / "s")
    made.append_message(user("erste"))
    made.append_message(user("zweite: é 日本 👩‍👩‍👧"))
    made.append_message(assistant("letzte: 👩‍👩‍👧"))
    made.close()
    whole = file_of(made).read_bytes()
    lines = whole.split(b"\n")
    start = len(whole) - len(lines[-2]) - len(lines[-3]) - 2
    for cut in range(start, len(whole)):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(whole[:cut])
        with SessionManager.open(path) as manager:
            assert path.read_bytes() == whole[:cut]
            before = [entry.id for entry in manager.get_entries()]
            added = manager.append_message(user("next"))
        data = path.read_bytes()
        assert data.startswith(whole[:cut])
        with SessionManager.open(path) as again:
            assert [entry.id for entry in again.get_entries()] == [*before, added], cut
            torn = [line for line in data.split(b"\n")[:-1] if not parses(line)]
            assert len(torn) <= 1
        path.unlink()


def parses(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_a_line_end_alone_is_missing(manager: SessionManager) -> None:
    manager.close()
    data = file_of(manager).read_bytes()
    file_of(manager).write_bytes(data[:-1])
    with SessionManager.open(file_of(manager)) as again:
        assert [found.kind for found in again.diagnostics] == ["torn-tail"]
        assert len(again.get_entries()) == 2
        again.append_message(user("three"))
    assert file_of(manager).read_bytes().startswith(data)


def test_a_full_disk_takes_nothing_and_the_next_append_works(manager: SessionManager) -> None:
    before = file_of(manager).read_bytes()
    leaf = manager.get_leaf()
    with file_size_limit(len(before) + 100):
        with pytest.raises(SessionWriteError, match="not written"):
            manager.append_message(user("too long " * 100))
        assert file_of(manager).read_bytes() == before
        assert manager.get_leaf() == leaf
        assert len(manager.get_entries()) == 2
    manager.append_message(user("three"))
    assert len(reopened(manager).get_branch()) == 3


def test_a_file_that_cannot_be_made_leaves_the_session_in_memory(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.write_text("in the way")
    manager = SessionManager.create("/work", folder)
    manager.append_model_change("openai", "gpt")
    with pytest.raises(SessionError):
        manager.append_message(user("one"))
    assert len(manager.get_entries()) == 1
    folder.unlink()
    manager.append_message(user("one"))
    assert len(reopened(manager).get_entries()) == 2


def test_a_file_that_is_already_there_is_never_overwritten(tmp_path: Path) -> None:
    manager = SessionManager.create("/work", tmp_path)
    file_of(manager).write_bytes(b"somebody else's\n")
    with pytest.raises(SessionWriteError, match="exists"):
        manager.append_message(user("one"))
    assert file_of(manager).read_bytes() == b"somebody else's\n"
    assert manager.get_entries() == []


def test_durability_disk_syncs_each_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(fd), real(fd))[1])
    with SessionManager.create("/work", tmp_path / "s", durability="disk") as manager:
        manager.append_message(user("one"))
        made = len(synced)
        manager.append_message(user("two"))
        assert made >= 1
        assert len(synced) == made + 1
