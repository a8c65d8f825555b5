"""What the handlers of each event are told, over the life of a real session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sapwood.agent.extensions.hooks import EVENTS
from support.stage import words

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]

RECORDER = """
import json
ANSWERS = {answers!r}

def plain(value):
    return getattr(value, "id", None) or str(value)

def extension(api):
    def record(name):
        def heard(event):
            with open({log!r}, "a") as file:
                file.write(json.dumps([name, event], default=plain) + "\\n")
            return ANSWERS.get(name)
        api.on(name, heard)
    for name in {events!r}:
        record(name)
"""
SMALL = {"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}}


class Recorder:
    """An extension that writes down every event and gives fixed answers."""

    def __init__(self, stage: Stage, **answers: Any) -> None:
        self.log = stage.agent_dir / "heard.jsonl"
        self.file = stage.agent_dir / "recorder.py"
        self.file.write_text(
            RECORDER.format(answers=answers, log=str(self.log), events=list(EVENTS)), "utf-8"
        )

    async def heard(self, session: AgentSession, *names: str) -> list[tuple[str, Any]]:
        """The events so far, of these names if any are given."""
        await session.extensions.flush()
        rows = [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]
        return [(name, event) for name, event in rows if not names or name in names]

    async def only(self, session: AgentSession, name: str) -> Any:
        ((_, event),) = await self.heard(session, name)
        return event


async def recorded(stage: Stage, **answers: Any) -> tuple[AgentSession, Recorder]:
    recorder = Recorder(stage, **answers)
    return await stage.open(extensions=[recorder.file], discover_extensions=False), recorder


async def test_a_session_from_beginning_to_end(stage_with: Build) -> None:
    call = {"name": "bash", "arguments": {"command": "echo hi"}}
    stage = stage_with([{"tools": [call]}, {"text": "done"}])
    session, recorder = await recorded(stage)
    await session.prompt("go")
    await session.new_session()
    await session.dispose()
    rows = await recorder.heard(session)
    without_messages = [name for name, _ in rows if not name.startswith("message_")]
    assert without_messages == [
        "session_start",
        "input",
        "agent_start",
        "turn_start",
        "tool_call",
        "tool_result",
        "turn_end",
        "turn_start",
        "turn_end",
        "agent_end",
        "agent_settled",
        "session_shutdown",
        "session_start",
        "session_shutdown",
    ]
    reasons = [event["reason"] for name, event in rows if name.startswith("session_")]
    assert reasons == ["open", "switch", "switch", "quit"]
    told = dict(rows)
    assert told["input"] == {"text": "go", "images": [], "source": "prompt"}
    assert told["tool_call"] == {
        "toolName": "bash",
        "toolCallId": "call_1",
        "input": {"command": "echo hi"},
    }
    assert told["tool_result"]["content"] == [{"type": "text", "text": "hi"}]
    assert told["tool_result"]["isError"] is False
    assert told["agent_settled"]["aborted"] is False
    assert told["agent_end"]["willRetry"] is False
    assert [message["role"] for message in told["agent_end"]["messages"]] == [
        "user",
        "assistant",
        "toolResult",
        "assistant",
    ]


async def test_a_compaction_that_is_done(stage_with: Build) -> None:
    stage = stage_with([{"text": words("a", 400)}], settings=SMALL)
    session, recorder = await recorded(stage)
    await session.prompt(words("one", 400))
    await session.prompt(words("two", 400))
    result = await session.compact("the numbers")
    before = await recorder.only(session, "session_before_compact")
    assert before["customInstructions"] == "the numbers"
    assert (before["reason"], before["willRetry"]) == ("manual", False)
    assert before["branchEntries"][-1] == session.manager.get_branch()[-2].id
    after = await recorder.only(session, "session_compact")
    assert after == {
        "compactionEntry": session.manager.get_leaf(),
        "fromExtension": False,
        "reason": "manual",
        "willRetry": False,
    }
    assert result.summary
    assert await recorder.heard(session, "session_compact_failed") == []


async def test_a_compaction_that_is_not_done(stage_with: Build) -> None:
    stage = stage_with([{"text": words("a", 400)}], settings=SMALL)
    session, recorder = await recorded(stage, session_before_compact={"cancel": True})
    await session.prompt(words("one", 400))
    await session.prompt(words("two", 400))
    leaf = session.manager.get_leaf()
    assert await refused(session) == "Compaction was cancelled."
    failed = await recorder.only(session, "session_compact_failed")
    assert (failed["reason"], failed["aborted"], failed["fromExtension"]) == ("manual", True, False)
    assert await recorder.heard(session, "session_compact") == []
    assert session.manager.get_leaf() == leaf


async def refused(session: AgentSession) -> str:
    from sapwood.errors import CompactionError

    try:
        await session.compact()
    except CompactionError as error:
        return str(error)
    raise AssertionError("it was done")


async def test_a_move_in_the_tree(stage_with: Build) -> None:
    stage = stage_with([{"text": "one"}, {"text": "two"}])
    answers = {"summary": {"summary": "what was left"}, "label": "turning point"}
    session, recorder = await recorded(stage, session_before_tree=answers)
    await session.prompt("first")
    target = session.manager.get_leaf()
    await session.prompt("second")
    old_leaf = session.manager.get_leaf()
    assert target is not None
    moved = await session.navigate_tree(target, summary="focused", focus="names")
    preparation = (await recorder.only(session, "session_before_tree"))["preparation"]
    assert len(preparation.pop("entriesToSummarize")) == 2
    assert preparation == {
        "targetId": target,
        "oldLeafId": old_leaf,
        "commonAncestorId": target,
        "userWantsSummary": True,
        "customInstructions": "names",
        "replaceInstructions": False,
        "label": None,
    }
    summary = moved.summary_entry
    assert summary is not None
    assert (summary.data["summary"], summary.data["fromHook"]) == ("what was left", True)
    assert session.manager.get_label(summary.id) == "turning point"
    tree = await recorder.only(session, "session_tree")
    assert tree == {
        "newLeafId": session.manager.get_leaf(),
        "oldLeafId": old_leaf,
        "summaryEntry": summary.id,
        "fromExtension": True,
    }
    assert stage.kinds() == ["chat", "chat"]


def test_the_docs_name_every_event() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "extensions.md").read_text("utf-8")
    assert [name for name in EVENTS if f"`{name}`" not in docs] == []
