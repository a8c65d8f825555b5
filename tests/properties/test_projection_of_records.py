"""The projection depends on the record alone: not on memory, on reopening, or on other branches."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.context.estimate import estimate_projection
from sapwood.context.projection import Projection, build_session_context, project
from sapwood.context.request import build_request
from sapwood.session.manager import SessionManager
from sapwood.session.tree import SessionTree
from support.message_makers import NO_USAGE, assistant, call, result, user
from support.request_checker import faults

EXAMPLES = settings(max_examples=200, deadline=None)

KINDS = (
    "user assistant call result system bash custom model level edit omit compact summary label "
    "branch branch reset"
)
STEP = st.tuples(st.sampled_from(KINDS.split()), st.integers(0, 1 << 30))
STEPS = st.lists(STEP, min_size=1, max_size=25)


def play(manager: SessionManager, steps: list[tuple[str, int]]) -> None:
    """Do what the steps say; the number picks an entry or a variant."""
    for step, number in steps:
        entries = manager.get_entries()
        picked = entries[number % len(entries)].id if entries else None
        if step in ("user", "assistant", "call", "result", "system", "bash"):
            manager.append_message(message(step, number))
        elif step == "custom":
            manager.append_custom_message("x", f"custom {number}", bool(number % 2))
        elif step == "model":
            manager.append_model_change("p", f"m{number % 5}")
        elif step == "level":
            manager.append_thinking_level_change(("low", "high")[number % 2])
        elif step == "reset":
            manager.reset_leaf()
        elif picked is None:
            continue
        elif step in ("edit", "omit"):
            edit(manager, number, omit=step == "omit")
        elif step == "compact":
            manager.append_compaction(f"compaction {number}", picked, number)
        elif step == "summary":
            manager.branch_with_summary(picked, f"branch {number}")
        elif step == "label":
            manager.append_label_change(picked, f"label {number}")
        elif step == "branch":
            manager.branch(picked)


def message(kind: str, number: int) -> Any:
    call_id = f"c{number % 3}"
    if kind == "user":
        return user(f"user {number}")
    if kind == "assistant":
        usage = {**NO_USAGE, "totalTokens": number % 1000}
        return {**assistant(f"assistant {number}"), "usage": usage, "model": f"m{number % 3}"}
    if kind == "call":
        return assistant("", call(call_id, "bash", command=f"run {number}"))
    if kind == "result":
        return result(call_id, f"result {number}")
    if kind == "system":
        section = {f"s{number % 3}": None if number % 4 == 0 else f"text {number}"}
        return {"role": "system", "content": "", "sections": section, "timestamp": 0}
    return {
        "role": "bashExecution", "command": f"cmd {number}", "output": "out", "cancelled": False,
        "truncated": False, "timestamp": 0, "excludeFromContext": number % 3 == 0,
    }  # fmt: skip


def edit(manager: SessionManager, number: int, *, omit: bool) -> None:
    roles = ("user", "assistant", "toolResult")
    editable = [e for e in manager.get_branch() if e.message and e.message["role"] in roles]
    if editable:
        replacement: Any = None if omit else {"content": f"edited {number}"}
        manager.append_context_edit(editable[number % len(editable)].id, replacement)


def picture(projection: Projection) -> Any:
    """All that a projection says, without the objects it says it with."""
    return (
        projection.messages,
        [entry.id for entry in projection.sources],
        [entry.id for entry in projection.entries],
        projection.model,
        projection.thinking_level,
        projection.inherited_prompt,
        estimate_projection(projection),
    )


def leaves(tree: SessionTree) -> list[str | None]:
    return [None, *(entry.id for entry in tree.entries)]


@EXAMPLES
@given(STEPS)
def test_what_is_remembered_of_a_tree_changes_no_answer(steps: list[tuple[str, int]]) -> None:
    manager = SessionManager.in_memory("/work")
    for step in steps:
        play(manager, [step])
        project(manager.tree)
        fresh = SessionTree(manager.tree.header, manager.tree.entries)
        fresh.leaf_id = manager.tree.leaf_id
        assert picture(project(manager.tree)) == picture(project(fresh))


@EXAMPLES
@given(STEPS)
def test_reopened_every_place_projects_the_same(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with SessionManager.create("/work", folder) as manager:
            manager.append_message(user("first"))
            play(manager, steps)
            path = manager.path
            assert path is not None
        with SessionManager.open(Path(path), writer="none") as reopened:
            assert leaves(reopened.tree) == leaves(manager.tree)
            for leaf in leaves(manager.tree):
                there = picture(project(manager.tree, leaf))
                assert picture(project(reopened.tree, leaf)) == there


@EXAMPLES
@given(STEPS, STEPS)
def test_what_happens_on_other_branches_has_no_effect(
    steps: list[tuple[str, int]], others: list[tuple[str, int]]
) -> None:
    manager = SessionManager.in_memory("/work")
    play(manager, steps)
    here = manager.get_leaf()
    before = picture(project(manager.tree, here))
    play(manager, others)
    assert picture(project(manager.tree, here)) == before


@EXAMPLES
@given(STEPS)
def test_every_place_makes_a_valid_request(steps: list[tuple[str, int]]) -> None:
    manager = SessionManager.in_memory("/work")
    play(manager, steps)
    for leaf in leaves(manager.tree):
        assert faults(build_request(project(manager.tree, leaf)).messages) == []


@EXAMPLES
@given(STEPS)
def test_a_fork_projects_what_its_source_does(steps: list[tuple[str, int]]) -> None:
    manager = SessionManager.in_memory("/work")
    play(manager, steps)
    for entry in manager.get_entries():
        path = [e.data for e in manager.tree.path(entry.id)]
        forked = build_session_context(path)
        assert forked.messages == project(manager.tree, entry.id).messages
