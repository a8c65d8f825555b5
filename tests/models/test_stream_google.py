"""The Gemini format, against a scripted server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sapwood.models.model import Model
from sapwood.models.stream import StreamOptions
from support.model_requests import (
    READ,
    answer,
    ask,
    assistant,
    request,
    tool_call,
    tool_result,
    user,
)
from support.sse_server import Reply, SseServer, in_turn, serving


def model_at(server: SseServer, **fields: Any) -> Model:
    fields = {"max_output_tokens": 4000, "reasoning": True, **fields}
    return Model(
        "google", "gemini-2.5-flash", "google-generative-ai", base_url=server.url, **fields
    )


def chunk(*parts: dict[str, Any], finish: str | None = None) -> tuple[None, dict[str, Any]]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 600,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 1050,
    }
    return None, {"candidates": [candidate], "usageMetadata": usage, "responseId": "r1"}


THOUGHT = {"text": "Hm.", "thought": True}
CALL = {"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "c2ln"}


async def test_thinking_text_and_signed_calls() -> None:
    reply = Reply(events=[chunk(THOUGHT), chunk({"text": "Sure."}), chunk(CALL, finish="STOP")])
    with serving(in_turn([reply])) as server:
        message = await answer(model_at(server), request(user("hi"), tools=[READ]))

    thinking, text, call = message["content"]
    assert (thinking["thinking"], text["text"]) == ("Hm.", "Sure.")
    assert (call["name"], call["arguments"]) == ("read", {"path": "a"})
    assert call["thoughtSignature"] == "c2ln"
    assert call["id"]
    assert message["stopReason"] == "toolUse"
    usage = message["usage"]
    assert (usage["input"], usage["cacheRead"], usage["output"]) == (400, 600, 50)
    assert usage["reasoning"] == 30


async def test_what_is_sent_and_signatures_go_back_to_their_model() -> None:
    with serving(in_turn([Reply(events=[chunk({"text": "ok"}, finish="STOP")])])) as server:
        model = model_at(server)
        signed = {**tool_call("c1", path="a"), "thoughtSignature": "c2ln"}
        history = [user("hi"), assistant(model, signed, stop="toolUse"), tool_result("c1", "text")]
        options = StreamOptions(api_key="k", thinking_level="max", max_tokens=3072)
        await answer(model, request(*history, tools=[READ]), options)

        body = server.requests[0].body
    assert body["systemInstruction"]["parts"][0]["text"] == "Be brief."
    part = body["contents"][1]["parts"][0]
    assert part["functionCall"]["args"] == {"path": "a"}
    assert part["thoughtSignature"] == "c2ln"
    assert body["generationConfig"]["maxOutputTokens"] == 3072
    assert body["generationConfig"]["thinkingConfig"] == {
        "include_thoughts": True,
        "thinking_budget": 2048,
    }


OVERFLOW = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


@pytest.mark.parametrize(
    ("status", "message", "state", "kind"),
    [
        (400, OVERFLOW, "INVALID_ARGUMENT", "overflow"),
        (
            429,
            "Resource has been exhausted. Please retry in 3s.",
            "RESOURCE_EXHAUSTED",
            "rate_limit",
        ),
        (503, "The model is overloaded. Please try again later.", "UNAVAILABLE", "overloaded"),
        (400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", "auth"),
    ],
)
async def test_kinds_of_failure(status: int, message: str, state: str, kind: str) -> None:
    body = {"error": {"code": status, "message": message, "status": state}}
    with serving(in_turn([Reply(status, body)])) as server:
        failure = (await ask(model_at(server), request(user("hi"))))[-1]["failure"]

        assert len(server.requests) == 1
    assert failure.kind == kind, failure.message
    if kind == "overflow":
        assert (failure.context_window, failure.input_tokens) == (1048576, 1200000)
    if kind == "rate_limit":
        assert failure.retry_after_ms == 3000


async def test_a_blocked_answer_is_refused() -> None:
    reply = Reply(events=[chunk({"text": "I"}), chunk(finish="SAFETY")])
    with serving(in_turn([reply])) as server:
        event = (await ask(model_at(server), request(user("hi"))))[-1]

    assert (event["type"], event["failure"].kind) == ("error", "refused")
    assert json.dumps(event["message"]["content"]) == '[{"type": "text", "text": "I"}]'
