"""The scripted model: answers from a file, in turn, by match, for summaries, with failures."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sapwood.models.model import Model
from sapwood.models.scripted import scripted_model
from sapwood.models.stream import StreamOptions, stream
from support.model_requests import READ, answer, ask, request, tool_call, user


def script(tmp_path: Path, content: Any) -> Model:
    path = tmp_path / "script.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return scripted_model(str(path))


def text_of(message: Any) -> str:
    return "".join(block.get("text", "") for block in message["content"])


async def test_steps_come_in_turn_and_the_last_one_stays(tmp_path: Path) -> None:
    model = script(tmp_path, [{"text": "one"}, {"text": "two"}])

    said = [text_of(await answer(model, request(user("go"), tools=[READ]))) for _ in range(3)]

    assert said == ["one", "two", "two"]


async def test_each_session_is_at_its_own_step(tmp_path: Path) -> None:
    model = script(tmp_path, [{"text": "one"}, {"text": "two"}])
    asked = request(user("go"), tools=[READ])

    said = [
        text_of(await answer(model, asked, StreamOptions(session_id=session)))
        for session in ("a", "b", "a", "b")
    ]

    assert said == ["one", "one", "two", "two"]


async def test_a_step_with_thinking_tools_and_usage(tmp_path: Path) -> None:
    tools = [{"name": "read", "arguments": {"path": "a"}, "id": "t1"}]
    usage = {"input": 100, "output": 7, "cacheRead": 50}
    model = script(
        tmp_path,
        {
            "reasoning": True,
            "chunk": 2,
            "steps": [{"thinking": "Hm.", "text": "Hello", "tools": tools, "usage": usage}],
        },
    )

    events = await ask(model, request(user("go"), tools=[READ]))

    message = events[-1]["message"]
    assert message["content"] == [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Hello"},
        tool_call("t1", path="a"),
    ]
    assert message["stopReason"] == "toolUse"
    assert (message["usage"]["input"], message["usage"]["totalTokens"]) == (100, 157)
    assert [e["delta"] for e in events if e["type"] == "text_delta"] == ["He", "ll", "o"]


async def test_a_match_comes_first_whenever_it_fits(tmp_path: Path) -> None:
    model = script(tmp_path, [{"match": "weather", "text": "sunny"}, {"text": "one"}])

    said = [
        text_of(await answer(model, request(user(u), tools=[READ])))
        for u in ("go", "the weather?", "go", "weather again")
    ]

    assert said == ["one", "sunny", "one", "sunny"]


async def test_summaries_have_their_own_answers(tmp_path: Path) -> None:
    model = script(tmp_path, {"steps": [{"text": "one"}], "summaries": [{"text": "## Goal\nours"}]})
    plain = script(tmp_path / "..", [{"text": "one"}])
    wanted = request(user("Write ## Goal … ## Next Steps"))

    assert text_of(await answer(model, wanted)) == "## Goal\nours"
    assert "## Critical Context" in text_of(await answer(plain, wanted))
    assert text_of(await answer(model, request(user("go"), tools=[READ]))) == "one"


@pytest.mark.parametrize(
    ("error", "kind", "wait"),
    [
        ("529 overloaded", "overloaded", None),
        ({"status": 429, "message": "slow down", "retryAfterMs": 20}, "rate_limit", 20),
        ({"status": 400, "message": "prompt is too long: 9 tokens > 8 maximum"}, "overflow", None),
    ],
)
async def test_failures_are_read_like_a_providers(
    tmp_path: Path, error: Any, kind: str, wait: int | None
) -> None:
    event = (await ask(script(tmp_path, [{"error": error}]), request(user("go"))))[-1]

    assert (event["failure"].kind, event["failure"].retry_after_ms) == (kind, wait)


async def test_a_delay_can_be_cancelled(tmp_path: Path) -> None:
    model = script(tmp_path, [{"delay": 60, "text": "late"}])
    answering = stream(model, request(user("go")), StreamOptions())
    assert (await anext(answering))["type"] == "start"
    waiting = asyncio.ensure_future(anext(answering))
    await asyncio.sleep(0)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting

    assert answering.aborted()["stopReason"] == "aborted"


@pytest.mark.parametrize("content", ["{", '"text"', '{"steps": 3}'])
async def test_an_unusable_script_is_a_clear_failure(tmp_path: Path, content: str) -> None:
    event = (await ask(script(tmp_path, content), request(user("go"))))[-1]

    assert event["type"] == "error"
    assert "script" in event["message"]["errorMessage"]


async def test_a_changed_script_is_read_again(tmp_path: Path) -> None:
    import os

    model = script(tmp_path, [{"text": "one"}])
    await answer(model, request(user("go")))
    script(tmp_path, [{"text": "new"}])
    os.utime(tmp_path / "script.json", ns=(1, 1))

    assert text_of(await answer(model, request(user("go")))) == "new"


def test_what_the_file_says_of_the_model(tmp_path: Path) -> None:
    model = script(tmp_path, {"contextWindow": 8000, "maxTokens": 1000, "steps": []})

    assert (model.context_window, model.max_output_tokens) == (8000, 1000)
    assert model.ref == f"scripted/{tmp_path}/script.json"


def test_no_provider_library_is_imported_for_it(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('[{"text": "hi"}]')
    program = f"""
import asyncio, sys
from sapwood.context.request import ModelRequest
from sapwood.models.scripted import scripted_model
from sapwood.models.stream import StreamOptions, stream
asked = ModelRequest(system_prompt="", tools=[], items=[],
                     messages=[{{"role": "user", "content": "go", "timestamp": 1}}])
async def main():
    return [e async for e in stream(scripted_model({str(path)!r}), asked, StreamOptions())]
assert asyncio.run(main())[-1]["type"] == "done"
print([name for name in ("pydantic_ai", "genai_prices", "openai", "httpx") if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (result.stdout.strip(), result.stderr) == ("[]", "")
