"""Extensions in real sessions: what they may change, and that the record keeps its order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.stage import request_texts

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

StageWith = Callable[..., "Stage"]


def bash(command: str) -> dict[str, Any]:
    return {"tools": [{"name": "bash", "arguments": {"command": command}}]}


async def opened(stage: Stage, code: str) -> AgentSession:
    """A session with one extension; ``code`` is the body of its ``extension(api)``."""
    file = stage.agent_dir / "one.py"
    lines = "".join(f"    {line}\n" for line in code.strip().split("\n"))
    file.write_text(f"import asyncio\ndef extension(api):\n{lines}")
    session = await stage.open(extensions=[file], discover_extensions=False)
    assert session.extensions.problems == []
    return session


def stored(session: AgentSession) -> list[str]:
    """Role or type of each entry of the path that is not about settings."""
    kinds = [
        (entry.message or {}).get("role", entry.type) for entry in session.manager.get_branch()
    ]
    return [kind for kind in kinds if not kind.endswith("_change") and kind != "system"]


async def test_input_call_and_result_can_be_changed(stage_with: StageWith) -> None:
    stage = stage_with([bash("echo from the model"), {"text": "done"}])
    session = await opened(
        stage,
        """
api.on("input", lambda event: {"text": event["text"].upper()})
api.on("tool_call", lambda event: event["input"].update(command="echo from the extension"))
def censor(event):
    text = event["content"][0]["text"]
    return {"content": [{"type": "text", "text": text + "!"}], "details": {"seen": True}}
api.on("tool_result", censor)
""",
    )
    await session.prompt("please")
    user, call, result, _ = (
        entry.message
        for entry in session.manager.get_branch()
        if entry.message is not None and entry.message["role"] != "system"
    )
    assert user["content"] == [{"type": "text", "text": "PLEASE"}]
    assert call["content"][0]["arguments"] == {"command": "echo from the model"}
    assert result["content"] == [{"type": "text", "text": "from the extension!"}]
    assert result["details"] == {"seen": True}


async def test_input_can_be_handled_without_a_model(stage_with: StageWith) -> None:
    stage = stage_with()
    session = await opened(stage, "api.on('input', lambda event: {'handled': True})")
    await session.prompt("ping")
    assert stage.requests == []
    assert session.is_idle


async def test_queued_messages_are_heard_when_their_turn_comes(stage_with: StageWith) -> None:
    stage = stage_with([bash("echo 1"), {"text": "two"}, {"text": "three"}])
    session = await opened(
        stage,
        """
def change(event):
    if "skip" in event["text"]:
        return {"handled": True}
    return {"text": event["source"] + ": " + event["text"]}
api.on("input", change)
""",
    )

    def queue(event: dict[str, Any]) -> None:
        if event["type"] == "tool_execution_start":
            session.steer("left")
            session.follow_up("skip this")
            session.follow_up("afterwards")

    session.subscribe(queue)
    await session.prompt("go")
    said = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert said == ["prompt: go", "steering: left", "follow_up: afterwards"]
    assert session.is_idle
    assert not session.queued


async def test_an_abort_while_a_queued_message_is_heard_queues_it_again(
    stage_with: StageWith,
) -> None:
    stage = stage_with([bash("echo 1"), {"text": "done"}])
    session = await opened(
        stage,
        """
async def wait(event):
    if event["source"] == "steering":
        api.append_entry("waiting")
        await asyncio.sleep(60)
api.on("input", wait)
""",
    )
    waiting = asyncio.Event()

    def watch(event: dict[str, Any]) -> None:
        if event["type"] == "tool_execution_start":
            session.steer("hard to port")
        elif event["type"] == "entry_appended" and event["entry"].get("customType") == "waiting":
            waiting.set()

    session.subscribe(watch)
    run = asyncio.ensure_future(session.prompt("go"))
    await asyncio.wait_for(waiting.wait(), 10)
    await session.abort()
    await run
    assert session.queued.texts == ["hard to port"]
    assert "hard to port" not in str(stage.bodies())


async def test_slow_handlers_do_not_reorder_the_record(stage_with: StageWith) -> None:
    stage = stage_with([bash("echo 1"), bash("echo 2"), {"text": "done"}])
    session = await opened(
        stage,
        """
async def slow(event):
    await asyncio.sleep(0.05)
for name in ("message_end", "turn_end", "tool_call", "tool_result"):
    api.on(name, slow)
""",
    )
    await session.prompt("go")
    assert stored(session) == [
        "user",
        "assistant",
        "toolResult",
        "assistant",
        "toolResult",
        "assistant",
    ]


async def test_an_extension_keeps_state_and_speaks_to_the_model(stage_with: StageWith) -> None:
    stage = stage_with([{"text": "first"}, {"text": "I heard"}])
    session = await opened(
        stage,
        """
