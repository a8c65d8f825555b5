"""Stored answers are read as the reference reads them (`golden/sessions/calls.json`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sapwood.models.failures import is_overflow, is_recoverable_length, is_retryable

CALLS = Path(__file__).parent.parent / "golden" / "sessions" / "calls.json"

RULES: dict[str, Callable[..., bool]] = {
    "isContextOverflow": is_overflow,
    "isRetryable": is_retryable,
    "isRecoverableLength": is_recoverable_length,
}

# Throttling is a passing state of the server: wait and send again (the reference gives up).
DIFFERENT_ON_PURPOSE = {("isRetryable", "Throttling error: too many tokens"): True}


def golden_calls() -> list[dict[str, Any]]:
    calls = json.loads(CALLS.read_text(encoding="utf-8"))
    return [call for call in calls if call["fn"] in RULES]


def test_the_golden_file_has_all_three_rules() -> None:
    assert {call["fn"] for call in golden_calls()} == set(RULES)
    assert len(golden_calls()) == 176


@pytest.mark.parametrize(
    "call", golden_calls(), ids=lambda c: f"{c['fn']}-{c['args'][0].get('errorMessage', '')[:40]}"
)
def test_stored_answers_are_read_as_the_reference_reads_them(call: dict[str, Any]) -> None:
    expected = DIFFERENT_ON_PURPOSE.get(
        (call["fn"], call["args"][0].get("errorMessage", "")), call["value"]
    )

    assert RULES[call["fn"]](*call["args"]) is expected
