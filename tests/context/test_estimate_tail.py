"""The estimate by a session's end equals that of the whole projection, or says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.context.estimate import estimate_projection, estimate_tail
from sapwood.context.projection import project
from sapwood.errors import SapwoodError
from sapwood.session.entry import Entry
from sapwood.session.manager import SessionManager
from sapwood.session.tree import SessionTree

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
FILES = sorted(GOLDEN.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_tail_equals_the_whole_at_every_entry(path: Path) -> None:
    try:
        manager = SessionManager.open(path, writer="none")
    except SapwoodError:
        return
    with manager:
        entries = manager.tree.entries
        for entry in entries[:: max(1, len(entries) // 40)]:
            tail = estimate_tail(manager.tree, entry.id)
            if tail is not None:
                whole = estimate_projection(project(manager.tree, entry.id))
                assert (tail.tokens, tail.usage_tokens) == (whole.tokens, whole.usage_tokens)


def test_tail_is_known_for_most_sessions_and_decodes_only_the_end() -> None:
    header = {"type": "session", "version": 3, "id": "x", "timestamp": "", "cwd": "/"}
    usage = {"input": 900, "output": 100, "totalTokens": 1000}
    entries = []
    for number in range(500):
        role = "user" if number % 2 == 0 else "assistant"
        message = {"role": role, "content": [{"type": "text", "text": "four"}], "usage": usage}
        data = {"type": "message", "id": f"{number:08x}", "timestamp": "", "message": message}
        data["parentId"] = f"{number - 1:08x}" if number else None
        entries.append(Entry.of(data))
    last_user = {"role": "user", "content": "eight ch", "timestamp": 0}
    data = {"type": "message", "id": "last", "parentId": entries[-1].id, "message": last_user}
    entries.append(Entry.of(data))
    estimate = estimate_tail(SessionTree(header, entries))  # type: ignore[arg-type]
    assert estimate is not None
    assert (estimate.tokens, estimate.trailing_tokens) == (1002, 2)


def test_what_holds_no_message_counts_nothing() -> None:
    tree = SessionTree({"type": "session", "id": "x", "timestamp": ""})
    for number, message in enumerate(({"content": "x"}, {"role": ["user"]}, 5, None)):
        tree.append(Entry.of({"type": "message", "id": f"{number}", "message": message}))
    usage = {"totalTokens": 70}
    answer = {"role": "assistant", "content": [], "usage": usage}
    tree.append(Entry.of({"type": "message", "id": "answer", "message": answer}))
    tree.append(Entry.of({"type": "message", "id": "odd", "parentId": "answer", "message": {}}))
    estimate = estimate_tail(tree)
    assert estimate is not None
    assert estimate.tokens == 70
    assert estimate_tail(tree, "2") is None
