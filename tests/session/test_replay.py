"""Which entries are in force, model and level, prompt: read off a path, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sapwood.session.codec import encode_line
from sapwood.session.entry import Entry
from sapwood.session.replay import (
    ModelRef,
    path_settings,
    prompt_checkpoint,
    replay_prompt,
    select,
)
from sapwood.session.schema import SessionHeader
from sapwood.session.tree import CURRENT, Leaf, SessionTree
from support.message_makers import assistant, session, user

HEADER = SessionHeader(type="session", id="s", timestamp="2026-01-01T00:00:00.000Z")


def system(content: str = "", **more: Any) -> dict[str, Any]:
    return {"role": "system", "content": content, "timestamp": 0, **more}


def ids(entries: list[Entry]) -> list[str]:
    return [entry.id for entry in entries]


# Selection


def test_without_a_compaction_the_whole_path_is_in_force() -> None:
    manager = session(user("one"), assistant("two"), user("three"))
    selection = select(manager.tree)
    assert selection.entries == manager.tree.path()
    assert selection.compaction is None


def test_before_the_first_entry_nothing_is_in_force() -> None:
    manager = session(user("one"))
    assert select(manager.tree, None).entries == []
    assert select(manager.tree, "no such id").entries == []


def test_a_compaction_comes_first_then_what_it_kept_then_the_rest() -> None:
    manager = session(system("prompt"), user("old"), assistant("old answer"))
    kept = manager.append_message(user("kept"))
    manager.append_message(system("patch"))
    also_kept = manager.append_message(assistant("kept answer"))
    compaction = manager.append_compaction("so far", kept, 100)
    after = manager.append_message(user("new"))
    selection = select(manager.tree)
    assert ids(selection.entries) == [compaction, kept, also_kept, after]
    assert selection.compaction is manager.tree.get(compaction)
    assert selection.kept == 2


def test_only_the_newest_compaction_of_the_path_counts() -> None:
    manager = session(user("a"))
    kept = manager.append_message(user("b"))
    first = manager.append_compaction("one", kept, 10)
    second = manager.append_compaction("two", kept, 10)
    manager.branch(first)
    beside = manager.append_message(user("c"))
    assert ids(select(manager.tree, second).entries) == [second, kept, first]
    assert ids(select(manager.tree, beside).entries) == [first, kept, beside]


@pytest.mark.parametrize("boundary", [None, "own"])
def test_no_boundary_and_its_own_id_keep_nothing(boundary: str | None) -> None:
    manager = session(user("a"), assistant("b"))
    compaction = manager.append_compaction("sum", None, 10)
    entry = manager.tree.require(compaction)
    entry.data["firstKeptEntryId"] = compaction if boundary else None
    selection = select(manager.tree)
    assert ids(selection.entries) == [compaction]
    assert selection.diagnostics == []


def test_an_unknown_boundary_falls_back_to_the_last_user_turn_and_says_so() -> None:
    manager = session(user("a"), assistant("b"))
    turn = manager.append_message(user("c"))
    answer = manager.append_message(assistant("d"))
    compaction = manager.append_compaction("sum", "ffffffff", 10)
    selection = select(manager.tree)
    assert ids(selection.entries) == [compaction, turn, answer]
    (found,) = selection.diagnostics
    assert (found.kind, found.entry_id) == ("kept-boundary", compaction)


def test_a_boundary_on_another_branch_falls_back_too() -> None:
    manager = session(user("a"))
    elsewhere = manager.append_message(user("left"))
    manager.branch(manager.tree.entries[0].id)
    turn = manager.append_message(user("b"))
    compaction = manager.append_compaction("sum", elsewhere, 10)
    assert ids(select(manager.tree).entries) == [compaction, turn]


def test_an_unknown_boundary_without_any_user_turn_keeps_nothing() -> None:
    manager = session(assistant("a"), assistant("b"))
    compaction = manager.append_compaction("sum", "ffffffff", 10)
    selection = select(manager.tree)
    assert ids(selection.entries) == [compaction]
    assert len(selection.diagnostics) == 1


# Model and thinking level


def test_model_and_level_come_from_the_whole_path_the_newest_first() -> None:
    manager = session(user("a"))
    manager.append_model_change("p1", "m1")
    manager.append_thinking_level_change("high")
    before = manager.append_message(user("b"))
    manager.append_message({**assistant("c"), "provider": "p2", "model": "m2"})
    manager.append_compaction("sum", None, 10)
    assert path_settings(manager.tree).model == ModelRef("p2", "m2")
    assert path_settings(manager.tree).thinking_level == "high"
    assert path_settings(manager.tree, before).model == ModelRef("p1", "m1")
    manager.append_model_change("p3", "m3")
    assert path_settings(manager.tree).model == ModelRef("p3", "m3")


def test_settings_of_another_branch_have_no_effect() -> None:
    manager = session(user("a"))
    root = manager.get_leaf()
    assert root is not None
    manager.append_model_change("p1", "m1")
    manager.append_thinking_level_change("low")
    manager.branch(root)
    manager.append_message(user("b"))
    assert path_settings(manager.tree).model is None
    assert path_settings(manager.tree).thinking_level == "off"
    assert path_settings(manager.tree, None).thinking_level == "off"


# The prompt


def test_contents_are_appended_and_sections_patched_by_name() -> None:
    prompt = replay_prompt(
        [
            system("base", sections={"a": "1", "b": "2", "c": "3"}, timestamp=5),
            user("between"),
            system(sections={"b": "two", "a": None}),
            system([{"type": "text", "text": "more"}], sections={"a": "again"}),
        ]  # type: ignore[list-item]
    )
    assert prompt == {
        "role": "system",
        "content": "base\n\nmore",
        "sections": {"b": "two", "c": "3", "a": "again"},
        "timestamp": 5,
    }
    assert prompt is not None
    assert list(prompt["sections"]) == ["b", "c", "a"]


def test_tools_are_removed_before_others_are_added() -> None:
    read, write = {"name": "read", "description": "old"}, {"name": "write", "description": ""}
    newer = {"name": "read", "description": "new"}
    prompt = replay_prompt(
        [
            system(toolsAdded=[read, write]),
            system(toolsAdded=[newer], toolsRemoved=[{"name": "read"}, {"name": "unknown"}]),
        ]  # type: ignore[list-item]
    )
    assert prompt is not None
    assert prompt["toolsAdded"] == [write, newer]


def test_without_a_system_message_there_is_no_prompt() -> None:
    assert replay_prompt([user("a")]) is None  # type: ignore[list-item]


def test_a_compaction_stores_the_prompt_in_force() -> None:
    manager = session(system("base", sections={"a": "1"}), user("x"), system(sections={"a": "2"}))
    compaction = manager.append_compaction("sum", None, 10)
    stored = manager.tree.require(compaction).data["systemMessage"]
    assert (stored["content"], stored["sections"]) == ("base", {"a": "2"})


def test_a_compaction_without_a_checkpoint_does_not_lose_the_prompt() -> None:
    manager = session(system("base", sections={"a": "1"}), user("x"))
    kept = manager.append_message(user("y"))
    manager.append_message(system(sections={"a": "2"}))
    compaction = manager.tree.require(manager.append_compaction("sum", kept, 10))
    del compaction.data["systemMessage"]
    manager.append_message(system(sections={"b": "3"}))
    prompt = prompt_checkpoint(manager.tree)
    assert prompt is not None
    assert (prompt["content"], prompt["sections"]) == ("base", {"a": "2", "b": "3"})
    again = manager.tree.require(manager.append_compaction("sum", None, 10))
    assert again.data["systemMessage"]["sections"] == {"a": "2", "b": "3"}


def test_a_prompt_left_out_by_an_edit_is_not_replayed() -> None:
    manager = session(system("base"))
    patch = manager.append_message(system("patch"))
    edit = {"type": "context_edit", "id": "edit", "parentId": patch, "targetId": patch}
    manager.tree.append(Entry.of({**edit, "replacement": None}))
    prompt = prompt_checkpoint(manager.tree)
    assert prompt is not None
    assert prompt["content"] == "base"


# What it costs


class CountingTree(SessionTree):
    """Counts the entries that walks visit."""

    visited = 0

    def ancestors(self, leaf: Leaf = CURRENT) -> Iterator[Entry]:
        for entry in super().ancestors(leaf):
            self.visited += 1
            yield entry


class Lines:
    """Session lines in memory; counts the bytes that are read."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.bytes_read = 0

    def read(self, offset: int, size: int) -> bytes:
        self.bytes_read += size
        return bytes(self.data[offset : offset + size])


