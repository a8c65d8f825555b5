"""What a branch summary collects, and what of it fits a budget, equal the reference's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.differences import DIFFERENCES
from sapwood.compaction.branch import BranchPreparation, collect_branch, prepare_branch_summary
from sapwood.compaction.serialize import serialize
from sapwood.session.manager import SessionManager
from support.canonical import hash16

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
WORDED = {"compactionSummary", "branchSummary", "bashExecution"}


def golden_branches() -> Iterator[Any]:
    for path in sorted(GOLDEN.glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        golden = json.loads(path.read_text())
        if name not in DIFFERENCES and golden.get("expected", {}).get("branches"):
            yield pytest.param(golden, id=name)


@pytest.mark.parametrize("golden", golden_branches())
def test_branches(golden: Any) -> None:
    with SessionManager.open(GOLDEN / golden["file"], writer="none") as manager:
        for case in golden["expected"]["branches"]:
            branch = collect_branch(manager.tree, case["old"], case["target"])
            assert branch.common_ancestor_id == case["commonAncestorId"]
            expect_ids([entry.id for entry in branch.entries], case["entries"])
            for prepared in case["prepared"]:
                if "error" in prepared:
                    prepare_branch_summary(branch, prepared["budget"])  # must not fail here
                else:
                    expect_prepared(prepare_branch_summary(branch, prepared["budget"]), prepared)


def expect_ids(ids: list[str], expected: Any) -> None:
    if isinstance(expected, list):
        assert ids == expected
    else:
        assert (len(ids), hash16(ids)) == (expected["n"], expected["hash"])


def expect_prepared(found: BranchPreparation, expected: Any) -> None:
    messages = list(found.messages)
    assert len(messages) == expected["n"]
    assert hash16(messages) == expected["hash"]
    assert found.total_tokens == expected["totalTokens"]
    assert set(found.file_ops.read) == set(expected["fileOps"]["read"])
    if not WORDED.intersection(message["role"] for message in messages):
        text = serialize(messages).encode("utf-8", "replace")
        assert hashlib.sha256(text).hexdigest()[:16] == expected["serialized"]["sha"]
