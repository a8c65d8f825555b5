"""Leaving a branch with a summary: what is in it, where it goes, what happens when it fails."""

from __future__ import annotations

import asyncio

import pytest

from sapwood.compaction.branch import (
    BranchSummaryResult,
    apply_branch_summary,
    branch_budget,
    collect_branch,
    prepare_branch_summary,
    summarize_branch,
)
from sapwood.compaction.compact import apply_compaction, compact
from sapwood.compaction.prepare import prepare_compaction
from sapwood.compaction.retain import set_retained
from sapwood.compaction.settings import BranchSummarySettings, CompactionSettings
from sapwood.errors import CompactionError
from sapwood.session.manager import SessionManager
from support.fake_llm import SUMMARY
from support.http_summarizer import HttpSummarizer, scripted_summarizer
from support.message_makers import assistant, call, context_text, result, session, turns, user

RULE = "Never use floats for money."


def branched() -> tuple[SessionManager, str]:
    """A session that stands at the end of a branch, and the entry to go back to."""
    manager = session(*turns(2))
    target = manager.get_leaf()
    assert target is not None
    for message in [
        user(f"Try decimals. {RULE}"),
        assistant("", call("w", "write", path="money.py"), call("e", "edit", path="fail.py")),
        result("w", "written SECRET-RESULT", name="write"),
        result("e", "no match", name="edit", error=True),
        assistant("We decided against decimals because the database has none."),
    ]:
        manager.append_message(message)
    return manager, target


def left(
    manager: SessionManager,
    target: str,
    summarizer: HttpSummarizer | None = None,
    focus: str | None = None,
    budget: int = 0,
) -> BranchSummaryResult:
    branch = collect_branch(manager.tree, manager.get_leaf(), target)
    preparation = prepare_branch_summary(branch, budget)
    outcome = asyncio.run(summarize_branch(preparation, summarizer, focus, retry_delay=0))
    apply_branch_summary(manager, target, outcome)
    return outcome


@pytest.mark.parametrize("by_model", [True, False])
def test_the_summary_stands_at_the_target_and_names_the_leaf_that_was_left(by_model: bool) -> None:
    manager, target = branched()
    leaf = manager.get_leaf()
    with scripted_summarizer({"text": SUMMARY}) as summarizer:
        outcome = left(manager, target, summarizer if by_model else None, "the money part")
    entry = manager.get_leaf_entry()
    assert entry is not None
    assert (entry.type, entry.parent_id, entry.data["fromId"]) == ("branch_summary", target, leaf)
    assert entry.data["details"] == {"readFiles": [], "modifiedFiles": ["money.py"]}
    assert ("usage" in entry.data) == by_model
    assert outcome.from_extractor != by_model
    if by_model:
        assert "the money part" in summarizer.prompts[0]
        assert "SECRET-RESULT" not in summarizer.prompts[0]
    else:
        assert "decided against decimals" in outcome.summary


def test_the_rules_of_the_branch_go_on_and_its_request_does_not() -> None:
    manager, target = branched()
    left(manager, target)
    context = context_text(manager)
    assert f"User's rule: {RULE}" in context
    assert "<latest-request>" not in context
    for message in turns(8, start=10):
        manager.append_message(message)
    preparation = prepare_compaction(manager.tree, CompactionSettings(keep_recent_tokens=300))
    assert preparation is not None
    apply_compaction(manager, asyncio.run(compact(preparation, None)))
    context = context_text(manager)
    assert context.count(f"User's rule: {RULE}") == 1
    assert "Tried on another branch: Try decimals" in context
    assert "First request: Try decimals" not in context


def test_a_pin_of_the_branch_is_carried_by_its_summary_and_by_later_compactions() -> None:
    manager, target = branched()
    pinned = manager.get_leaf()
    assert pinned is not None
    set_retained(manager, pinned, True)
    left(manager, target)
    block = f'<retained entry=\\"{pinned}\\">'
    assert block in context_text(manager)
    for message in turns(8, start=10):
        manager.append_message(message)
    preparation = prepare_compaction(manager.tree, CompactionSettings(keep_recent_tokens=300))
    assert preparation is not None
    apply_compaction(manager, asyncio.run(compact(preparation, None)))
    assert block in context_text(manager)


def test_a_long_branch_keeps_to_the_budget_and_says_what_it_left_out() -> None:
    manager, target = branched()
    for message in turns(40, size=4000, start=20):
        manager.append_message(message)
    budget = branch_budget(16_000, BranchSummarySettings())
    with scripted_summarizer({"text": SUMMARY}, context_window=16_000) as summarizer:
        outcome = left(manager, target, summarizer, budget=budget)
    assert "messages did not fit" in summarizer.prompts[0].replace("of the branch ", "")
    assert outcome.summary.startswith("The oldest")
    assert "Request 59" in "".join(summarizer.prompts)
    assert "Request 20:" not in "".join(summarizer.prompts)


def test_what_was_left_out_or_excluded_on_the_branch_stays_out() -> None:
    manager, target = branched()
    hidden = manager.append_message(user("CANARY one, you must never say it"))
    manager.append_context_edit(hidden, None)
    command = {"role": "bashExecution", "command": "CANARY two", "output": "CANARY", "timestamp": 0}
    flags = {"cancelled": False, "truncated": False, "excludeFromContext": True}
    manager.append_message({**command, **flags})
    with scripted_summarizer({"text": ""}, {"text": ""}) as summarizer:
        outcome = left(manager, target, summarizer)
    assert "CANARY" not in "".join(summarizer.prompts)
    assert "CANARY" not in outcome.summary


def test_a_failing_model_is_replaced_by_the_extractor_with_a_notice() -> None:
    manager, target = branched()
    with scripted_summarizer(*[{"error": "500"}] * 5) as summarizer:
        outcome = left(manager, target, summarizer)
    assert outcome.from_extractor
    assert len(summarizer.prompts) == 2
    assert "HTTP 500" in outcome.notices[0]


def test_nothing_to_summarize_is_an_error_and_moves_nothing() -> None:
    manager, _ = branched()
    leaf, count = manager.get_leaf(), len(manager.get_entries())
    branch = collect_branch(manager.tree, leaf, leaf)
    with pytest.raises(CompactionError):
        asyncio.run(summarize_branch(prepare_branch_summary(branch), None))
    assert (manager.get_leaf(), len(manager.get_entries())) == (leaf, count)
