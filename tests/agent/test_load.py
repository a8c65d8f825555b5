"""Many turns and many sessions: no work, task or handle that grows with them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from support.stage import entries_of

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]

CALLS = [{"name": "ls", "arguments": {"path": "."}}] * 5
TURN: dict[str, Any] = {"text": "on", "tools": CALLS, "usage": {"prompt": 1000, "completion": 5}}


def open_handles() -> int:
    return len(os.listdir("/proc/self/fd"))


async def test_a_long_run_leaves_no_tasks_and_no_handles(stage_with: Build) -> None:
    stage = stage_with([TURN] * 40 + [{"text": "done"}], window=None)
    session = await stage.open()
    tasks: list[int] = []
    handles: list[int] = []

    def count(event: dict[str, Any]) -> None:
        if event["type"] == "turn_end":
            tasks.append(len(asyncio.all_tasks()))
            handles.append(open_handles())

    session.subscribe(count)
    await session.prompt("go")
    assert session.last_assistant_text() == "done"
    assert len(tasks) == 41
    assert max(tasks[20:]) <= max(tasks[:20])
    assert max(handles[20:]) <= max(handles[:20])
    path = session.manager.path
    assert path is not None
    results = [e for e in entries_of(path) if e.get("message", {}).get("role") == "toolResult"]
    assert len(results) == 200


async def test_twenty_sessions_at_once_do_not_mix(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}], window=None)
    stage.state.steps = [{"text": "ok", "delay": 0.05}]
    sessions = [await stage.open() for _ in range(20)]

    async def talk(number: int) -> None:
        for turn in range(3):
            await sessions[number].prompt(f"session {number} turn {turn}")

    await asyncio.gather(*(talk(number) for number in range(20)))
    for number, session in enumerate(sessions):
        said = [
            entry.message["content"][0]["text"]
            for entry in session.manager.get_branch()
            if entry.message and entry.message["role"] == "user"
        ]
        assert said == [f"session {number} turn {turn}" for turn in range(3)]
    assert len({session.session_id for session in sessions}) == 20
