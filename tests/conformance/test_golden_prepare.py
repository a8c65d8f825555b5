"""Cut and preparation equal the reference's on every golden session.

One difference on purpose: a write or edit that failed, or never got a result, is no modification.
The reference lists those, so its lists must equal ours plus exactly the paths of such calls.
Texts with wording of the programs themselves (summaries, shell commands) are compared by their
messages only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import Projected, project

from conformance.differences import DIFFERENCES
from sapwood.compaction.cut import find_cut, slots_of
from sapwood.compaction.files import FileOps, call_outcomes, file_lists
from sapwood.compaction.prepare import Preparation, prepare_compaction
from sapwood.compaction.serialize import serialize
from sapwood.compaction.settings import CompactionSettings
from sapwood.session.manager import SessionManager
from support.canonical import hash16

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
WORDED = {"compactionSummary", "branchSummary", "bashExecution"}


def golden_files() -> Iterator[Path]:
    for path in sorted(GOLDEN.glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        if name not in DIFFERENCES and "leaves" in json.loads(path.read_text()).get("expected", {}):
            yield path


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.name.split(".")[0])
def test_prepare(path: Path) -> None:
    golden = json.loads(path.read_text())
    with SessionManager.open(GOLDEN / golden["file"], writer="none") as manager:
        for leaf in golden["expected"]["leaves"]:
            for case in leaf.get("prepare", []):
                settings = CompactionSettings(
                    keep_recent_tokens=case["settings"].get("keepRecentTokens", 20000)
                )
                preparation = prepare_compaction(manager.tree, settings, leaf=leaf["leaf"])
                expect_preparation(preparation, case["result"], manager, leaf["leaf"])


def expect_preparation(
    found: Preparation | None, expected: Any, manager: SessionManager, leaf: str | None
) -> None:
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert found.first_kept_entry_id == expected["firstKeptEntryId"]
    assert found.is_split_turn == expected["isSplitTurn"]
    assert found.tokens_before == expected["tokensBefore"]
    expect_summary(found.previous_summary, expected.get("previousSummary"))
    expect_messages(found.to_summarize, expected["messagesToSummarize"])
    expect_messages(found.turn_prefix, expected["turnPrefixMessages"])
    messages = [item.message for item in project(manager.tree, leaf).items]
    expect_file_ops(found.file_ops, found.messages, messages, expected["fileOps"])
    if found.file_ops.details() == {
        "readFiles": expected["fileOps"]["readFiles"],
        "modifiedFiles": expected["fileOps"]["modifiedFiles"],
    }:
        assert file_lists(found.file_ops) == expected["fileOpsText"]


def expect_summary(found: str | None, expected: Any) -> None:
    assert (found is None) == (expected is None)
    if found is not None:
        assert hashlib.sha256(found.encode("utf-8", "replace")).hexdigest()[:16] == expected["sha"]


def expect_messages(items: tuple[Projected, ...], expected: Any) -> None:
    assert len(items) == expected["n"]
    ids = [item.entry.id for item in items]
    assert expected["sources"] in (ids, ids[:1] + ids[-1:])
    messages = [item.message for item in items]
    assert hash16(messages) == expected["hash"]
    if "tokens" in expected:
        assert sum(map(estimate_tokens, messages)) == expected["tokens"]
    if not WORDED.intersection(message["role"] for message in messages):
        text = serialize(messages).encode("utf-8", "replace")
        assert hashlib.sha256(text).hexdigest()[:16] == expected["serialized"]["sha"]


def expect_file_ops(
    found: FileOps, span: list[Any], context: list[Any], expected: dict[str, list[str]]
) -> None:
    unsuccessful = unsuccessful_changes(span, call_outcomes(context))
    assert list(found.read) == expected["read"]
    for ours, theirs in ((found.written, "written"), (found.edited, "edited")):
        assert [path for path in expected[theirs] if path in ours] == list(ours)
        assert set(expected[theirs]) - set(ours) <= unsuccessful


def unsuccessful_changes(messages: list[Any], outcomes: dict[str, bool]) -> set[str]:
    """Paths of writes and edits whose result is an error or missing."""
    paths: set[str] = set()
    for message in messages:
        calls = message.get("content") if message["role"] == "assistant" else []
        for block in calls if isinstance(calls, list) else []:
            if isinstance(block, dict) and block.get("name") in ("write", "edit"):
                arguments = block.get("arguments")
                if isinstance(arguments, dict) and not outcomes.get(block["id"], False):
                    paths.add(arguments.get("path"))
        nested = message.get("nestedCalls")
        for inner in nested.get("calls", []) if isinstance(nested, dict) else []:
            if inner.get("status") != "ok" and isinstance(inner.get("arguments"), dict):
                paths.add(inner["arguments"].get("path"))
    return paths


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.name.split(".")[0])
def test_cut_point(path: Path) -> None:
    golden = json.loads(path.read_text())
    with SessionManager.open(GOLDEN / golden["file"], writer="none") as manager:
        for leaf in golden["expected"]["leaves"]:
            expected = leaf.get("cutPoint")
            if expected is None:
                continue
            slots = slots_of(project(manager.tree, leaf["leaf"]))
            cut = find_cut(slots, 0, 20000)
            turn_start = -1 if cut.turn_start is None else cut.turn_start
            assert (cut.first_kept, turn_start) == (
                expected["firstKeptEntryIndex"],
                expected["turnStartIndex"],
            )
