"""Runs through `AgentSession`: tools, queues, aborting, errors. Real server, files and tools."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from sapwood.agent.activity import Activity, BusyError
from sapwood.errors import ModelError
from support.stage import entries_of, request_texts

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def roles(body: dict[str, Any]) -> list[str]:
    return [role for role, _ in request_texts(body)]


async def test_parallel_calls_are_stored_after_their_answer_in_call_order(
    stage_with: Build,
) -> None:
    """B18: five calls that finish in reverse order, still there after reopening."""
    commands = [f"sleep 0.{4 - number}; echo call-{number}" for number in range(5)]
    stage = stage_with(
        [{"tools": [call("bash", command=command) for command in commands]}, {"text": "done"}]
    )
    session = await stage.open()
    await session.prompt("go")
    path = session.manager.path
    assert path is not None
    ended = [e["toolCallId"] for e in stage.events if e["type"] == "tool_execution_end"]
    entries = entries_of(path)
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    asked = next(m for m in messages if m["role"] == "assistant")
    order = [block["id"] for block in asked["content"]]
    results = [m for m in messages if m["role"] == "toolResult"]
    assert [m["toolCallId"] for m in results] == order
    assert ended != order, "the calls did not overlap, so the test shows nothing"
    assert [m["content"][0]["text"].split()[0] for m in results] == [f"call-{n}" for n in range(5)]
    assert all(b["parentId"] == a["id"] for a, b in itertools.pairwise(entries[1:]))
    assert [role for role, _ in request_texts(stage.bodies()[1])][-5:] == ["tool"] * 5


async def test_a_prompt_in_a_run_is_refused_and_queues_are_counted(stage_with: Build) -> None:
    stage = stage_with([{"text": "one", "delay": 0.3}, {"text": "two"}, {"text": "three"}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("first"))
    await stage.until(lambda: len(stage.requests) == 1)
    with pytest.raises(BusyError):
        await session.prompt("too early")
    session.steer("steer")
    session.follow_up("follow")
    assert session.queued.texts == ["steer", "follow"]
    await run
    assert not session.queued
    said = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert said == ["first", "steer", "follow"]
    await session.prompt("works again")


async def test_steering_goes_in_after_the_results_of_the_turn(stage_with: Build) -> None:
    stage = stage_with([{"tools": [call("bash", command="sleep 0.3; echo out")]}, {"text": "ok"}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("go"))
    await stage.until(lambda: "tool_execution_start" in stage.event_types())
    session.steer("mind the time")
    await run
    assert roles(stage.bodies()[1]) == ["user", "assistant", "tool", "assistant", "user"]
    assert len(stage.bodies()) == 2


async def test_both_queue_modes(stage_with: Build) -> None:
    for mode, requests in (("all", 2), ("one-at-a-time", 3)):
        stage = stage_with(
            [{"text": "one", "delay": 0.3}, {"text": "two"}, {"text": "three"}],
            settings={"followUpMode": mode},
        )
        session = await stage.open()
        run = asyncio.ensure_future(session.prompt("first"))
        await stage.until(lambda stage=stage: len(stage.requests) == 1)  # type: ignore[misc]
        session.follow_up("a")
        session.follow_up("b")
        await run
        assert len(stage.requests) == requests


async def test_a_message_steered_when_idle_starts_a_run(stage_with: Build) -> None:
    stage = stage_with([{"text": "one"}])
    session = await stage.open()
    session.steer("hello")
    assert session.activity is Activity.RUNNING
    await session.wait_for_idle()
    assert session.last_assistant_text() == "one"


async def test_aborting_an_answer_stores_what_came_and_leaves_the_session_usable(
    stage_with: Build,
) -> None:
    stage = stage_with([{"text": "x" * 4000, "delay": 5}, {"text": "ok"}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("go"))
    await stage.until(lambda: len(stage.requests) == 1)
    await asyncio.wait_for(session.abort(), 2)
    await run
    answer = session.last_answer()
    assert answer is not None
    assert answer["stopReason"] == "aborted"
    assert stage.last_event("agent_settled")["aborted"] is True
    assert session.is_idle
    await session.prompt("again")
    assert request_texts(stage.bodies()[1]) == [("user", "go\nagain")]


async def test_aborting_a_tool_kills_it_and_every_call_gets_a_result(
    stage_with: Build,
) -> None:
    stage = stage_with(
        [
            {
                "tools": [
                    call("bash", command="echo begun; sleep 60"),
                    call("bash", command="sleep 60"),
                ]
            },
            {"text": "ok"},
        ]
    )
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("go"))
    await stage.until(lambda: "tool_execution_update" in stage.event_types())
    await asyncio.wait_for(session.abort(), 10)
    await run
    assert len(stage.requests) == 1
    messages = [entry.message for entry in session.manager.get_branch() if entry.message]
    assert [m["role"] for m in messages[-4:]] == [
        "assistant",
        "toolResult",
        "toolResult",
        "assistant",
    ]
    assert [m.get("isError") for m in messages[-3:-1]] == [True, True]
    await session.prompt("again")
    assert roles(stage.bodies()[1])[:4] == ["user", "assistant", "tool", "tool"]


async def test_a_caller_that_is_cancelled_aborts_its_run(stage_with: Build) -> None:
    stage = stage_with([{"text": "never", "delay": 5}, {"text": "ok"}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("go"))
    await stage.until(lambda: len(stage.requests) == 1)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert session.is_idle
    assert session.last_answer()["stopReason"] == "aborted"  # type: ignore[index]


async def test_queued_messages_wait_after_an_abort_until_the_next_prompt(
    stage_with: Build,
) -> None:
    stage = stage_with([{"text": "slow", "delay": 5}, {"text": "one"}, {"text": "two"}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("first"))
    await stage.until(lambda: len(stage.requests) == 1)
    session.follow_up("later")
    await session.abort()
    await run
    assert session.is_idle
    assert session.queued.texts == ["later"]
    await session.prompt("next")
    said = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert said == ["first\nnext", "later"]


async def test_malformed_arguments_are_answered_and_the_session_goes_on(
    stage_with: Build,
) -> None:
    """B14."""
    stage = stage_with([{"text": "ok"}])
    session = await stage.open()
    stage.state.steps = [
        {"tools": [{"name": "read", "arguments": '{"path": "a", b": 2}'}]},
        {"text": "recovered"},
    ]
    await session.prompt("go")
    result = next(
        m for m in (e.message for e in session.manager.get_branch()) if m and "toolCallId" in m
    )
    assert result["isError"]
    assert session.last_assistant_text() == "recovered"


async def test_an_unknown_tool_and_a_missing_argument_are_errors_for_the_model(
    stage_with: Build,
) -> None:
    stage = stage_with([{"tools": [call("nothing"), call("read")]}, {"text": "ok"}])
    session = await stage.open()
    await session.prompt("go")
    results = [m for m in (e.message for e in session.manager.get_branch()) if m and "isError" in m]
    assert [m["isError"] for m in results] == [True, True]
    assert "nothing" in results[0]["content"][0]["text"]
    assert "path" in results[1]["content"][0]["text"]


async def test_calls_of_an_answer_that_was_cut_off_are_not_run(stage_with: Build) -> None:
    stage = stage_with(
        [
            {
                "tools": [call("write", path="x", content="y")],
                "finish": "length",
                "usage": {"prompt": 100, "completion": 1000},
            },
            {"text": "smaller now"},
        ]
    )
    session = await stage.open()
    await session.prompt("go")
    assert not (stage.project / "x").exists()
    assert "output limit" in dict(request_texts(stage.bodies()[1]))["tool"]
    assert session.last_assistant_text() == "smaller now"


async def test_an_answer_that_is_cut_off_again_and_again_ends_the_run(stage_with: Build) -> None:
    cut = {
        "tools": [call("write", path="x", content="y")],
        "finish": "length",
        "usage": {"prompt": 100, "completion": 1000},
    }
    stage = stage_with([cut])
    session = await stage.open()
    await session.prompt("go")
    assert len(stage.requests) == 3


async def test_without_a_model_a_prompt_is_refused_in_one_line(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    (stage.agent_dir / "models.json").unlink()
    session = await stage.open(model=None)
    if session.model is None:
        with pytest.raises(ModelError, match="--list-models"):
            await session.prompt("hello")
        assert session.manager.get_entries() == []


async def test_user_commands_wait_for_a_place_between_turns(stage_with: Build) -> None:
    """B19: nothing stands between a call and its result."""
    stage = stage_with([{"tools": [call("bash", command="sleep 0.5; echo out")]}, {"text": "ok"}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("go"))
    await stage.until(lambda: "tool_execution_start" in stage.event_types())
    await session.execute_bash("echo mine")
    session.send_message("note", "noted", display=True, details=None, trigger_turn=False)
    await run
    kinds = [
        entry.message["role"] if entry.message else entry.type
        for entry in session.manager.get_branch()
    ]
    assert kinds[-5:] == [
        "assistant",
        "toolResult",
        "bashExecution",
        "custom_message",
        "assistant",
    ]


async def test_commands_kept_from_the_model_are_kept_from_it(stage_with: Build) -> None:
    """B48."""
    stage = stage_with([{"text": "ok"}])
    session = await stage.open()
    await session.execute_bash("echo canary-secret", exclude_from_context=True)
    await session.execute_bash("echo canary-open")
    await session.prompt("go")
    body = str(stage.bodies()[0])
    assert "canary-open" in body
    assert "canary-secret" not in body


async def test_a_user_command_can_be_stopped(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    session = await stage.open()
    command = asyncio.ensure_future(session.execute_bash("echo begun; sleep 60"))
    await asyncio.sleep(0.3)
    session.abort_bash()
    message = await asyncio.wait_for(command, 10)
    assert message["cancelled"]
    assert "begun" in message["output"]


async def test_the_first_prompt_is_on_disk_before_any_answer(stage_with: Build) -> None:
    """B17."""
    stage = stage_with([{"text": "never", "delay": 5}])
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("remember this"))
    await stage.until(lambda: len(stage.requests) == 1)
    path = session.manager.path
    assert path is not None
    assert "remember this" in path.read_text()
    await session.abort()
    await run


async def test_events_come_in_the_documented_order(stage_with: Build) -> None:
    stage = stage_with([{"text": "a", "tools": [call("bash", command="echo hi")]}, {"text": "b"}])
    session = await stage.open()
    await session.prompt("go")
    seen = [
        f"{e['type']}:{e['message']['role']}" if e["type"].startswith("message_") else e["type"]
        for e in stage.events
        if e["type"] not in ("message_update", "entry_appended", "tool_execution_update")
    ]
    assert seen == [
        "agent_start",
        "turn_start",
        "message_start:system",
        "message_end:system",
        "message_start:user",
        "message_end:user",
        "message_start:assistant",
        "message_end:assistant",
        "tool_execution_start",
        "tool_execution_end",
        "message_start:toolResult",
        "message_end:toolResult",
        "turn_end",
        "turn_start",
        "message_start:assistant",
        "message_end:assistant",
        "turn_end",
        "agent_end",
        "agent_settled",
    ]


async def test_a_command_that_prints_the_key_holds_nothing_up(stage_with: Build) -> None:
    stage = stage_with([{"text": "an answer"}])
    go = stage.project / "go"
    command = f"while [ ! -e '{go}' ]; do sleep 0.02; done; echo key-of-the-command"
    file = stage.agent_dir / "models.json"
    config = json.loads(file.read_text())
    config["providers"]["fake"]["apiKey"] = f"!{command}"
    file.write_text(json.dumps(config))
    session = await stage.open()
    run = asyncio.create_task(session.prompt("hello"))
    await asyncio.sleep(0)
    session.set_session_name("renamed meanwhile")
    go.touch()
    await run
    assert session.last_assistant_text() == "an answer"
