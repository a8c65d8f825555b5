"""Whole runs equal the reference's: requests, recovery events, session files, by scenario.

`DIFFERENT` names, in one place, what differs on purpose, and why; `strict` is the one difference
that all share. Everything else must match.
``python -m pytest tests/conformance/test_golden_lifecycle.py -rP`` prints the table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.lifecycle import SCENARIOS, played
from support.stage import Stage

GOLDEN = Path(__file__).parent.parent / "golden" / "lifecycle"
SETTINGS = {
    "compaction": {"reserveTokens": 2000, "keepRecentTokens": 300},
    "retry": {"maxRetries": 2, "baseDelayMs": 1},
}

DIFFERENT: dict[str, dict[str, str]] = {
    "06-overflow-twice": {
        "events": "the final message about an overflow is not repeated before the next prompt",
    },
    "19-summary-failures": {
        "requests": "an unusable summary is asked for once more, then the extractor writes it",
        "events": "so one compaction succeeds where the reference fails twice",
    },
}
"""Scenario → part (``requests``, ``events``, ``sessions``) → reason."""

LINK_FIELDS = (
    "type",
    "parent",
    "version",
    "hasParentSession",
    "role",
    "stopReason",
    "content",
    "isError",
    "toolName",
    "target",
    "firstKeptEntry",
    "from",
    "customType",
    "name",
    "label",
    "replacement",
    "fromHook",
)
EVENT_FIELDS = (
    "type",
    "reason",
    "aborted",
    "willRetry",
    "attempt",
    "maxAttempts",
    "success",
    "failed",
)


def golden(name: str) -> dict[str, Any]:
    """The part of a golden file that does not depend on texts."""
    full = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return {
        "requests": [
            {"kind": r["kind"], "roles": strict(r["roles"], name), "tools": r["tools"]}
            for r in full["requests"]
        ],
        "events": [_only(event, EVENT_FIELDS) for event in full["events"]],
        "sessions": [[_link(link) for link in session] for session in full["sessions"]],
    }


def strict(roles: list[str], name: str) -> list[str]:
    """The order of roles that we make of the reference's, for every server to take (B80).

    Neighbours of one role are one message, and between a result and the user stands an answer. The
    image of a tool result is the exception: on this wire it comes as a message of the user.
    """
    ordered: list[str] = []
    for role in roles:
        if ordered and ordered[-1] == role and role in ("user", "assistant"):
            continue
        if ordered and (ordered[-1], role) == ("tool", "user") and name != "18-image":
            ordered.append("assistant")
        ordered.append(role)
    return ordered


def _only(record: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {field: record[field] for field in fields if field in record}


def _link(link: dict[str, Any]) -> dict[str, Any]:
    kept = _only(link, LINK_FIELDS)
    if link.get("role") == "user":
        kept["text"] = link["text"].split()[0]
    return kept


def as_set(sessions: list[list[dict[str, Any]]]) -> list[str]:
    """Session files in an order of their own: their names hold times and random ids."""
    return sorted(json.dumps(session, sort_keys=True) for session in sessions)


def test_every_golden_scenario_is_played() -> None:
    assert sorted(SCENARIOS) == sorted(path.stem for path in GOLDEN.glob("*.json"))


@pytest.mark.parametrize("name", sorted(SCENARIOS))
async def test_scenario(name: str, tmp_path: Path) -> None:
    stage = Stage(tmp_path, settings=SETTINGS)
    stage.state.steps.clear()
    try:
        await SCENARIOS[name](stage)
    finally:
        await stage.finish()
    expected, found = golden(name), played(stage)
    expected["sessions"], found["sessions"] = (
        as_set(expected["sessions"]),
        as_set(found["sessions"]),
    )
    reasons = DIFFERENT.get(name, {})
    verdicts = {
        part: "equal" if found[part] == expected[part] else reasons.get(part, "DIFFERENT")
        for part in expected
    }
    print(f"{name:24}", *(f"{part}: {verdict}" for part, verdict in verdicts.items()), sep=" | ")
    for part in expected:
        if part in reasons:
            assert found[part] != expected[part], f"{part} is equal now; forget the difference"
        else:
            assert found[part] == expected[part]
