"""Whatever a log of another program holds: it comes in, nothing is lost, and it can go on."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.context.projection import project
from sapwood.context.request import build_request
from sapwood.library.importing import import_session
from sapwood.session.manager import SessionManager
from support.foreign_logs import ClaudeLog, CodexLog, said, tool_use, write_log
from support.request_checker import faults

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["user", "answer", "call", "result", "noise", "compact", "back"]),
        st.integers(0, 5),
        TEXTS,
    ),
    max_size=25,
)


def counts_after_import(records: list[Any]) -> Counter[str]:
    """Counts by role of the imported session; its request is checked at every leaf."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = import_session(write_log(folder / "log", records), folder, folder / "s")
        with SessionManager.open(path, writer="none") as manager:
            assert manager.diagnostics == []
            for leaf in [*manager.get_entries(), manager.get_leaf_entry()]:
                assert leaf is not None
                assert faults(build_request(project(manager.tree, leaf.id)).messages) == []
            return Counter(e.message["role"] for e in manager.get_entries() if e.message)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_claude_code(steps: list[tuple[str, int, str]]) -> None:
    log = ClaudeLog()
    log.user("start")
    expected = Counter(user=1)
    for number, (step, pick, words) in enumerate(steps):
        if step == "user":
            log.user("said " + words)
            expected["user"] += 1
        elif step == "answer":
            log.assistant(f"m{number}", said(words))
            expected["assistant"] += 1
        elif step == "call":  # one answer in as many records as it has calls
            for call in range(pick + 1):
                log.assistant(f"m{number}", tool_use(f"c{call}", "Tool", x=words))
            expected["assistant"] += 1
        elif step == "result":
            log.result(f"c{pick}", words)
            expected["toolResult"] += 1
        elif step == "noise":
            log.add("progress", isSidechain=pick == 0, parent=f"uuid-{pick}")
        elif step == "compact":
            log.add("system", subtype="compact_boundary", parent=None, logicalParentUuid=log.last)
        else:
            log.last = f"uuid-{pick}"
    assert counts_after_import(log.records) == expected


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_codex(steps: list[tuple[str, int, str]]) -> None:
    log = CodexLog()
    log.user("start")
    expected = Counter(user=1)
    answering = False
    for step, pick, words in steps:
        if step == "user":
            log.user("said " + words)
            expected["user"] += 1
        elif step == "answer":
            log.assistant(words)
        elif step == "call":
            log.call(f"c{pick}", "tool", x=words)
        elif step == "result":
            log.output(f"c{pick}", words)
            expected["toolResult"] += 1
        elif step == "noise":
            log.event("agent_message", message=words)
        elif step == "compact":
            log.add("compacted", {"message": words})
        else:
            log.event("thread_rolled_back", num_turns=pick)
        if step in ("answer", "call"):
            expected["assistant"] += not answering
            answering = True
        elif step != "noise" and not (step == "back" and pick == 0):
            answering = False
    if not any(step == "back" for step, _, _ in steps):
        assert counts_after_import(log.records) == expected
    else:
        assert counts_after_import(log.records)["user"] == expected["user"]
