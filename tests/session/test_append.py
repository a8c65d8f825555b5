"""Appending: every kind of entry, when the file appears, and what a refused call leaves behind."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import EntryNotFoundError, ReadOnlySessionError, SessionError
from sapwood.session import SessionManager
from support.message_makers import assistant, user


def lines_of(path: Path | None) -> list[dict[str, Any]]:
    assert path is not None
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


@pytest.fixture
def manager(tmp_path: Path) -> SessionManager:
    return SessionManager.create("/work", tmp_path / "agent" / "sessions")


def test_looking_around_leaves_no_file_and_no_folder(
    manager: SessionManager, tmp_path: Path
) -> None:
    manager.append_model_change("openai", "gpt")
    manager.append_message({"role": "system", "content": "be kind", "timestamp": 0})
    manager.append_custom_entry("state", {"n": 1})
    manager.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("message", [user("hello"), assistant("hello")])
def test_the_file_appears_whole_with_the_first_message(
    manager: SessionManager, message: dict[str, Any]
) -> None:
    manager.append_model_change("openai", "gpt")
    manager.append_message(message)
    assert [line["type"] for line in lines_of(manager.path)] == [
        "session",
        "model_change",
        "message",
    ]
    assert manager.path is not None
    assert stat.S_IMODE(manager.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(manager.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(manager.path.parent.parent.stat().st_mode) == 0o700


def test_each_append_goes_below_the_leaf_and_becomes_it(manager: SessionManager) -> None:
    first = manager.append_message(user("one"))
    second = manager.append_thinking_level_change("high")
    third = manager.append_message(assistant("two"))
    assert [entry.parent_id for entry in manager.get_branch()] == [None, first, second]
    assert manager.get_leaf() == third
    manager.branch(first)
    fourth = manager.append_message(user("three"))
    assert manager.get_entry(fourth).parent_id == first  # type: ignore[union-attr]
    assert [entry.id for entry in manager.get_children(first)] == [second, fourth]


def test_what_was_appended_is_there_after_reopening(manager: SessionManager) -> None:
    manager.append_message(user("one"))
    kept = manager.append_message(assistant("two"))
    manager.append_custom_message("note", "text", True, {"a": 1})
    manager.append_compaction("what was", kept, 100, {"readFiles": []}, False)
    manager.branch_with_summary(kept, "elsewhere")
    manager.append_context_edit(kept, {"content": "short"})
    manager.append_label_change(kept, "here")
    manager.append_session_info(" the\nname ")
    manager.append_usage("title", "openai", "gpt", {"input": 1})
    manager.close()
    assert manager.path is not None
    with SessionManager.open(manager.path) as again:
        assert [entry.data for entry in again.get_entries()] == [
            entry.data for entry in manager.get_entries()
        ]
        assert again.get_leaf() == manager.get_leaf()
        assert again.get_label(kept) == "here"
        assert again.get_session_name() == "the name"
        edit = next(entry for entry in again.get_entries() if entry.type == "context_edit")
        assert edit.data["replacement"] == {"content": [{"type": "text", "text": "short"}]}


def test_a_compaction_stores_the_prompt_in_force(manager: SessionManager) -> None:
    prompt = {"role": "system", "content": "be kind", "sections": {"a": "A"}, "timestamp": 5}
    manager.append_message(prompt)
    manager.append_message(user("one"))
    entry = manager.get_entry(manager.append_compaction("sum", None, 10))
    assert entry is not None
    assert entry.data["firstKeptEntryId"] == entry.id
    assert entry.data["systemMessage"]["content"] == "be kind"
    assert entry.data["systemMessage"]["sections"] == {"a": "A"}
    assert entry.data["systemMessage"]["timestamp"] > 5
    assert list(entry.data)[-1] == "systemMessage"


def test_context_edits_are_checked_before_anything_is_stored(manager: SessionManager) -> None:
    root = manager.append_message(user("one"))
    label = manager.append_label_change(root, "x")
    off = manager.append_message(assistant("other branch"))
    manager.branch(root)
    count = len(manager.get_entries())
    with pytest.raises(EntryNotFoundError):
        manager.append_context_edit("nope", None)
    with pytest.raises(SessionError, match="not on the active branch"):
        manager.append_context_edit(off, None)
    with pytest.raises(SessionError, match="needs a text"):
        manager.append_context_edit(root, {"content": 5})  # type: ignore[typeddict-item]
    manager.branch(label)
    with pytest.raises(SessionError, match="no content"):
        manager.append_context_edit(label, None)
    assert len(manager.get_entries()) == count


def test_unknown_targets_are_refused(manager: SessionManager) -> None:
    manager.append_message(user("one"))
    leaf = manager.get_leaf()
    for refused in (
        lambda: manager.append_label_change("nope", "x"),
        lambda: manager.branch("nope"),
        lambda: manager.branch_with_summary("nope", "x"),
        lambda: manager.create_branched_session("nope"),
    ):
        with pytest.raises(EntryNotFoundError, match="nope"):
            refused()
    assert manager.get_leaf() == leaf


def test_listeners_hear_of_an_entry_once_it_is_stored(manager: SessionManager) -> None:
    heard: list[tuple[str, int]] = []
    assert manager.path is not None
    path = manager.path
    unsubscribe = manager.subscribe(lambda entry: heard.append((entry.id, len(lines_of(path)))))
    first = manager.append_message(user("one"))
    second = manager.append_message(user("two"))
    unsubscribe()
    manager.append_message(user("three"))
    assert heard == [(first, 2), (second, 3)]


def test_read_only_and_closed_sessions_refuse_to_write(manager: SessionManager) -> None:
    manager.append_message(user("one"))
    manager.close()
    with pytest.raises(ReadOnlySessionError, match="closed"):
        manager.append_message(user("two"))
    assert manager.path is not None
    with SessionManager.open(manager.path, writer="none") as viewer:
        assert viewer.read_only
        with pytest.raises(ReadOnlySessionError, match="reading only"):
            viewer.append_message(user("two"))
    assert len(lines_of(manager.path)) == 2


def test_the_position_survives_when_it_is_saved(manager: SessionManager) -> None:
    first = manager.append_message(user("one"))
    manager.append_message(assistant("two"))
    manager.branch(first)
    manager.save_position()
    manager.close()
    assert manager.path is not None
    with SessionManager.open(manager.path) as again:
        leaf = again.get_leaf_entry()
        assert leaf is not None
        assert (leaf.type, leaf.parent_id) == ("custom", first)
        assert again.save_position() is None
        again.reset_leaf()
        again.save_position()
        assert [entry.id for entry in again.get_branch()] == [again.get_leaf()]


def test_a_session_in_memory_holds_given_entries_and_has_no_file() -> None:
    entries = [
        {"type": "session", "id": "x"},
        {"type": "message", "id": "a", "parentId": None, "timestamp": "", "message": user("one")},
    ]
    manager = SessionManager.in_memory("/work", id="mine", entries=entries)
    manager.append_message(user("two"))
    assert manager.session_id == "mine"
    assert manager.path is None
    assert not manager.is_persisted
    assert [entry.parent_id for entry in manager.get_branch()] == [None, "a"]


@pytest.mark.parametrize("session_id", ["../x", "a/b", "", "-a", "a\n", "x" + "\0"])
def test_ids_that_could_lead_elsewhere_are_refused(session_id: str, tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="session id"):
        SessionManager.create("/work", tmp_path, id=session_id)


def test_ids_of_entries_are_unique_even_when_chance_is_not(tmp_path: Path) -> None:
    from sapwood.session.origin import Origin

    manager = SessionManager.in_memory("/work", origin=Origin(entry_id=lambda: "same0000"))
    ids = [manager.append_message(user(str(number))) for number in range(3)]
    assert len(set(ids)) == 3
    assert ids[0] == "same0000"
    assert len(ids[1]) == 36


def test_what_is_no_json_is_refused_before_it_waits_in_memory(manager: SessionManager) -> None:
    for data in (object(), {1: 2}, deep(100_000)):
        with pytest.raises(SessionError, match="cannot be stored"):
            manager.append_custom_entry("state", data)
    manager.append_message(user("one"))
    with pytest.raises(SessionError, match="cannot be stored"):
        manager.append_message({"role": "user", "content": {1, 2}})
    manager.append_message(user("two"))
    assert [line["type"] for line in lines_of(manager.path)] == ["session", "message", "message"]


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def test_a_message_changed_after_it_was_appended_is_stored_as_it_was(
    manager: SessionManager,
) -> None:
    state = {"n": 1}
    manager.append_custom_entry("state", state)
    state["n"] = 2
    manager.append_message(user("one"))
    assert lines_of(manager.path)[1]["data"] == {"n": 1}
