"""Compaction through the session: cancelling, queued messages, hooks, failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sapwood.agent.activity import Activity, BusyError
from sapwood.agent.compacting import CompactionCancelledError
from sapwood.errors import CompactionError
from support.fake_llm import SUMMARY
from support.stage import request_texts, words

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]
SMALL = {"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}}
ANSWER = {"text": words("answer", 200), "usage": {"prompt": 1000, "completion": 20}}


def slow_summary(seconds: float) -> dict[str, Any]:
    return {"text": SUMMARY, "delay": seconds}


async def filled(stage: Stage) -> AgentSession:
    session = await stage.open()
    for number in range(3):
        await session.prompt(words(f"question{number}", 200))
    return session


def prefix_is_unchanged(path: Path | None, before: bytes) -> bool:
    assert path is not None
    return path.read_bytes().startswith(before)


async def test_a_manual_compaction_stores_one_entry_and_keeps_what_was_there(
    stage_with: Build,
) -> None:
    stage = stage_with([ANSWER], settings=SMALL)
    session = await filled(stage)
    path = session.manager.path
    assert path is not None
    before = path.read_bytes()
    result = await session.compact()
    assert result.summary
    assert result.tokens_before > 0
    entries = session.manager.get_entries()
    assert [entry.type for entry in entries].count("compaction") == 1
    assert prefix_is_unchanged(path, before)
    await session.prompt("on we go")
    assert request_texts(stage.bodies()[-1])[0][0] == "user"


async def test_the_focus_is_in_every_summary_request(stage_with: Build) -> None:
    """B65."""
    call = {"name": "bash", "arguments": {"command": "seq 1 250"}}
    steps: list[dict[str, Any]] = [{"text": "s", "tools": [call]}] * 6
    stage = stage_with([ANSWER, *steps, {"text": "end"}], settings=SMALL)
    session = await stage.open()
    await session.prompt(words("start", 200))
    await session.prompt("one long turn")
    await session.compact("canary-focus")
    summaries = stage.bodies("summary")
    assert len(summaries) == 2
    assert all("canary-focus" in str(body) for body in summaries)
    assert all("tools" not in body and "tool_choice" not in body for body in summaries)


@pytest.mark.parametrize("ending", ["done", "cancelled", "failed"])
async def test_messages_sent_meanwhile_reach_the_model_once_and_in_order(
    stage_with: Build, ending: str
) -> None:
    """B70, B37."""
    summary = {"error": {"status": 400, "body": {}}, "delay": 0.4}
    summaries = [summary] * 3 if ending == "failed" else [slow_summary(0.4)] * 2
    stage = stage_with([ANSWER], summaries, settings=SMALL)
    session = await filled(stage)
    asked = len(stage.bodies())
    compaction = asyncio.ensure_future(session.compact())
    await stage.until(lambda: "summary" in stage.kinds())
    prompted = asyncio.ensure_future(session.prompt("one"))
    await asyncio.sleep(0)
    session.steer("two")
    session.follow_up("three")
    if ending == "cancelled":
        session.abort_compaction()
        with pytest.raises(CompactionCancelledError):
            await compaction
    else:
        await compaction
    await prompted
    await session.wait_for_idle()
    said = [m["content"][0]["text"] for m in user_messages(session)[3:]]
    assert said == ["two", "one", "three"], "steering first, follow-ups in order"
    assert len(stage.bodies()) == asked + 3
    assert not session.queued


def user_messages(session: AgentSession) -> list[dict[str, Any]]:
    messages = [entry.message for entry in session.manager.get_branch() if entry.message]
    return [message for message in messages if message["role"] == "user"]


async def test_cancelling_closes_the_connection_and_stores_nothing(stage_with: Build) -> None:
    """B71."""
    stage = stage_with([ANSWER], [slow_summary(30)], settings=SMALL)
    session = await filled(stage)
    path = session.manager.path
    assert path is not None
    before = path.read_bytes()
    compaction = asyncio.ensure_future(session.compact())
    await stage.until(lambda: "summary" in stage.kinds())
    with pytest.raises(BusyError):
        await session.compact()
    session.abort_compaction()
    with pytest.raises(CompactionCancelledError):
        await asyncio.wait_for(compaction, 1)
    assert path.read_bytes() == before
    assert session.is_idle
    ended = stage.last_event("compaction_end")
    assert (ended["aborted"], "result" in ended) == (True, False)


async def test_abort_cancels_an_automatic_compaction_too(stage_with: Build) -> None:
    full = {"text": words("answer", 200), "usage": {"prompt": 7000, "completion": 20}}
    stage = stage_with([ANSWER, full], [slow_summary(30)], settings=SMALL)
    session = await stage.open()
    await session.prompt(words("one", 200))
    run = asyncio.ensure_future(session.prompt(words("two", 200)))
    await stage.until(lambda: session.activity is Activity.COMPACTING)
    await stage.until(lambda: "summary" in stage.kinds())
    with pytest.raises(BusyError):
        await session.compact()
    await asyncio.wait_for(session.abort(), 1)
    await run
    assert session.is_idle
    assert "compaction" not in [entry.type for entry in session.manager.get_entries()]


async def test_an_unusable_summarizer_leaves_it_to_the_extractor(stage_with: Build) -> None:
    """B78, W5: the session goes on, whatever the summarizer does."""
    stage = stage_with([ANSWER], [{"error": {"status": 400, "body": {}}}] * 9, settings=SMALL)
    session = await filled(stage)
    result = await session.compact()
    assert result.from_extractor
    assert any("extractor" in e["message"] for e in stage.events if e["type"] == "notice")
    await session.prompt("still here")
    assert session.last_assistant_text() == ANSWER["text"]


async def test_trouble_that_passes_is_waited_for_and_told(stage_with: Build) -> None:
    settings = SMALL | {"retry": {"baseDelayMs": 1}}
    stage = stage_with([ANSWER], [{"error": "500"}, {"text": SUMMARY}], settings=settings)
    session = await filled(stage)
    result = await session.compact()
    assert not result.from_extractor
    kinds = [kind for kind in stage.event_types() if kind.startswith("summarization_")]
    assert kinds == [
        "summarization_retry_scheduled",
        "summarization_retry_attempt_start",
        "summarization_retry_finished",
    ]


async def test_nothing_to_compact_is_said_and_nothing_is_asked(stage_with: Build) -> None:
    """B79."""
    stage = stage_with([ANSWER], settings=SMALL)
    session = await stage.open()
    with pytest.raises(CompactionError, match="nothing to compact"):
        await session.compact()
    assert stage.requests == []
    assert session.manager.get_entries() == []


async def test_the_prompt_and_tools_survive_a_compaction_once(stage_with: Build) -> None:
    """B46."""
    stage = stage_with([ANSWER], settings=SMALL)
    session = await filled(stage)
    await session.compact()
    await session.prompt("next")
    before, after = stage.bodies()[0], stage.bodies()[-1]
    assert before["messages"][0] == after["messages"][0]
    assert before["tools"] == after["tools"]
    assert [m["role"] for m in after["messages"]].count("system") == 1


async def test_a_summary_by_another_model(stage_with: Build) -> None:
    """W6."""
    settings = {"compaction": SMALL["compaction"] | {"model": "fake/fake-large"}}
    stage = stage_with([ANSWER], settings=settings)
    session = await filled(stage)
    await session.compact()
    assert {body["model"] for body in stage.bodies("summary")} == {"fake-large"}
    assert {body["model"] for body in stage.bodies()} == {"fake-1"}


EXTENSION = """
def extension(api):
    def before(event):
        return {mode}
    api.on("session_before_compact", before)
    def note(event):
        api.append_entry("seen", {{"reason": event["reason"], "hook": event["fromExtension"]}})
    api.on("session_compact", note)
