"""Copies of a session: one path with its labels, or everything; bytes, links and leftovers."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import SessionWriteError
from sapwood.session import SessionManager
from support.limits import file_size_limit
from support.message_makers import assistant, user


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


@pytest.fixture
def manager(tmp_path: Path) -> SessionManager:
    manager = SessionManager.create("/work", tmp_path / "s")
    root = manager.append_message(user("one"))
    answer = manager.append_message(assistant("two"))
    label = manager.append_label_change(root, "start")
    manager.append_compaction("sum", label, 10)
    manager.append_message(user("three"))
    manager.append_label_change(answer, "answer")
    manager.branch(root)
    side = manager.append_message(assistant("elsewhere"))
    manager.append_label_change(side, "side")
    return manager


def find(manager: SessionManager, text: str) -> str:
    for entry in manager.get_entries():
        if entry.message and text in json.dumps(entry.message["content"]):
            return entry.id
    raise LookupError(text)


def test_a_branched_session_holds_one_path_with_its_labels(manager: SessionManager) -> None:
    source = manager.path
    assert source is not None
    before = source.read_bytes()
    with manager.branched(find(manager, "three")) as fork:
        assert fork.path is not None
        lines = lines_of(fork.path)
    assert source.read_bytes() == before
    header, *entries = lines
    assert header["parentSession"] == str(source)
    assert header["id"] != manager.session_id
    assert [entry["type"] for entry in entries] == [
        "message", "message", "compaction", "message", "label", "label",
    ]  # fmt: skip
    assert [entry["parentId"] for entry in entries] == [
        None, *(entry["id"] for entry in entries[:-1]),
    ]  # fmt: skip
    compaction = entries[2]
    assert compaction["firstKeptEntryId"] == compaction["id"]
    assert {entry["targetId"]: entry["label"] for entry in entries[4:]} == {
        entries[0]["id"]: "start",
        entries[1]["id"]: "answer",
    }
    old_times = {entry.data.get("targetId"): entry.timestamp for entry in manager.get_entries()}
    assert [entry["timestamp"] for entry in entries[4:]] == [
        old_times[entry["targetId"]] for entry in entries[4:]
    ]


def test_lines_that_do_not_change_keep_their_bytes(tmp_path: Path) -> None:
    odd = (
        b'{"id": "a", "parentId":null,"type":"message", "new field":1.0,'
        b' "message":{"role":"user","content":"\\u00e9 \xff"}}'
    )
    unknown = b'{"type":"from the future","id":"b","parentId":"a","x":[1e2]}'
    junk = b"{half a li"
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b'{"type":"session","version":3,"id":"x"}\n' + b"\n".join([odd, junk, unknown])
    )
    with SessionManager.open(path, writer="none") as manager:
        assert list(manager.path_lines())[1:] == [odd, unknown]
        assert list(manager.lines())[1:] == [odd, junk, unknown]
        with manager.branched("b") as fork:
            assert fork.path is not None
            assert fork.path.read_bytes().split(b"\n")[1:] == [odd, unknown, b""]
        with SessionManager.fork_from(path, "/other", tmp_path / "f") as copy:
            assert copy.path is not None
            assert copy.path.read_bytes().split(b"\n")[1:] == [odd, junk, unknown, b""]
            assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600


def test_a_path_without_a_message_waits_for_one(manager: SessionManager) -> None:
    fork = manager.branched(None)
    assert fork.path is not None
    assert not fork.path.exists()
    assert fork.header["parentSession"] == str(manager.path)
    fork.append_message(user("new"))
    assert len(lines_of(fork.path)) == 2
    fork.close()


def test_a_fork_of_a_fork_and_a_deleted_parent_open_alone(manager: SessionManager) -> None:
    with manager.branched(find(manager, "three")) as fork:
        second = fork.create_branched_session(find(fork, "two"))
    manager.close()
    assert second is not None
    assert manager.path is not None
    manager.path.unlink()
    with SessionManager.open(second) as again:
        assert [entry.type for entry in again.get_entries()] == [
            "message", "message", "label", "label",
        ]  # fmt: skip


def test_becoming_the_branched_session_goes_on_there(manager: SessionManager) -> None:
    source = manager.path
    assert source is not None
    before = source.read_bytes()
    heard: list[str] = []
    manager.subscribe(lambda entry: heard.append(entry.id))
    new = manager.create_branched_session(find(manager, "two"))
    added = manager.append_message(user("in the new one"))
    assert new is not None
    assert manager.path == new
    assert heard == [added]
    assert source.read_bytes() == before
    assert lines_of(new)[-1]["id"] == added


def test_in_memory_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    manager = SessionManager.in_memory()
    root = manager.append_message(user("one"))
    manager.append_message(assistant("two"))
    assert manager.create_branched_session(root) is None
    assert len(manager.get_entries()) == 1
    assert manager.branched(root).path is None
    assert manager.successor().path is None
    assert list(tmp_path.iterdir()) == []


def test_a_version_1_file_is_forked_with_ids(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    lines = [
        {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/w"},
        {"type": "message", "timestamp": "2025-01-01T00:00:01.000Z", "message": user("one")},
        {"type": "message", "timestamp": "2025-01-01T00:00:02.000Z", "message": assistant("two")},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = path.read_bytes()
    with SessionManager.fork_from(path, "/other", tmp_path / "f") as fork:
        assert fork.header["version"] == 3
        assert fork.header["cwd"] == "/other"
        assert len(fork.get_branch()) == 2
    assert path.read_bytes() == before


def test_a_version_1_file_has_the_same_ids_each_time(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    lines = [
        {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/w"},
        {"type": "message", "timestamp": "2025-01-01T00:00:01.000Z", "message": user("one")},
        {"type": "message", "timestamp": "2025-01-01T00:00:02.000Z", "message": assistant("two")},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with SessionManager.open(path, writer="none") as manager:
        ids = [entry.id for entry in manager.get_entries()]
    with SessionManager.open(path) as manager:
        manager.branch(ids[0])
        manager.append_message(user("another"))
    with SessionManager.open(path, writer="none") as manager:
        assert [entry.id for entry in manager.get_entries()][:2] == ids
        assert len({entry.id for entry in manager.get_entries()}) == 3


def test_successors_keep_place_and_have_no_parent(manager: SessionManager) -> None:
    new = manager.successor()
    assert (new.cwd, new.session_dir) == (manager.cwd, manager.session_dir)
    assert "parentSession" not in new.header
    assert new.get_entries() == []


def test_a_failed_fork_leaves_nothing_behind(manager: SessionManager) -> None:
    assert manager.session_dir is not None
    names = sorted(each.name for each in manager.session_dir.iterdir())
    with file_size_limit(200), pytest.raises(SessionWriteError, match="not written"):
        manager.branched(find(manager, "three"))
    assert sorted(each.name for each in manager.session_dir.iterdir()) == names


def test_a_branched_session_is_what_reopening_its_file_gives(tmp_path: Path) -> None:
    with SessionManager.create("/work", tmp_path / "s") as long:
        for number in range(1200):
            entry_id = long.append_message(user(f"message {number} " + "é" * (number % 90)))
            if number % 400 == 7:
                long.append_label_change(entry_id, f"at {number}")
    assert long.path is not None
    with SessionManager.open(long.path) as source, source.branched(source.get_leaf()) as fork:
        assert fork.path is not None
        with SessionManager.open(fork.path, writer="none") as again:
            assert len(again.get_entries()) == 1203
            for here, there in zip(fork.get_entries(), again.get_entries(), strict=True):
                assert (here.line, here.raw, here.data) == (there.line, there.raw, there.data)
                assert (here.id, here.parent_id, here.type, here.timestamp) == (
                    there.id, there.parent_id, there.type, there.timestamp,
                )  # fmt: skip
        added = fork.append_message(user("next"))
        with SessionManager.open(fork.path, writer="none") as again:
            assert again.get_leaf() == added
            assert again.get_entries()[-1].line == fork.get_entries()[-1].line == 1205
