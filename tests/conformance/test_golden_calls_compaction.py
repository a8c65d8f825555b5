"""`shouldCompact` and `serialize` on the literal arguments of the golden calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.compaction.serialize import serialize
from sapwood.compaction.settings import CompactionSettings, should_compact
from support.canonical import js_loads

CALLS = Path(__file__).parent.parent / "golden" / "sessions" / "calls.json"


def calls(function: str) -> list[Any]:
    return [call for call in js_loads(CALLS.read_text()) if call["fn"] == function]


def test_the_golden_file_holds_these_calls() -> None:
    assert (len(calls("shouldCompact")), len(calls("serialize"))) == (10, 39)


@pytest.mark.parametrize("call", calls("shouldCompact"), ids=lambda call: json.dumps(call["args"]))
def test_should_compact(call: Any) -> None:
    tokens, window, raw = call["args"]
    settings = CompactionSettings(raw["enabled"], raw["reserveTokens"], raw["keepRecentTokens"])
    assert should_compact(tokens, window, settings) is call["value"]


@pytest.mark.parametrize("number", range(39))
def test_serialize(number: int) -> None:
    call = calls("serialize")[number]
    (messages,) = call["args"]
    text = serialize(messages)
    if messages and messages[0]["role"] == "bashExecution":  # worded by each program itself
        assert (text == "") == (call["value"] == "")
        assert text == "" or messages[0]["output"].strip() in text
    else:
        assert text == call["value"]