def long_tree(length: int, source: Lines) -> CountingTree:
    """``length`` turns and a compaction near the end, read from lines as a file is."""
    tree = CountingTree(HEADER)

    def add(kind: str, **fields: Any) -> None:
        number = len(tree.entries)
        parent = tree.leaf_id
        data = {"type": kind, "id": f"e{number}", "parentId": parent, "timestamp": "", **fields}
        line = encode_line(data)
        entry = Entry(data["id"], parent, kind, "")
        entry.place(source, len(source.data), len(line), number + 2)
        source.data += line + b"\n"
        tree.append(entry)

    add("thinking_level_change", thinkingLevel="high")
    for number in range(length):
        add("message", message=user(f"request {number} " + "x" * 200))
        add("message", message=assistant(f"answer {number} " + "y" * 200))
    kept = tree.entries[-4].id
    add("compaction", summary="so far", firstKeptEntryId=kept, tokensBefore=10)
    add("message", message=user("next"))
    return tree


def cost_of_one_more(length: int) -> int:
    tree = long_tree(length, Lines())
    select(tree), path_settings(tree)
    before = tree.visited
    tree.append(Entry.of({"type": "message", "id": "new", "parentId": tree.leaf_id, "message": {}}))
    select(tree), path_settings(tree)
    return tree.visited - before


def test_after_one_more_append_the_walk_is_as_long_as_in_a_short_session() -> None:
    assert cost_of_one_more(5000) == cost_of_one_more(50)


def test_only_the_kept_tail_is_decoded() -> None:
    source = Lines()
    tree = long_tree(2000, source)
    select(tree), path_settings(tree)
    assert 0 < source.bytes_read < len(source.data) / 100


def test_settings_follow_an_entry_whose_parent_comes_late() -> None:
    tree = SessionTree(HEADER)
    tree.append(Entry.of({"type": "custom", "id": "child", "parentId": "late"}))
    assert path_settings(tree).thinking_level == "off"
    late = {"type": "thinking_level_change", "id": "late", "thinkingLevel": "low"}
    tree.take_in(Entry.of(late))
    assert path_settings(tree).thinking_level == "low"
