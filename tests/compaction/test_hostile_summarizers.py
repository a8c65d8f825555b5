"""Summarizers that answer badly or not at all: the session ends usable, nothing false is stored.

Each case runs against a real HTTP server. `python -m bench.hostile` prints a table.
"""

from __future__ import annotations

import pytest

from support.fake_llm import SUMMARY
from support.hostile_summarizers import CASES, Case, run_case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_session_ends_usable(case: Case) -> None:
    outcome = await run_case(case)
    assert outcome.wasted <= 2
    assert outcome.tokens_after < outcome.tokens_before
    assert outcome.stored_entries == 1
    assert outcome.has_request_and_rule
    assert outcome.headings_missing == []
    assert not outcome.leaked
    assert outcome.from_extractor == case.falls_back


async def test_a_repaired_answer_is_stored() -> None:
    case = Case("first empty, then good", ({"text": ""}, {"text": SUMMARY}), falls_back=False)
    outcome = await run_case(case)
    assert (outcome.wasted, outcome.from_extractor) == (1, False)
