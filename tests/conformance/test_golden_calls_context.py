"""`estimateTokens` equals the reference's on literal arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.context.estimate import estimate_tokens

CALLS = Path(__file__).parent.parent / "golden" / "sessions" / "calls.json"
ESTIMATES = [case for case in json.loads(CALLS.read_text()) if case["fn"] == "estimateTokens"]


@pytest.mark.parametrize("case", ESTIMATES, ids=range(len(ESTIMATES)))
def test_estimate_tokens(case: dict[str, Any]) -> None:
    assert estimate_tokens(case["args"][0]) == case["value"]
