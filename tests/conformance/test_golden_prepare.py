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
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from conformance.differences import DIFFERENCES
from sapwood.compaction.cut import Slot, find_cut
from sapwood.compaction.files import FileOps, call_outcomes, file_lists
from sapwood.compaction.prepare import Preparation, prepare_compaction
from sapwood.compaction.serialize import serialize
from sapwood.compaction.settings import CompactionSettings
from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import Projected, messages_of, project
from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin
from sapwood.text import one_line, well_formed
from support.canonical import hash16

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
WORDED = {"compactionSummary", "branchSummary", "bashExecution"}


def golden_files() -> Iterator[Path]:
    for path in sorted(GOLDEN.glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        if name not in DIFFERENCES and "leaves" in json.loads(path.read_text()).get("expected", {}):
            yield path


def opened(golden: Any) -> SessionManager:
    """The session of a golden file; entries of version 1 get the ids they have there."""
    ids = (f"{number:08x}" for number in count(1))
    origin = Origin(entry_id=lambda: next(ids))
    return SessionManager.open(GOLDEN / golden["file"], writer="none", origin=origin)


@pytest.mark.parametrize("path", list(golden_files()), ids=lambda path: path.name.split(".")[0])
def test_prepare(path: Path) -> None:
    golden = json.loads(path.read_text())
    with opened(golden) as manager:
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
    if "error" in expected:  # the reference throws; we found an answer
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
    expect_listing(found.file_ops, expected)


def expect_listing(ops: FileOps, expected: Any) -> None:
    """The text of the lists, where they are equal and no path breaks its line (ours never does)."""
    lists = {name: expected["fileOps"][name] for name in ("readFiles", "modifiedFiles")}
    paths = [*lists["readFiles"], *lists["modifiedFiles"]]
    if ops.details() == lists and all(path == one_line(path) for path in paths):
        assert file_lists(ops) == expected["fileOpsText"]


def expect_summary(found: str | None, expected: Any) -> None:
    assert (found is None) == (expected is None)
    if found is not None:
        assert sha(found) == expected["sha"]


def expect_messages(items: tuple[Projected, ...], expected: Any) -> None:
    assert len(items) == expected["n"]
    ids = [item.entry.id for item in items]
    if "error" in expected:
        return
    assert expected["sources"] in (ids, ids[:1] + ids[-1:])
    messages = [item.message for item in items]
    assert hash16(messages) == expected["hash"]
    if "tokens" in expected:
        assert sum(map(estimate_tokens, messages)) == expected["tokens"]
    worded = WORDED.intersection(message.get("role") for message in messages)
    if "error" not in expected["serialized"] and not worded and not has_image(messages):
        assert sha(serialize(messages)) == expected["serialized"]["sha"]


def has_image(messages: list[Any]) -> bool:
    """Images are markers in our text and missing in the reference's."""
    blocks = [
        block
        for message in messages
        if isinstance(message.get("content"), list)
        for block in message["content"]
    ]
    return any(isinstance(block, dict) and block.get("type") == "image" for block in blocks)


def sha(text: str) -> str:
    return hashlib.sha256(well_formed(text).encode()).hexdigest()[:16]


def expect_file_ops(
    found: FileOps, span: list[Any], context: list[Any], expected: dict[str, list[str]]
) -> None:
    unsuccessful = unsuccessful_changes(span, call_outcomes(context))
    assert set(found.read) == set(expected["read"])
    for ours, theirs in ((found.written, "written"), (found.edited, "edited")):
        assert set(ours) <= set(expected[theirs])
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


@pytest.mark.parametrize("path", list(golden_files()), ids=lambda path: path.name.split(".")[0])
def test_cut_point(path: Path) -> None:
    golden = json.loads(path.read_text())
    with opened(golden) as manager:
        for leaf in golden["expected"]["leaves"]:
            expected = leaf.get("cutPoint")
            if expected is None:
                continue
            path = manager.tree.path(leaf["leaf"])  # raw: no edits, no compactions
            slots = [Slot(entry, tuple(messages_of(entry))) for entry in path]
            cut = find_cut(slots, 0, 20000)
            turn_start = -1 if cut.turn_start is None else cut.turn_start
            assert (cut.first_kept, turn_start) == (
                expected["firstKeptEntryIndex"],
                expected["turnStartIndex"],
            )
