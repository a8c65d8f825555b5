"""``sapwood --mode rpc``: whatever comes, each command gets one response, and files stay whole."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from sapwood import SessionManager
from sapwood.modes.rpc.commands import COMMANDS
from support.command import wait_until
from support.stage import entries_of, words

if TYPE_CHECKING:
    from support.rpc import Rpc
    from support.stage import Stage

Build = Callable[..., "Stage"]
Start = Callable[..., "Rpc"]

SETTINGS = {
    "retry": {"baseDelayMs": 20},
    "compaction": {"keepRecentTokens": 300, "reserveTokens": 1000},
}
ANSWERS: list[dict[str, Any]] = [
    {"text": words("answer", 300)},
    {"text": "slow", "delay": 0.3},
    {"tools": [{"name": "bash", "arguments": {"command": "echo hi; sleep .1"}}]},
    {"error": "500"},
    {"error": "openai_overflow"},
    {"text": "cut " * 50, "drop": True},
]
NONSENSE = ["x", "all", True, None, 5, [1], {"a": 1}, ""]


class Caller:
    """Sends commands at random, mostly ones that make sense."""

    def __init__(self, rpc: Rpc, seed: int) -> None:
        self.rpc = rpc
        self.random = random.Random(seed)
        self.sent: list[str] = []

    def call(self, command: str) -> None:
        fields = self.sensible(command) if self.random.random() < 0.85 else self.nonsense()
        self.sent.append(f"call-{len(self.sent)}")
        self.rpc.send(id=self.sent[-1], type=command, **fields)

    def nonsense(self) -> dict[str, Any]:
        names = ["message", "images", "modelId", "mode", "enabled", "command", "entryId", "since"]
        return {name: self.random.choice(NONSENSE) for name in self.random.sample(names, 3)}

    def sensible(self, command: str) -> dict[str, Any]:
        choose = self.random.choice
        match command:
            case "prompt" | "steer" | "follow_up":
                behaviour = choose([{}, {"streamingBehavior": "steer"}])
                return {"message": words("please", choose([3, 300])), **behaviour}
            case "set_model":
                return {"provider": "fake", "modelId": choose(["fake-1", "fake-thinker"])}
            case "set_thinking_level":
                return {"level": choose(["off", "high"])}
            case "set_steering_mode" | "set_follow_up_mode":
                return {"mode": choose(["all", "one-at-a-time"])}
            case "set_auto_compaction" | "set_auto_retry":
                return {"enabled": choose([True, False])}
            case "bash":
                return {"command": choose(["echo hi", "seq 1 4000", "exit 3", "sleep 30"])}
            case "set_session_name":
                return {"name": "a name"}
            case "fork":
                return {"entryId": choose(["none", *self.told("get_fork_messages", "entryId")])}
            case "switch_session":
                return {"sessionPath": choose(["none", *self.told("get_state", "sessionFile")])}
            case _:
                return {}

    def told(self, command: str, field: str) -> list[str]:
        """Values of a field that responses to a command held so far."""
        responses = self.rpc.find(lambda r: r.get("command") == command and r["success"])
        data = [response["data"] for response in responses]
        rows = [row for each in data for row in each.get("messages", [each])]
        return [row[field] for row in rows]


MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 9)]


@pytest.mark.parametrize("seed", [1, *MORE_SEEDS])
def test_every_command_gets_one_response(stage_with: Build, start: Start, seed: int) -> None:
    chance = random.Random(seed)
    stage = stage_with(chance.choices(ANSWERS, k=80), settings=SETTINGS)
    rpc = start(stage)
    caller = Caller(rpc, seed)
    often = ["prompt", "prompt", "steer", "get_state", "get_fork_messages", "abort_bash"]
    for number in range(150):
        caller.call(chance.choice([*COMMANDS, *often]))
        if number % 10 == 0:  # let something happen now and then
            rpc.data("get_state")
    for command in ("clear_queue", "abort_bash", "abort"):
        caller.call(command)
    last = caller.sent[-1]
    wait_until(lambda: bool(rpc.find(lambda r: r.get("id") == last)))
    assert rpc.close() == 0
    responses = Counter(r["id"] for r in rpc.all("response") if str(r["id"]).startswith("call-"))
    assert responses == Counter(caller.sent)
    errors = [response["error"] for response in rpc.all("response") if not response["success"]]
    assert [error for error in errors if "Error:" in error] == []  # of our own making
    for path in (stage.agent_dir / "sessions").rglob("*.jsonl"):
        entries = entries_of(path)
        with SessionManager.open(path, writer="none") as manager:
            assert len(manager.get_entries()) == len(entries) - 1
            assert manager.diagnostics == []
