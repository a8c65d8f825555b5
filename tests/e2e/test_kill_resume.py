"""Kill -9 at any point of a run with parallel tools; then resume: the next request is accepted."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sapwood import SessionManager
from support.command import sapwood, start_sapwood
from support.stage import entries_of, request_texts

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


def five_calls(number: int) -> dict[str, Any]:
    commands = [f"sleep 0.{5 - each}; echo round-{number}-call-{each}" for each in range(5)]
    tools = [{"name": "bash", "arguments": {"command": command}} for command in commands]
    return {"text": f"round {number}", "tools": tools}


def session_file(stage: Stage) -> Path | None:
    return next(iter((stage.agent_dir / "sessions").rglob("*.jsonl")), None)


def lines_in(stage: Stage) -> int:
    path = session_file(stage)
    return path.read_bytes().count(b"\n") if path else 0


@pytest.mark.parametrize("lines", [4, 6, 7, 9, 11, 13, 15])
async def test_the_next_request_is_accepted_after_a_kill(stage_with: Build, lines: int) -> None:
    """`lines`: how much of the session is on disk when the process is killed."""
    stage = stage_with([five_calls(1), five_calls(2), {"text": "done"}])
    process = start_sapwood(["-p", "work"], cwd=stage.project, agent_dir=stage.agent_dir)
    deadline = time.monotonic() + 40
    while lines_in(stage) < lines and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    path = session_file(stage)
    assert path is not None
    before = path.read_bytes()
    stage.state.steps = [{"text": "resumed"}]
    stage.state.n = 0
    done = sapwood(["-c", "-p", "go on"], cwd=stage.project, agent_dir=stage.agent_dir)
    assert (done.returncode, done.stdout) == (0, b"resumed\n"), done.stderr
    whole = before[: before.rfind(b"\n") + 1]
    assert path.read_bytes().startswith(whole)
    said = request_texts(stage.bodies()[-1])
    assert said[0][1].startswith("work")
    assert said[-1][1].endswith("go on")
    for entry in entries_of(path):
        message = entry.get("message", {})
        if message.get("role") == "toolResult" and not message["isError"]:
            output = message["content"][0]["text"].strip()
            assert any(output in text for _, text in said), "a real result was replaced"


async def test_a_session_killed_before_any_answer_is_there(stage_with: Build) -> None:
    """B17."""
    stage = stage_with([{"text": "never", "delay": 20}])
    process = start_sapwood(["-p", "typed words"], cwd=stage.project, agent_dir=stage.agent_dir)
    await stage.until(lambda: bool(stage.requests), 40)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    path = session_file(stage)
    assert path is not None
    with SessionManager.open(path) as manager:
        roles = [entry.message["role"] for entry in manager.get_branch() if entry.message]
    assert roles == ["system", "user"]


async def test_terminating_a_compaction_leaves_a_clean_file(stage_with: Build) -> None:
    """B71: SIGTERM while the summary is being written."""
    from support.stage import words

    answer = {"text": words("a", 400), "usage": {"prompt": 7000, "completion": 20}}
    stage = stage_with(
        [answer],
        [{"text": "slow", "delay": 30}],
        settings={"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}},
    )
    process = start_sapwood(
        ["-p", words("one", 300), words("two", 300)], cwd=stage.project, agent_dir=stage.agent_dir
    )
    await stage.until(lambda: "summary" in stage.kinds(), 40)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 143
    path = session_file(stage)
    assert path is not None
    assert "compaction" not in [entry["type"] for entry in entries_of(path)]
