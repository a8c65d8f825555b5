"""Projection, settings, prompt and estimates equal the reference's at every golden leaf."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from conformance.differences import DIFFERENCES
from sapwood.context.convert import to_model_messages
from sapwood.context.estimate import (
    ContextEstimate,
    estimate_context,
    estimate_projection,
    estimate_tokens,
    last_assistant_usage,
    usage_tokens,
)
from sapwood.context.projection import Projection, project
from sapwood.session.entry import Entry
from sapwood.session.javascript import key_order
from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin
from sapwood.session.replay import replay_prompt
from support.canonical import hash16

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
WORDED = {"compactionSummary", "branchSummary", "bashExecution"}
"""Roles that a request words in sentences of the program's own."""


def golden_files() -> Iterator[Path]:
    for path in sorted(GOLDEN.glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        if name not in DIFFERENCES and "leaves" in json.loads(path.read_text()).get("expected", {}):
            yield path


@pytest.mark.parametrize("path", list(golden_files()), ids=lambda path: path.name.split(".")[0])
def test_projection(path: Path) -> None:
    golden = json.loads(path.read_text())
    ids = (f"{number:08x}" for number in count(1))
    origin = Origin(entry_id=lambda: next(ids))
    with SessionManager.open(GOLDEN / golden["file"], writer="none", origin=origin) as manager:
        for leaf in golden["expected"]["leaves"]:
            projection = project(manager.tree, leaf["leaf"])
            if "cycle" in leaf:
                continue  # the reference never answers; we did
            expect_path(manager, projection, leaf)
            expect_messages(projection, leaf, golden["full"])
            expect_estimates(projection, manager.tree.path(leaf["leaf"]), leaf)
            expect_prompt(projection, leaf["systemMessage"])
            expect_request_messages(projection, leaf["llm"])


def expect_path(manager: SessionManager, projection: Projection, leaf: dict[str, Any]) -> None:
    assert [entry.id for entry in manager.tree.path(leaf["leaf"])] == leaf["branch"]
    assert [entry.id for entry in projection.entries] == leaf["contextEntries"]
    assert projection.thinking_level == leaf["thinkingLevel"]
    # {} = the answer that names the model has no such fields.
    model = projection.model
    found = model and {"provider": model.provider, "modelId": model.model_id}
    assert found == (leaf["model"] or None)


def expect_messages(projection: Projection, leaf: dict[str, Any], full: bool) -> None:
    messages = projection.messages
    assert len(messages) == leaf["messageCount"]
    assert hash16(messages) == leaf["messagesHash"]
    for message, expected in zip(messages, leaf.get("messages", messages), strict=True):
        if isinstance(expected, str):
            assert f"{message['role']}:{hash16(message)}" == expected
    if "sources" in leaf:
        grouped: list[list[Any]] = []
        for source in projection.sources:
            if grouped and grouped[-1][0] is source:
                grouped[-1][1] += 1
            else:
                grouped.append([source, 1])
        assert [[source.id, count] for source, count in grouped] == leaf["sources"]


def expect_estimates(projection: Projection, path: list[Entry], leaf: dict[str, Any]) -> None:
    messages = projection.messages
    estimates = [estimate_tokens(message) for message in messages]
    expected = leaf["estimateTokens"]
    if isinstance(expected, dict):
        assert {"sum": sum(estimates), "hash": hash16(estimates)} == expected
    else:
        assert estimates == expected
    assert fields(estimate_context(messages)) == leaf["estimateContextTokens"]
    assert fields(estimate_projection(projection)) == leaf["estimateProjectedContextTokens"]
    usage = last_assistant_usage(reversed(path))
    assert (usage and usage_tokens(usage)) == leaf["lastAssistantUsage"]


def fields(estimate: ContextEstimate) -> dict[str, Any]:
    return {
        "tokens": estimate.tokens,
        "usageTokens": estimate.usage_tokens,
        "trailingTokens": estimate.trailing_tokens,
        "lastUsageIndex": estimate.last_usage_index,
    }


def expect_prompt(projection: Projection, expected: dict[str, Any] | None) -> None:
    prompt = replay_prompt(projection.messages)
    if expected is None:
        assert prompt is None
        return
    assert prompt is not None
    assert "raw" not in expected or hash16(prompt) == hash16(expected["raw"])
    assert hash16(prompt) == expected["hash"]
    assert key_order(prompt.get("sections", {})) == expected.get("sections", [])
    assert [tool["name"] for tool in prompt.get("toolsAdded", [])] == expected.get("tools", [])
    assert estimate_tokens(prompt) == expected["tokens"]


def expect_request_messages(projection: Projection, expected: dict[str, Any]) -> None:
    messages = [item.message for item in to_model_messages(projection.items)]
    assert len(messages) == expected["n"]
    if not any(message["role"] in WORDED for message in projection.messages):
        assert hash16(messages) == expected["hash"]
