"""What was spent: per model, per branch, in all; summaries included, copies counted once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sapwood import SessionManager
from sapwood.agent.stats import session_stats
from support.lifecycle import ids
from support.stage import words

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


def say(text: str, prompt: int, completion: int, **more: Any) -> dict[str, Any]:
    return {"text": text, "usage": {"prompt": prompt, "completion": completion}, **more}


async def test_tokens_by_model_by_branch_and_in_all(stage_with: Build) -> None:
    stage = stage_with([say("a", 100, 10), say("b", 200, 20), say("c", 400, 40)])
    session = await stage.open()
    await session.prompt("q0")
    await session.prompt("q1")
    await session.navigate_tree(ids(session)[6])
    large = session.catalogue.get("fake", "fake-large")
    assert large is not None
    session.set_model(large)
    await session.prompt("q2")
    stats = session.get_session_stats()
    assert (stats.total.requests, stats.total.input, stats.total.output) == (3, 700, 70)
    assert (stats.branch.input, stats.branch.output) == (500, 50)
    by_model = {name: spent.tokens for name, spent in stats.by_model.items()}
    assert by_model == {"fake/fake-1": 330, "fake/fake-large": 440}
    assert stats.messages["user"] == 3


async def test_summaries_and_failed_attempts_count(stage_with: Build) -> None:
    summary = {"text": words("## Goal", 1), "usage": {"prompt": 50, "completion": 5}}
    stage = stage_with(
        [{"error": "500"}, say(words("a", 320), 100, 10), say(words("b", 320), 100, 10)],
        [summary] * 9,
        settings={
            "compaction": {"reserveTokens": 2000, "keepRecentTokens": 300},
            "retry": {"baseDelayMs": 1},
        },
    )
    session = await stage.open()
    await session.prompt(words("q0", 200))
    await session.prompt(words("q1", 200))
    await session.compact()
    stats = session.get_session_stats()
    asked = len(stage.bodies("summary"))
    assert stats.compactions == 1
    assert stats.summaries.tokens == 55 * asked
    assert stats.total.tokens == 220 + 55 * asked


async def test_what_a_fork_copied_is_counted_once(stage_with: Build) -> None:
    """B94: spend, fork twice, add up all files."""
    stage = stage_with([say("a", 1000, 100)])
    session = await stage.open()
    await session.prompt("q0")
    first = session.manager.path
    assert first is not None
    await session.clone()
    assert session.get_session_stats().total.tokens == 0
    assert session.get_session_stats().inherited.tokens == 1100
    assert session.get_session_stats().branch.tokens == 1100
    await session.prompt("q1")
    second = session.manager.path
    assert second is not None
    await session.dispose()
    third = SessionManager.fork_from(second, stage.project, stage.session_dir)
    everywhere = 0
    for manager in (SessionManager.open(first), SessionManager.open(second), third):
        with manager:
            everywhere += session_stats(manager).total.tokens
    assert everywhere == 2200


async def test_how_full_the_window_is(stage_with: Build) -> None:
    stage = stage_with([say("a", 1980, 20)])
    session = await stage.open()
    await session.prompt("q0")
    usage = session.get_context_usage()
    assert (usage.tokens, usage.context_window, usage.percent) == (2000, 8000, 25.0)
