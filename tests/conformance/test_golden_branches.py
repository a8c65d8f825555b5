"""What a branch summary collects, and what of it fits a budget, equal the reference's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from conformance.differences import DIFFERENCES
from sapwood.compaction.branch import BranchPreparation, collect_branch, prepare_branch_summary
from sapwood.compaction.serialize import serialize
from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin
from sapwood.text import well_formed
from support.canonical import hash16

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
WORDED = {"compactionSummary", "branchSummary", "bashExecution"}


def golden_branches() -> Iterator[Any]:
    for path in sorted(GOLDEN.glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        golden = json.loads(path.read_text())
        if name not in DIFFERENCES and golden.get("expected", {}).get("branches"):
            yield pytest.param(golden, id=name)


@pytest.mark.parametrize("golden", list(golden_branches()))
def test_branches(golden: Any) -> None:
    ids = (f"{number:08x}" for number in count(1))
    origin = Origin(entry_id=lambda: next(ids))
    with SessionManager.open(GOLDEN / golden["file"], writer="none", origin=origin) as manager:
        for case in golden["expected"]["branches"]:
            branch = collect_branch(manager.tree, case["old"], case["target"])
            if "cycle" in case:
                continue  # the reference never answers; we did
            assert branch.common_ancestor_id == case["commonAncestorId"]
            expect_ids([entry.id for entry in branch.entries], case["entries"])
            for prepared in case["prepared"]:
                if "error" in prepared:
                    prepare_branch_summary(branch, prepared.get("budget", 0))  # we do not throw
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
    worded = WORDED.intersection(message.get("role") for message in messages)
    if "error" not in expected["serialized"] and not worded:
        text = well_formed(serialize(messages)).encode()
        assert has_image(messages) or expected["serialized"]["sha"] == sha(text)


def sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def has_image(messages: list[Any]) -> bool:
    """Images are markers in our text and missing in the reference's."""
    contents = [message.get("content") for message in messages]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return any(isinstance(block, dict) and block.get("type") == "image" for block in blocks)
