from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sapwood.agent.extensions import ExtensionHost
from sapwood.agent.tools import ToolContext
from sapwood.agent.tools.running import run_tool

Load = Callable[..., ExtensionHost]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write extensions (name → body of ``extension(api)``) and load them in this order."""

    def load(**bodies: str) -> ExtensionHost:
        paths = []
        for name, body in bodies.items():
            lines = "".join(f"    {line}\n" for line in body.split("\n"))
            paths.append(tmp_path / f"{name}.py")
            paths[-1].write_text(f"import asyncio\nseen = []\ndef extension(api):\n{lines}")
        return ExtensionHost.load(None, None, paths=paths, discover=False)

    return load


def problems(host: ExtensionHost) -> list[str]:
    return [str(problem) for problem in host.problems]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


async def test_extensions_are_found_in_their_folders_in_order(tmp_path: Path) -> None:
    agent, project, extra = tmp_path / "agent", tmp_path / "project", tmp_path / "extra.py"
    body = "def extension(api):\n    api.command({!r}, '', lambda text: None)\n"
    for file in (
        agent / "extensions/b.py",
        agent / "extensions/a.py",
        project / ".pi/extensions/c.py",
        extra,
    ):
        write(file, body.format(file.stem))
    write(agent / "extensions/_shared.py", "raise RuntimeError")
    write(agent / "extensions/theirs.ts", "export default function () {}")
    both = ExtensionHost.load(agent, project, paths=[extra, agent / "extensions/a.py"])
    assert list(both.commands) == ["a", "b", "c", "extra"]
    assert list(ExtensionHost.load(agent, None).commands) == ["a", "b"]
    only = ExtensionHost.load(agent, project, paths=[extra], discover=False)
    assert list(only.commands) == ["extra"]
    assert both.problems == []


async def test_an_installed_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "gate_package.py", "def extension(api):\n    api.command('x', '', print)\n")
    info = tmp_path / "gate_package-1.0.dist-info"
    write(info / "METADATA", "Metadata-Version: 2.1\nName: gate-package\nVersion: 1.0\n")
    write(
        info / "entry_points.txt",
        "[sapwood.extensions]\ngate = gate_package\ngone = gate_package_gone:extension\n",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    host = ExtensionHost.load(None, None)
    assert host.commands["x"].extension == "gate"
    assert problems(host) == [
        "Extension gone, load: ModuleNotFoundError: No module named 'gate_package_gone'"
    ]
    assert ExtensionHost.load(None, None, discover=False).commands == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def extension(api:", "SyntaxError"),
        ("import sys\nsys.exit('no')", "SystemExit: no"),
        ("x = 1", "it has no function extension(api)"),
        ("async def extension(api): pass", "must not be async"),
        ("def extension(api):\n    api.on('turn_ends', print)", "there is no event 'turn_ends'"),
        ("def extension(api):\n    api.append_entry('x')", "there is no session yet"),
    ],
)
def test_one_that_cannot_be_loaded_is_left_out(tmp_path: Path, text: str, told: str) -> None:
    write(tmp_path / "bad.py", text)
    write(tmp_path / "good.py", "def extension(api):\n    api.command('ok', '', print)\n")
    paths = [tmp_path / "bad.py", tmp_path / "missing.py", tmp_path / "good.py"]
    host = ExtensionHost.load(None, None, paths=paths, discover=False)
    assert list(host.commands) == ["ok"]
    assert told in problems(host)[0]
    assert problems(host)[1].startswith("Extension missing, load: FileNotFoundError")
    assert not any("\n" in line for line in problems(host))


def test_one_that_fails_halfway_leaves_nothing_behind(load: Load) -> None:
    host = load(
        half="api.command('x', '', print)\napi.on('turn_end', print)\nraise ValueError('no')"
    )
    assert host.commands == {}
    assert not host.listens("turn_end")


async def test_handlers_may_be_async_and_run_in_load_order(load: Load) -> None:
    host = load(
        one="async def hear(event):\n"
        "    await asyncio.sleep(0.02)\n"
        "    event['heard'].append('one')\n"
        "api.on('turn_end', hear)",
        two="api.on('turn_end', lambda event: event['heard'].append('two'))",
    )
    heard: list[str] = []
    await host.emit("turn_end", {"heard": heard})
    assert heard == ["one", "two"]


async def test_slow_handlers_hear_events_in_order(load: Load) -> None:
    host = load(
        slow="async def hear(event):\n"
        "    await asyncio.sleep(event['delay'])\n"
        "    event['heard'].append(event['number'])\n"
        "for name in ('turn_start', 'turn_end', 'tool_call'):\n"
        "    api.on(name, hear)"
    )
    heard: list[int] = []
    for number, delay in enumerate([0.05, 0, 0.02]):
        name = "turn_end" if number % 2 else "turn_start"
        host.post(name, {"heard": heard, "number": number, "delay": delay})
    assert heard == []
    await host.emit("tool_call", {"heard": heard, "number": 3, "delay": 0})
    assert heard == [0, 1, 2, 3]
    host.post("turn_end", {"heard": heard, "number": 4, "delay": 0.01})
    await host.flush()
    assert heard == [0, 1, 2, 3, 4]


async def test_one_that_raises_is_reported_and_passed_over(load: Load) -> None:
    host = load(
        bad="def fail(event):\n    raise ValueError('two\\nlines')\napi.on('tool_call', fail)",
        good="api.on('tool_call', lambda event: {'block': True, 'reason': 'no'})",
    )
    told: list[str] = []
    host.on_problem = lambda problem: told.append(str(problem))
    assert await host.emit("tool_call", {}) == {"block": True, "reason": "no"}
    assert told == problems(host) == ["Extension bad, tool_call: ValueError: two lines"]


@pytest.mark.parametrize(
    ("event", "answer", "told"),
    [
        ("tool_call", "'yes'", "the answer must be a dict, not str"),
        ("tool_call", "{'blocked': True}", "unknown key 'blocked'; known are block, reason"),
        ("tool_result", "{'content': 'text'}", "an unusable value for 'content'"),
        ("session_before_compact", "{'compaction': {'summary': 'x'}}", "for 'compaction'"),
        ("session_before_tree", "{'summary': {'summary': ' '}}", "for 'summary'"),
        ("input", "{'text': 3}", "for 'text'"),
    ],
)
async def test_an_answer_that_makes_no_sense_is_reported_and_not_used(
    load: Load, event: str, answer: str, told: str
) -> None:
    host = load(odd=f"api.on({event!r}, lambda event: {answer})")
    assert await host.emit(event, {}) == {}
    assert told in problems(host)[0]


async def test_what_listeners_return_is_ignored(load: Load) -> None:
    host = load(odd="api.on('turn_end', lambda event: 'whatever')")
    assert await host.emit("turn_end", {}) == {}
    assert host.problems == []


async def test_a_block_or_cancel_ends_the_round(load: Load) -> None:
    bodies = {
        "one": "api.on('session_before_compact', lambda event: {'cancel': True})",
        "two": "api.on('session_before_compact', lambda event: event['heard'].append(2))",
    }
    heard: list[int] = []
    assert await load(**bodies).emit("session_before_compact", {"heard": heard}) == {"cancel": True}
    assert heard == []


async def test_the_later_answer_counts(load: Load) -> None:
    answer = "{'summary': 's', 'firstKeptEntryId': %r, 'tokensBefore': 1}"
    hook = "api.on('session_before_compact', lambda event: {'compaction': %s})"
    host = load(one=hook % (answer % "a"), two=hook % (answer % "b"))
    merged = await host.emit("session_before_compact", {})
    assert merged["compaction"]["firstKeptEntryId"] == "b"


async def test_input_is_handed_on_changed(load: Load) -> None:
    host = load(
        one="api.on('input', lambda event: {'text': event['text'] + '1'})",
        two="api.on('input', lambda event: {'text': event['text'] + '2'})",
        three="api.on('input', lambda event: {'handled': event['text'] == 'x12'})",
        four="api.on('input', lambda event: {'text': 'never'})",
    )
    assert await host.emit("input", {"text": "x", "images": []}) == {"text": "x12", "handled": True}
    assert await host.emit("input", {"text": "y"}) == {"text": "never", "handled": False}


async def test_results_are_handed_on_changed(load: Load) -> None:
    host = load(
        one="api.on('tool_result', lambda event: {'content': [{'type': 'text', 'text': 'new'}]})",
        two="api.on('tool_result', lambda event: {'details': event['content'][0]['text']})",
    )
    content = [{"type": "text", "text": "old"}]
    assert await host.emit("tool_result", {"content": content, "isError": False}) == {
        "content": [{"type": "text", "text": "new"}],
        "details": "new",
    }


async def test_arguments_of_a_call_can_be_changed_in_place(load: Load) -> None:
    host = load(one="api.on('tool_call', lambda event: event['input'].update(timeout=5))")
    payload: dict[str, Any] = {"input": {"command": "ls"}}
    assert await host.emit("tool_call", payload) == {}
    assert payload["input"] == {"command": "ls", "timeout": 5}


async def test_abort_reaches_a_handler_that_waits(load: Load) -> None:
    host = load(
        slow="async def wait(event):\n    await asyncio.Event().wait()\napi.on('input', wait)"
    )
    task = asyncio.create_task(host.emit("input", {"text": "x"}))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    host.post("turn_end", {})
    await host.flush()


async def test_commands(load: Load) -> None:
    host = load(
        one="async def greet(text):\n"
        "    if not text:\n"
        "        raise ValueError('whom?')\n"
        "    import sys\n"
        "    sys.greeted = text\n"
        "api.command('greet', 'Say hello', greet)"
    )
    assert host.commands["greet"].description == "Say hello"
    assert await host.run_command("/greet  the world ")
    assert sys.greeted == "the world"  # type: ignore[attr-defined]
    assert not await host.run_command("/other")
    assert await host.run_command("/greet")
    assert problems(host) == ["Extension one, /greet: ValueError: whom?"]


async def test_tools_answer_with_text_or_results(load: Load, tmp_path: Path) -> None:
    host = load(
        one="schema = {'type': 'object', 'properties': {'n': {'type': 'integer'}}, "
        "'required': ['n'], 'additionalProperties': False}\n"
        "api.tool('double', 'Double a number', schema, lambda args, ctx: str(2 * args['n']))\n"
        "async def where(args, ctx):\n"
        "    from sapwood.agent.tools import text_result\n"
        "    return text_result(str(ctx.cwd), {'k': 1})\n"
        "api.tool('where', 'Say where', {'type': 'object', 'properties': {}}, where, hint='tells')"
    )
    context = ToolContext(tmp_path)
    doubled = await run_tool(host.tools, "double", "c", {"n": "21"}, context)
    assert doubled.content == [{"type": "text", "text": "42"}]
    assert (await run_tool(host.tools, "double", "c", {}, context)).is_error
    told = await run_tool(host.tools, "where", "c", {}, context)
    assert (told.content[0]["text"], told.details) == (str(tmp_path), {"k": 1})  # type: ignore[typeddict-item]
    assert host.tools["where"].hint == "tells"


async def test_nobody_to_ask_means_no(load: Load, capsys: pytest.CaptureFixture[str]) -> None:
    host = load(
        one="async def ask(event):\n"
        "    api.notify('asking\\x1b[31m')\n"
        "    chosen = await api.select('Which?', ['a', 'b'])\n"
        "    typed = await api.input('Name?')\n"
        "    return {'block': not await api.confirm('Go on?'), 'reason': f'{chosen} {typed}'}\n"
        "api.on('tool_call', ask)"
    )
    assert await host.emit("tool_call", {}) == {"block": True, "reason": "None None"}
    assert capsys.readouterr().err == "one: asking\ufffd[31m\n"
