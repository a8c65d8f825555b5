"""Cancelling: the connection closes at once, and what had arrived is not lost."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator

import pytest

from sapwood.models.model import Model
from sapwood.models.stream import ModelStream, StreamOptions, stream
from support.fake_anthropic import anthropic_reply
from support.model_requests import READ, request, user
from support.sse_server import Reply, SseServer, serving

CHAT_HALF = {
    "id": "c1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "half an"}, "finish_reason": None}],
}


@pytest.fixture(params=["anthropic-messages", "openai-completions"])
def hanging(request: pytest.FixtureRequest) -> Iterator[tuple[Model, SseServer]]:
    """A model that says half an answer and then nothing, and its server."""
    anthropic = request.param == "anthropic-messages"
    reply = (
        anthropic_reply({"text": "half an", "hang": True})
        if anthropic
        else Reply(events=[(None, CHAT_HALF)], hang=True)
    )
    with serving(lambda _: reply) as server:
        url = server.url if anthropic else f"{server.url}/v1"
        yield Model("p", "m", request.param, base_url=url, max_output_tokens=1000), server


async def read_until(answer: ModelStream, text: str, seen: asyncio.Event) -> None:
    said = ""
    async for event in answer:
        said += event.get("delta", "")
        if said == text:
            seen.set()


async def test_cancelling_the_task_closes_the_connection_within_a_second(
    hanging: tuple[Model, SseServer],
) -> None:
    model, server = hanging
    answer = stream(model, request(user("hi"), tools=[READ]), StreamOptions(api_key="k"))
    seen = asyncio.Event()
    reading = asyncio.create_task(read_until(answer, "half an", seen))
    await asyncio.wait_for(seen.wait(), 20)

    cancelled_at = time.monotonic()
    reading.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await reading

    assert reading.cancelled()
    assert await asyncio.to_thread(server.hung_up.wait, 10)
    assert server.hung_up_at - cancelled_at < 1


async def test_the_partial_message_can_be_read_after_a_cancellation(
    hanging: tuple[Model, SseServer],
) -> None:
    model, _ = hanging
    answer = stream(model, request(user("hi")), StreamOptions(api_key="k"))
    seen = asyncio.Event()
    reading = asyncio.create_task(read_until(answer, "half an", seen))
    await asyncio.wait_for(seen.wait(), 20)
    reading.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await reading

    message = answer.aborted()

    assert message["content"] == [{"type": "text", "text": "half an"}]
    assert message["stopReason"] == "aborted"
    assert message["errorMessage"]


async def test_leaving_early_closes_the_connection_too(hanging: tuple[Model, SseServer]) -> None:
    model, server = hanging
    answer = stream(model, request(user("hi")), StreamOptions(api_key="k"))
    async for event in answer:
        if event["type"] == "text_delta":
            break

    await answer.aclose()

    assert await asyncio.to_thread(server.hung_up.wait, 10)


async def test_cancelling_before_the_first_byte() -> None:
    with serving(lambda _: Reply(hang=True)) as server:
        model = Model("p", "m", "openai-completions", base_url=f"{server.url}/v1")
        answer = stream(model, request(user("hi")), StreamOptions())
        reading = asyncio.create_task(read_until(answer, "never", asyncio.Event()))
        while not server.requests:
            await asyncio.sleep(0.01)
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading

        assert await asyncio.to_thread(server.hung_up.wait, 10)
    assert answer.aborted()["content"] == []
