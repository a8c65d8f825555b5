"""Whatever is appended in whatever order: the file says the same when it is opened again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from sapwood.context.projection import project
from sapwood.session import SessionManager
from support.message_makers import user
from support.session_scripts import STEPS, Step, play


def state(manager: SessionManager) -> dict[str, Any]:
    tree = manager.tree
    projection = project(tree)
    drawn = []
    stack = tree.nodes()
    while stack:
        node = stack.pop()
        drawn.append((node.entry.id, [child.entry.id for child in node.children]))
        stack.extend(node.children)
    return {
        "header": tree.header,
        "entries": [entry.data for entry in tree.entries],
        "bytes": [entry.raw for entry in tree.entries],
        "leaf": tree.leaf_id,
        "path": [entry.id for entry in tree.path()],
        "labels": dict(tree.labels),
        "name": tree.name,
        "tree": drawn,
        "messages": projection.messages,
        "model": projection.model,
        "level": projection.thinking_level,
    }


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_a_reopened_session_is_the_one_that_was_closed(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        manager = SessionManager.create("/work", folder)
        known = b""

        def nothing_old_changed() -> None:
            nonlocal known
            assert manager.path is not None
            data = manager.path.read_bytes() if manager.path.exists() else b""
            assert data.startswith(known)
            assert data == b"" or data.endswith(b"\n")
            known = data

        play(manager, steps, nothing_old_changed)
        manager.append_message(user("so that there is a file"))
        manager.save_position()
        manager.close()
        assert manager.path is not None
        before = manager.path.read_bytes()
        with SessionManager.open(manager.path) as again:
            assert state(again) == state(manager)
            assert again.diagnostics == []
        assert manager.path.read_bytes() == before
        assert [each.name for each in Path(folder).iterdir()] == [manager.path.name]
