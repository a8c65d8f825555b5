"""Compaction against models and extensions that misbehave, and cancelled at every stage."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sapwood.agent.activity import Activity
from sapwood.agent.compacting import CompactionCancelledError
from sapwood.compaction.prompts import FIRST, compaction_prompt
from sapwood.errors import CompactionError
from support.fake_llm import SUMMARY
from support.stage import words

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]
SMALL = {
    "compaction": {"reserveTokens": 2000, "keepRecentTokens": 300},
    "retry": {"baseDelayMs": 1},
}
ANSWER = {"text": words("answer", 200), "usage": {"prompt": 1000, "completion": 20}}
CHINESE = (
    SUMMARY.replace("Goal", "目标").replace("Progress", "进展").replace("Next Steps", "下一步")
)


async def filled(stage: Stage, **options: Any) -> AgentSession:
    session = await stage.open(**options)
    for number in range(3):
        await session.prompt(words(f"question{number}", 200))
    return session


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"text": CHINESE}, "lacks the heading"),
        ({"text": compaction_prompt("x", FIRST)}, "repeats the instructions"),
        ({"text": f"<conversation>\n[User]: a\n\n[Assistant]: b\n\n{SUMMARY}"}, "repeats the conv"),
        ({"text": SUMMARY + "\n- and more" * 700}, "too long"),
        ({"text": SUMMARY * 400}, "cut off"),
        ({"thinking": "Hm, let me think about it. " * 20}, "empty"),
        ({"thinking": "Hm. " * 20_000}, "cut off"),
        ({"text": SUMMARY, "drop": True}, ""),
    ],
    ids=["language", "prompt", "wrapper", "long", "endless", "thought", "endless-thought", "drop"],
)
async def test_whatever_a_summarizer_answers_the_session_goes_on(
    stage_with: Build, answer: dict[str, Any], told: str
) -> None:
    stage = stage_with([ANSWER], [answer] * 9, settings=SMALL)
    session = await filled(stage)
    result = await session.compact()
    assert result.from_extractor
    assert told in result.notices[0]
    assert session.is_idle
    await session.prompt("still here")
    assert session.last_assistant_text() == ANSWER["text"]


async def test_an_answer_without_an_end_is_hung_up_on(stage_with: Build) -> None:
    """Ten megabytes where 1,000 tokens were allowed: most of it is never read."""
    stage = stage_with([ANSWER], [{"text": "word " * 2_000_000}] * 2, settings=SMALL)
    session = await filled(stage)
    result = await asyncio.wait_for(session.compact(), 10)
    assert "cut off" in result.notices[0]


EXTENSION = """
import asyncio

def extension(api):
    async def before(event):
        {}

    api.on("session_before_compact", before)
"""


async def test_an_extension_that_keeps_from_nowhere_is_refused(stage_with: Build) -> None:
    own = {"summary": "s", "firstKeptEntryId": "nowhere", "tokensBefore": 9}
    stage = stage_with([ANSWER], settings=SMALL)
    session = await filled(
        stage, extensions=[write_extension(stage, f"return {{'compaction': {own}}}")]
    )
    before = session.manager.get_leaf()
    with pytest.raises(CompactionError, match="no entry here"):
        await session.compact()
    assert (session.manager.get_leaf(), session.is_idle) == (before, True)
    assert "no entry here" in stage.last_event("compaction_end")["errorMessage"]


def write_extension(stage: Stage, code: str) -> Path:
    path = stage.agent_dir / "one.py"
    path.write_text(EXTENSION.format(code), encoding="utf-8")
    return path


SLOW = {"text": SUMMARY, "delay": 30}
BAD = {"text": "OK"}


@pytest.mark.parametrize(
    ("summaries", "extension", "asked"),
    [
        ([SLOW], None, 1),
        ([BAD, SLOW], None, 2),
        ([{"error": "500"}], None, 1),
        ([{"text": SUMMARY}], "await asyncio.sleep(30)", 0),
    ],
    ids=["asking", "asking again", "waiting to retry", "extension"],
)
async def test_cancelled_at_any_stage_nothing_is_stored(
    stage_with: Build, summaries: list[dict[str, Any]], extension: str | None, asked: int
) -> None:
    """B71: and the state is idle."""
    settings = SMALL | {"retry": {"baseDelayMs": 30_000}}
    stage = stage_with([ANSWER], summaries, settings=settings)
    files = [write_extension(stage, extension)] if extension else []
    session = await filled(stage, extensions=files)
    path = session.manager.path
    assert path is not None
    before = path.read_bytes()
    compaction = asyncio.ensure_future(session.compact())
    await stage.until(
        lambda: session.activity is Activity.COMPACTING and len(stage.bodies("summary")) == asked
    )
    await asyncio.sleep(0.05)  # into the wait that follows the request
    session.abort_compaction()
    with pytest.raises(CompactionCancelledError):
        await asyncio.wait_for(compaction, 2)
    assert (path.read_bytes(), session.is_idle) == (before, True)
    await session.prompt("still here")
    assert session.last_assistant_text() == ANSWER["text"]


async def test_a_giant_focus_does_not_take_the_room_of_the_conversation(stage_with: Build) -> None:
    stage = stage_with([ANSWER], [{"text": SUMMARY}], settings=SMALL)
    session = await filled(stage)
    result = await session.compact("the CANARY part, " + "please " * 50_000)
    assert not result.from_extractor
    assert "the CANARY part" in str(stage.bodies("summary")[0])


async def test_compacting_again_at_once_does_nothing_and_says_so(stage_with: Build) -> None:
    stage = stage_with([ANSWER], [{"text": SUMMARY}], settings=SMALL)
    session = await filled(stage)
    await session.compact()
    entries = len(session.manager.get_entries())
    with pytest.raises(CompactionError, match="nothing to compact"):
        await session.compact()
    assert len(session.manager.get_entries()) == entries
    assert session.is_idle
