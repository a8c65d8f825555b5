"""The SDKs: named when missing, loaded ahead on request, connections given back."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sapwood.models.clients import close_connections, preload
from sapwood.models.model import Api, Model
from support.fake_anthropic import anthropic_reply
from support.model_requests import answer, request, user
from support.sse_server import in_turn, serving


@pytest.mark.parametrize(
    ("api", "module", "extra"),
    [
        ("openai-completions", "openai", "openai"),
        ("openai-responses", "openai", "openai"),
        ("anthropic-messages", "anthropic", "anthropic"),
        ("google-generative-ai", "google.genai", "google"),
    ],
)
def test_a_missing_sdk_is_one_line_with_the_command(api: Api, module: str, extra: str) -> None:
    program = f"""
import asyncio, sys
sys.modules[{module!r}] = None
from sapwood.context.request import ModelRequest
from sapwood.models.model import Model
from sapwood.models.stream import StreamOptions, stream
asked = ModelRequest(system_prompt="", tools=[], items=[],
                     messages=[{{"role": "user", "content": "go", "timestamp": 1}}])
async def main():
    model = Model("p", "m", {api!r}, base_url="http://127.0.0.1:9")
    return [e async for e in stream(model, asked, StreamOptions(api_key="k"))]
print(asyncio.run(main())[-1]["message"]["errorMessage"])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert result.stderr == ""
    assert result.stdout.strip() == (
        f"p/m needs the {extra} client, which is not installed: pip install 'sapwood[{extra}]'"
    )


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    program = """
import sys
import sapwood.models.catalogue, sapwood.models.clients, sapwood.models.stream
import sapwood.models.convert, sapwood.models.failures
heavy = ("asyncio", "pydantic_ai", "genai_prices", "openai", "anthropic", "httpx", "pydantic")
print([name for name in heavy if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (result.stdout.strip(), result.stderr) == ("[]", "")


def test_loading_ahead_brings_the_sdk() -> None:
    preload(Model("p", "m", "openai-completions", base_url="http://127.0.0.1:9"))

    assert "pydantic_ai.models.openai" in sys.modules


async def test_connections_can_be_closed_and_opened_again() -> None:
    with serving(in_turn([anthropic_reply({"text": "ok"})])) as server:
        model = Model("p", "m", "anthropic-messages", base_url=server.url, max_output_tokens=100)
        await answer(model, request(user("hi")))
        await close_connections()
        message = await answer(model, request(user("hi")))
        await close_connections()

    assert message["stopReason"] == "stop"
