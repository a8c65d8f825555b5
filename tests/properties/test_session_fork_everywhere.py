"""A fork at any entry shows the model what the source shows it there, and every id resolves."""

from __future__ import annotations

import tempfile
from typing import Any

from hypothesis import given, settings

from sapwood.context.projection import project
from sapwood.session import SessionManager, SessionTree
from support.session_scripts import STEPS, Step, play


def shown(tree: SessionTree, leaf: str) -> tuple[Any, ...]:
    projection = project(tree, leaf)
    return projection.messages, projection.model, projection.thinking_level


def unresolved(tree: SessionTree) -> list[tuple[str, str, Any]]:
    found = []
    for entry in tree.entries:
        for field in ("parentId", "firstKeptEntryId", "targetId"):
            target = entry.data.get(field)
            if target is not None and tree.get(target) is None:
                found.append((entry.id, field, target))
    return found


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_a_fork_at_every_entry_is_the_source_there(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = SessionManager.create("/work", folder)
        play(source, steps)
        for entry in source.get_entries():
            with source.branched(entry.id) as fork:
                leaf = fork.get_leaf()
                expected = shown(source.tree, entry.id)
                if leaf is None:
                    assert expected[0] == []
                    continue
                assert shown(fork.tree, leaf) == expected
                assert unresolved(fork.tree) == []
                assert fork.diagnostics == []
                kept = {each.id for each in fork.get_entries()}
                assert {target: label.text for target, label in fork.tree.labels.items()} == {
                    target: label.text
                    for target, label in source.tree.labels.items()
                    if target in kept
                }
        source.close()