def remind(text):
    api.append_entry("reminder", {"text": text})
    api.send_message("reminder", "Remember: " + text, trigger_turn=True)
api.command("remind", "Remind the model", remind)
""",
    )
    await session.prompt("hello")
    assert await session.extensions.run_command("/remind tea")
    await session.wait_for_idle()
    assert stored(session) == ["user", "assistant", "custom", "custom_message", "assistant"]
    assert "Remember: tea" in str(stage.bodies()[-1]["messages"][-1])
    assert not any("reminder" in str(message) for message in stage.bodies()[-1]["messages"])


async def test_a_tool_of_an_extension_is_offered_and_called(stage_with: StageWith) -> None:
    stage = stage_with(
        [{"tools": [{"name": "double", "arguments": {"n": 21}}]}, {"text": "42 it is"}]
    )
    session = await opened(
        stage,
        """
schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
api.tool("double", "Double a number", schema, lambda arguments, context: str(2 * arguments["n"]))
""",
    )
    await session.prompt("double 21")
    first, second = stage.bodies()
    assert "double" in [tool["function"]["name"] for tool in first["tools"]]
    assert second["messages"][-1]["content"] == "42"


async def test_a_navigation_can_be_refused(stage_with: StageWith) -> None:
    stage = stage_with([{"text": "one"}, {"text": "two"}])
    session = await opened(stage, "api.on('session_before_tree', lambda event: {'cancel': True})")
    await session.prompt("first")
    target = session.manager.get_leaf()
    assert target is not None
    await session.prompt("second")
    leaf = session.manager.get_leaf()
    moved = await session.navigate_tree(target)
    assert not moved.moved
    assert session.manager.get_leaf() == leaf


async def test_a_handler_that_fails_does_not_stop_a_run(
    stage_with: StageWith, tmp_path: Path
) -> None:
    stage = stage_with([bash("echo 1"), {"text": "done"}])
    session = await opened(
        stage,
        """
def fail(event):
    raise RuntimeError("broken")
for name in ("input", "tool_call", "tool_result", "message_end", "agent_settled"):
    api.on(name, fail)
""",
    )
    await session.prompt("go")
    await session.extensions.flush()
    assert stored(session) == ["user", "assistant", "toolResult", "assistant"]
    told = {str(problem) for problem in session.extensions.problems}
    assert "Extension one, tool_call: RuntimeError: broken" in told
    assert len(told) == 5


@pytest.mark.parametrize(
    "what",
    ["SystemExit(3)", "asyncio.CancelledError()", "GeneratorExit()", "BaseException('odd')"],
)
async def test_whatever_a_handler_raises_concerns_it_alone(
    stage_with: StageWith, what: str
) -> None:
    stage = stage_with([bash("echo 1"), {"text": "done"}])
    session = await opened(
        stage,
        f"""
import asyncio
def fail(event):
    raise {what}
async def fail_later(event):
    raise {what}
for name in ("input", "tool_call", "agent_start"):
    api.on(name, fail)
    api.on(name, fail_later)
api.command("fail", "", fail)
""",
    )
    await session.prompt("/fail")
    await session.prompt("go")
    assert stored(session) == ["user", "assistant", "toolResult", "assistant"]
    assert len(session.extensions.problems) == 7


async def test_listening_changes_nothing(stage_with: StageWith) -> None:
    stage = stage_with([bash("echo 1"), {"text": "done"}])
    session = await opened(
        stage,
        """
def spoil(event):
    for value in event.values():
        value.clear() if isinstance(value, (dict, list)) else None
for name in ("message_start", "message_update", "message_end", "turn_end", "agent_end"):
    api.on(name, spoil)
api.on("tool_call", lambda event: event.clear())
""",
    )
    await session.prompt("go")
    assert stored(session) == ["user", "assistant", "toolResult", "assistant"]
    assert session.last_assistant_text() == "done"


@pytest.mark.parametrize(
    "result",
    [
        "ToolResult('text')",
        "ToolResult([{'type': 'text'}])",
        "ToolResult([{'type': 'image', 'data': b'', 'mimeType': 'image/png'}])",
        "ToolResult([], details=object())",
        "exit(4)",
    ],
)
async def test_a_tool_that_answers_nonsense_is_an_error_for_the_model(
    stage_with: StageWith, result: str
) -> None:
    stage = stage_with([{"tools": [{"name": "odd", "arguments": {}}]}, {"text": "done"}])
    session = await opened(
        stage,
        f"""
from sapwood.agent.tools import ToolResult
api.tool("odd", "", {{"type": "object", "properties": {{}}}}, lambda a, c: {result})
""",
    )
    await session.prompt("go")
    assert stored(session) == ["user", "assistant", "toolResult", "assistant"]
    told = request_texts(stage.bodies()[-1])[-1][1]
    assert "The tool odd " in told
