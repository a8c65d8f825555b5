"""Extensions in ``sapwood --mode rpc``: questions, commands, trouble, trust."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.rpc import Rpc
    from support.stage import Stage

Build = Callable[..., "Stage"]
Start = Callable[..., "Rpc"]

ASKING = """
def extension(api):
    async def ask(text):
        chosen = await api.select("Which one?", ["one", "two"])
        sure = await api.confirm("Really?")
        name = await api.input("Your name?", "nobody")
        api.notify(f"{chosen} {sure} {name} {text}", "warning")

    api.command("ask", "Ask three questions", ask)
    api.command("boom", "Fail", lambda text: 1 / 0)
    api.on("input", lambda event: {"handled": event["text"] == "eat me"})
"""
PRINTING = """
import sys, os

def extension(api):
    print("while loading")
    def shout(text):
        print("not a record")
        os.write(1, b"nor this\\n")
        print(repr(sys.stdin.read()))
    api.command("shout", "Print", shout)
"""


def with_extension(stage: Stage, source: str, name: str = "asking") -> Stage:
    folder = stage.agent_dir / "extensions"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    return stage


def answer(rpc: Rpc, method: str, **fields: object) -> dict[str, object]:
    question = rpc.question(method)
    rpc.send(type="extension_ui_response", id=question["id"], **fields)
    return {key: value for key, value in question.items() if key not in ("id", "type", "method")}


def test_questions_are_answered_over_standard_input(stage_with: Build, start: Start) -> None:
    rpc = start(with_extension(stage_with(), ASKING))
    rpc.send(id="p", type="prompt", message="/ask please")
    assert answer(rpc, "select", value="two") == {
        "title": "Which one?",
        "options": ["one", "two"],
    }
    assert rpc.data("get_state")["isStreaming"] is False  # others are not held up
    assert answer(rpc, "confirm", confirmed=True) == {"title": "Really?", "message": ""}
    assert answer(rpc, "input", value="Ada\u2028") == {
        "title": "Your name?",
        "placeholder": "nobody",
    }
    told = rpc.question("notify")
    assert told["message"] == "asking: two True Ada\u2028 please"
    assert told["notifyType"] == "warning"
    assert rpc.response("p")["data"] == {"disposition": "handled"}
    assert rpc.types("extension_ui_request") == ["get_state", "prompt"]


def test_whatever_is_no_fitting_answer_counts_as_none(stage_with: Build, start: Start) -> None:
    rpc = start(with_extension(stage_with(), ASKING))
    rpc.send(type="extension_ui_response", id="nobody asked", value="x")
    rpc.send(type="extension_ui_response")
    rpc.send(id="p", type="prompt", message="/ask")
    answer(rpc, "select", value="three")
    answer(rpc, "confirm", confirmed="yes")
    answer(rpc, "input", cancelled=True)
    assert rpc.question("notify")["message"] == "asking: None False None "
    assert rpc.response("p")["success"]


def test_open_questions_do_not_hold_up_the_end(stage_with: Build, start: Start) -> None:
    rpc = start(with_extension(stage_with(), ASKING))
    rpc.send(id="p", type="prompt", message="/ask")
    rpc.question("select")
    assert rpc.close() == 0
    assert rpc.question("notify")["message"] == "asking: None False None "
    assert rpc.response("p")["data"] == {"disposition": "handled"}


def test_questions_asked_at_the_end_get_no_answer(stage_with: Build, start: Start) -> None:
    farewell = (
        "def extension(api):\n"
        "    async def bye(event):\n"
        "        sure = await api.confirm('Really go?')\n"
        "        api.notify(f'sure: {sure}')\n"
        "    api.on('session_shutdown', bye)\n"
    )
    rpc = start(with_extension(stage_with(), farewell, "farewell"))
    rpc.data("get_state")
    assert rpc.close() == 0
    assert rpc.question("notify")["message"] == "farewell: sure: False"


def test_an_aborted_run_does_not_wait_for_its_question(stage_with: Build, start: Start) -> None:
    gate = (
        "def extension(api):\n"
        "    async def gate(event):\n"
        "        return {'block': not await api.confirm('Run it?')}\n"
        "    api.on('tool_call', gate)\n"
    )
    call = {"name": "bash", "arguments": {"command": "echo ran"}}
    stage = with_extension(stage_with([{"tools": [call]}, {"text": "done"}]), gate, "gate")
    rpc = start(stage)
    rpc.data("prompt", message="go")
    rpc.question("confirm")
    rpc.data("abort")
    assert rpc.all("agent_settled")[-1]["aborted"] is True
    rpc.prompt("again")
    assert rpc.data("get_last_assistant_text") == {"text": "done"}


def test_commands_are_listed_run_and_never_queued(stage_with: Build, start: Start) -> None:
    stage = with_extension(stage_with([{"text": "hi", "delay": 1}]), ASKING)
    (stage.agent_dir / "prompts").mkdir()
    (stage.agent_dir / "prompts" / "review.md").write_text("Review $1 please")
    skill = stage.agent_dir / "skills" / "demo" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\ndescription: Demo skill\n---\nDo it")
    rpc = start(stage)
    commands = {each["name"]: each for each in rpc.data("get_commands")["commands"]}
    assert list(commands) == ["ask", "boom", "review", "skill:demo"]
    assert commands["ask"] == {
        "name": "ask",
        "description": "Ask three questions",
        "source": "extension",
        "sourceInfo": {
            "path": str(stage.agent_dir / "extensions" / "asking.py"),
            "source": "auto",
            "scope": "user",
            "origin": "top-level",
            "baseDir": str(stage.agent_dir),
        },
    }
    assert (commands["review"]["source"], commands["skill:demo"]["source"]) == ("prompt", "skill")
    assert commands["skill:demo"]["sourceInfo"]["path"] == str(skill)

    assert rpc.data("prompt", message="eat me") == {"disposition": "handled"}
    assert rpc.data("prompt", message="/boom") == {"disposition": "handled"}
    trouble = rpc.event("extension_error")
    assert (trouble["extensionPath"], trouble["event"]) == ("asking", "/boom")
    assert "division by zero" in trouble["error"]
    assert "/ask is a command" in rpc.error("steer", message="/ask x")
    assert "/ask is a command" in rpc.error("follow_up", message="/ask x")

    rpc.data("prompt", message="/review this")
    assert rpc.data("prompt", message="/boom") == {"disposition": "handled"}  # also in a run
    rpc.event("agent_settled")
    assert "Review this please" in str(stage.bodies()[0]["messages"][-1])
    assert len(stage.requests) == 1


def test_what_extensions_print_does_not_come_between_the_records(
    stage_with: Build, start: Start
) -> None:
    rpc = start(with_extension(stage_with(), PRINTING, "printing"))
    assert rpc.data("prompt", message="/shout") == {"disposition": "handled"}
    assert rpc.close() == 0
    assert rpc.types() == ["prompt"]
    for text in (b"while loading", b"not a record", b"nor this", b"''"):
        assert text in rpc.errors


def test_a_second_signal_ends_what_does_not_listen(stage_with: Build, start: Start) -> None:
    stuck = (
        "import time\n"
        "def extension(api):\n"
        "    def hang(text):\n"
        "        api.notify('hanging')\n"
        "        time.sleep(600)\n"
        "    api.command('hang', 'Never end', hang)\n"
    )
    rpc = start(with_extension(stage_with(), stuck, "stuck"))
    rpc.send(type="prompt", message="/hang")
    rpc.question("notify")
    rpc.process.send_signal(signal.SIGTERM)
    rpc.process.send_signal(signal.SIGINT)
    assert rpc.end() in (128 + signal.SIGINT, 128 + signal.SIGTERM)


def test_a_command_that_never_ends_does_not_keep_it_open(stage_with: Build, start: Start) -> None:
    stuck = (
        "import asyncio\n"
        "def extension(api):\n"
        "    async def hang(text):\n"
        "        api.notify('hanging')\n"
        "        await asyncio.sleep(600)\n"
        "    api.command('hang', 'Never end', hang)\n"
    )
    rpc = start(with_extension(stage_with(), stuck, "stuck"))
    rpc.send(id="p", type="prompt", message="/hang")
    rpc.question("notify")
    assert rpc.data("get_state")["isStreaming"] is False
    assert rpc.close() == 0


def test_a_projects_own_extensions_wait_for_trust(stage_with: Build, start: Start) -> None:
    stage = stage_with()
    folder = stage.project / ".pi" / "extensions"
    folder.mkdir(parents=True)
    (folder / "local.py").write_text(
        "def extension(api):\n    api.command('local', 'Mine', print)\n"
    )
    rpc = start(stage)
    assert rpc.data("get_commands") == {"commands": []}
    rpc.close()
    assert b"left out until it is trusted" in rpc.errors
    rpc = start(stage, "--approve")
    (command,) = rpc.data("get_commands")["commands"]
    assert (command["name"], command["sourceInfo"]["scope"]) == ("local", "project")
    rpc.close()
    (stage.project / "mine.py").write_text((folder / "local.py").read_text())
    rpc = start(stage, "-e", "mine.py")
    (command,) = rpc.data("get_commands")["commands"]
    assert command["sourceInfo"] == {
        "path": str(stage.project / "mine.py"),
        "source": "cli",
        "scope": "temporary",
        "origin": "top-level",
    }


def test_a_compaction_by_an_extension_needs_no_details(stage_with: Build, start: Start) -> None:
    own = (
        "def extension(api):\n"
        "    api.on('session_before_compact', lambda event: {'compaction': "
        "{'summary': 'mine', 'tokensBefore': 7}})\n"
    )
    stage = stage_with(
        [{"text": "word " * 900}] * 2,
        settings={"compaction": {"keepRecentTokens": 200, "reserveTokens": 1000}},
    )
    rpc = start(with_extension(stage, own, "own"))
    rpc.prompt("first")
    rpc.prompt("second")
    data = rpc.data("compact")
    assert data.keys() == {"summary", "firstKeptEntryId", "tokensBefore", "estimatedTokensAfter"}
    assert (data["summary"], data["tokensBefore"]) == ("mine", 7)
    assert "details" not in rpc.event("compaction_end")["result"]