"""


async def test_what_one_compaction_kept_is_in_the_next_summary_request(stage_with: Build) -> None:
    """B46, B47: nothing falls between two compactions; prompt and tools go with each request."""
    stage = stage_with([ANSWER], settings=SMALL)
    session = await stage.open()
    for number in range(3):
        await session.prompt(words(f"canary{number}a", 200))
        await session.prompt(words(f"canary{number}b", 200))
        await session.compact()
    await session.prompt("and now")
    for number, body in enumerate(stage.bodies("summary")):
        asked = str(body["messages"])
        seen = {n for n in range(3) if f"canary{n}a" in asked or f"canary{n}b" in asked}
        assert seen <= {number - 1, number}, "what was summarized is not sent again"
        kept = str(stage.bodies()[2 * number + 1]["messages"])
        assert f"canary{number}a" in asked or f"canary{number}a" in kept
    everything = str([body["messages"] for body in stage.bodies("summary")])
    last = str(stage.bodies()[-1]["messages"])
    for canary in (f"canary{n}{part}" for n in range(3) for part in "ab"):
        assert canary in everything or canary in last
    assert all(body["tools"] == stage.bodies()[0]["tools"] for body in stage.bodies())


async def test_a_compaction_on_another_branch_does_not_count(stage_with: Build) -> None:
    """B47: the newest compaction of the active path is in force, not the newest of the file."""
    stage = stage_with([ANSWER], settings=SMALL)
    session = await filled(stage)
    leaf = session.manager.get_leaf()
    assert leaf is not None
    await session.compact()
    await session.navigate_tree(leaf)
    await session.prompt("on the branch without one")
    asked = str(stage.bodies()[-1]["messages"])
    assert "question0" in asked


async def test_an_extension_writes_the_summary(stage_with: Build, tmp_path: Path) -> None:
    stage = stage_with([ANSWER], settings=SMALL)
    own = (
        '{"compaction": {"summary": "by an extension", "firstKeptEntryId": '
        'event["preparation"].first_kept_entry_id, "tokensBefore": 5}}'
    )
    file = tmp_path / "own.py"
    file.write_text(EXTENSION.format(mode=own))
    session = await stage.open(extensions=[file])
    for number in range(3):
        await session.prompt(words(f"question{number}", 200))
    await session.compact()
    await session.extensions.flush()
    entry = next(e for e in session.manager.get_entries() if e.type == "compaction")
    assert (entry.data["summary"], entry.data["fromHook"]) == ("by an extension", True)
    assert "details" not in entry.data
    seen = next(e for e in session.manager.get_entries() if e.data.get("customType") == "seen")
    assert seen.data["data"] == {"reason": "manual", "hook": True}
    assert "summary" not in stage.kinds()


async def test_an_extension_keeps_nothing_but_its_summary(
    stage_with: Build, tmp_path: Path
) -> None:
    stage = stage_with([ANSWER], settings=SMALL)
    file = tmp_path / "own.py"
    file.write_text(
        EXTENSION.format(mode='{"compaction": {"summary": "all of it", "tokensBefore": 5}}')
    )
    session = await stage.open(extensions=[file])
    for number in range(3):
        await session.prompt(words(f"question{number}", 200))
    await session.compact()
    await session.prompt("and now")
    asked = str(stage.bodies()[-1]["messages"])
    assert "all of it" in asked
    assert "question2" not in asked


async def test_an_extension_cannot_keep_from_an_entry_that_is_not_there(
    stage_with: Build, tmp_path: Path
) -> None:
    stage = stage_with([ANSWER], settings=SMALL)
    file = tmp_path / "own.py"
    own = '{"compaction": {"summary": "s", "firstKeptEntryId": "nowhere", "tokensBefore": 5}}'
    file.write_text(EXTENSION.format(mode=own))
    session = await stage.open(extensions=[file])
    for number in range(3):
        await session.prompt(words(f"question{number}", 200))
    with pytest.raises(CompactionError, match="nowhere"):
        await session.compact()
    assert "compaction" not in [e.type for e in session.manager.get_entries()]


async def test_an_extension_cancels_a_compaction(stage_with: Build, tmp_path: Path) -> None:
    stage = stage_with([ANSWER], settings=SMALL)
    file = tmp_path / "no.py"
    file.write_text(EXTENSION.format(mode='{"cancel": True}'))
    session = await stage.open(extensions=[file])
    for number in range(3):
        await session.prompt(words(f"question{number}", 200))
    with pytest.raises(CompactionCancelledError):
        await session.compact()
    assert "compaction" not in [e.type for e in session.manager.get_entries()]
    assert session.is_idle
