"""Everything that can be asked of a session, asked at any moment: it stays alive and valid.

The strict check of every request is made when the stage is finished.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from sapwood.errors import SapwoodError
from support.stage import entries_of

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]
SLOW = pytest.mark.slow
SETTINGS = {
    "retry": {"baseDelayMs": 20},
    "compaction": {"reserveTokens": 600, "keepRecentTokens": 300},
}


def answers(chance: random.Random) -> list[dict[str, Any]]:
    """Texts, parallel calls and failures that pass, as it comes."""

    def one() -> dict[str, Any]:
        if chance.random() < 0.2:
            return {"error": chance.choice(["500", "429"])}
        calls = [
            {"name": "bash", "arguments": {"command": f"sleep 0.0{number}; echo {number}"}}
            for number in range(1, 5)
        ]
        text = "words " * chance.randint(1, 200)
        return {"text": text, "tools": calls if chance.random() < 0.7 else []}

    return [*(one() for _ in range(8)), {"text": "the end"}]


def requests_of(session: AgentSession, chance: random.Random) -> list[Callable[[], Any]]:
    """What a person may do, without regard to what is going on."""

    def any_entry() -> str:
        return chance.choice(session.manager.get_entries()).id

    def another_model() -> None:
        model = session.catalogue.get("fake", chance.choice(["fake-1", "fake-large"]))
        assert model is not None
        session.set_model(model)

    return [
        lambda: session.steer("steer"),
        lambda: session.follow_up("follow up"),
        session.abort,
        session.abort_compaction,
        lambda: session.execute_bash("echo user"),
        session.compact,
        lambda: session.navigate_tree(any_entry()),
        lambda: session.fork(any_entry()),
        session.clone,
        session.new_session,
        another_model,
        lambda: session.set_thinking_level(chance.choice(["off", "high"])),
        lambda: session.set_session_name("a name"),
    ]


async def meddle(session: AgentSession, chance: random.Random) -> None:
    for _ in range(10):
        await asyncio.sleep(chance.random() * 0.08)
        if not session.manager.get_entries():
            continue
        try:
            asked = chance.choice(requests_of(session, chance))()
            if isinstance(asked, Awaitable):
                await asked
        except SapwoodError:
            pass  # refused, with a reason


async def talk(session: AgentSession) -> None:
    for number in range(3):
        try:
            await session.prompt(f"prompt {number}")
        except SapwoodError:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(n, marks=SLOW) for n in range(6, 60))])
async def test_a_session_survives_it(stage_with: Build, seed: int) -> None:
    chance = random.Random(seed)
    stage = stage_with(answers(chance), window=3000, max_tokens=500, settings=SETTINGS)
    session = await stage.open()
    async with asyncio.timeout(60):
        await asyncio.gather(meddle(session, chance), talk(session))
        await session.wait_for_idle()
        session.take_back_queued()
        stage.state.steps = [{"text": "still here"}]
        await session.prompt("are you there")
    assert session.is_idle
    assert session.last_assistant_text() == "still here"
    for path in stage.session_dir.glob("*.jsonl"):
        kinds = [entry["type"] for entry in entries_of(path)]
        assert kinds.count("session") == 1
