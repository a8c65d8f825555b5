"""The messages of a path, each with the entry it came from."""

from __future__ import annotations

from typing import Any

import pytest

from sapwood.context.projection import build_session_context, project, project_entries
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, call, result, session, user


def texts(manager: SessionManager, leaf: str | None = None) -> list[str]:
    """Each message as ``role: text``."""
    projection = project(manager.tree, leaf) if leaf else project(manager.tree)
    return [f"{m['role']}: {text_of(m)}" for m in projection.messages]


def text_of(message: Any) -> str:
    content = message.get("content", message.get("summary"))
    return content if isinstance(content, str) else "".join(b.get("text", "") for b in content)


def test_every_kind_of_entry_yields_its_messages_and_names_its_source() -> None:
    manager = session(user("hello"))
    note = manager.append_custom_message("ext", "a note", True, {"k": 1})
    manager.append_label_change(note, "here")
    manager.append_custom_entry("state", {})
    manager.append_session_info("name")
    root = manager.tree.entries[0].id
    manager.branch_with_summary(root, "what happened there")
    manager.append_custom_message("ext", "b", False)
    manager.append_compaction("all of it", root, 42)
    projection = project(manager.tree)
    assert [m["role"] for m in projection.messages] == [
        "compactionSummary", "user", "branchSummary", "custom",
    ]  # fmt: skip
    assert [e.type for e in projection.sources] == [
        "compaction", "message", "branch_summary", "custom_message",
    ]  # fmt: skip
    assert projection.compaction is projection.sources[0]
    assert texts(manager, note) == ["user: hello", "custom: a note"]


def test_an_older_compaction_in_the_kept_tail_yields_nothing() -> None:
    """B40: it may stand between a call and its result."""
    manager = session(user("go"))
    asked = manager.append_message(assistant("", call("c", "bash")))
    older = manager.append_compaction("older", None, 1)
    answered = manager.append_message(result("c", "done"))
    newer = manager.append_compaction("newer", asked, 2)
    projection = project(manager.tree)
    assert [e.id for e in projection.entries] == [newer, asked, older, answered]
    assert [e.id for e in projection.sources] == [newer, asked, answered]


def test_edits_belong_to_their_branch_and_the_last_one_wins() -> None:
    """B43."""
    manager = session(user("ask"))
    answer = manager.append_message(assistant("original"))
    before = manager.append_message(user("more"))
    first = manager.append_context_edit(answer, {"content": "first"})
    second = manager.append_context_edit(answer, {"content": "second"})
    third = manager.append_context_edit(answer, None)
    assert texts(manager, before)[1] == "assistant: original"
    assert texts(manager, first)[1] == "assistant: first"
    assert texts(manager, second)[1] == "assistant: second"
    assert texts(manager, third) == ["user: ask", "user: more"]
    edited = project(manager.tree, first).messages[1]
    assert edited["content"] == [{"type": "text", "text": "first"}]  # type: ignore[typeddict-item]
    assert manager.tree.require(answer).data["message"]["content"][0]["text"] == "original"


def test_an_edit_that_says_nothing_changes_nothing_and_is_reported() -> None:
    manager = session(user("ask"))
    target = manager.get_leaf()
    assert target is not None
    edit = manager.tree.require(manager.append_context_edit(target, None))
    for bad in ({}, {"replacement": "bare"}, {"replacement": {"content": 5}}):
        edit.data.pop("replacement", None)
        edit.data.update(bad)
        projection = project(manager.tree)
        assert len(projection.messages) == 1
        assert [d.kind for d in projection.diagnostics] == ["bad-edit"]


@pytest.mark.parametrize("message", [None, "text", [], {}, {"role": 5}])
def test_an_entry_without_a_message_yields_none_and_is_reported(message: Any) -> None:
    data = {"type": "message", "id": "a", "parentId": None, "message": message}
    projection = build_session_context([data])
    assert projection.messages == []
    assert [d.kind for d in projection.diagnostics] == ["no-message"]


def test_null_content_is_read_as_empty() -> None:
    roles = ["user", "assistant", "toolResult", "system"]
    entries = [
        {
            "type": "message",
            "id": role,
            "parentId": parent,
            "message": {"role": role, "content": None},
        }
        for role, parent in zip(roles, [None, *roles], strict=False)
    ]
    contents = [m["content"] for m in build_session_context(entries).messages]  # type: ignore[typeddict-item]
    assert contents == [[], [], [], ""]


def test_build_session_context_takes_entries_and_falls_back_to_the_last() -> None:
    manager = session(user("a"), assistant("b"), user("c"))
    entries = [entry.data for entry in manager.get_entries()]
    assert len(build_session_context(entries).messages) == 3
    assert len(build_session_context(entries, "unknown").messages) == 3
    assert len(build_session_context(entries, entries[1]["id"]).messages) == 2
    assert build_session_context(entries, None).messages == []
    assert build_session_context([]).messages == []


def test_project_entries_makes_no_summary_of_a_compaction_unless_told() -> None:
    manager = session(user("a"))
    manager.append_compaction("sum", None, 1)
    entries = manager.get_entries()
    assert [item.message["role"] for item in project_entries(entries)] == ["user"]
    roles = [item.message["role"] for item in project_entries(entries, entries[1])]
    assert roles == ["user", "compactionSummary"]


def test_times_are_those_of_the_entries() -> None:
    entry = {"type": "branch_summary", "id": "a", "summary": "s", "fromId": "x"}
    dated = {**entry, "timestamp": "1970-01-01T00:00:01.500Z"}
    odd = {**entry, "timestamp": "never"}
    assert build_session_context([dated]).messages[0]["timestamp"] == 1500
    assert build_session_context([odd]).messages[0]["timestamp"] is None
