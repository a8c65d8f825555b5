"""The OpenAI Responses format, against a scripted server."""

from __future__ import annotations

import json
from typing import Any

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

REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Look first."}],
    "encrypted_content": "blob",
}


def model_at(server: SseServer, **fields: Any) -> Model:
    fields = {"max_output_tokens": 4000, "reasoning": True, **fields}
    return Model("openai", "gpt-5", "openai-responses", base_url=f"{server.url}/v1", **fields)


def reply(*middle: dict[str, Any], status: str = "completed", end: bool = True) -> Reply:
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5",
        "status": "in_progress",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    usage = {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 600},
        "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 30},
        "total_tokens": 1050,
    }
    incomplete = {"reason": "max_output_tokens"} if status == "incomplete" else None
    final = {**response, "status": status, "usage": usage, "incomplete_details": incomplete}
    events = [{"type": "response.created", "response": response}, *middle]
    if end:
        events.append({"type": f"response.{status}", "response": final})
    numbered = [{**event, "sequence_number": n} for n, event in enumerate(events)]
    return Reply(events=[(event["type"], event) for event in numbered])


def thought() -> list[dict[str, Any]]:
    item = {**REASONING, "summary": [], "encrypted_content": None}
    place = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    text = "Look first."
    return [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.reasoning_summary_part.added",
            **place,
            "part": {"type": "summary_text", "text": ""},
        },
        {"type": "response.reasoning_summary_text.delta", **place, "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": REASONING},
    ]


def said(text: str) -> list[dict[str, Any]]:
    item: dict[str, Any] = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    return [
        {"type": "response.output_item.added", "output_index": 1, "item": item},
        {"type": "response.content_part.added", **place, "part": part},
        {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []},
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
    ]


def called(arguments: str) -> list[dict[str, Any]]:
    item = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "read",
        "arguments": "",
        "status": "in_progress",
    }
    place = {"item_id": "fc_1", "output_index": 2}
    done = {**item, "arguments": arguments, "status": "completed"}
    return [
        {"type": "response.output_item.added", "output_index": 2, "item": item},
        {"type": "response.function_call_arguments.delta", **place, "delta": arguments},
        {"type": "response.output_item.done", "output_index": 2, "item": done},
    ]


async def test_reasoning_text_and_calls_with_what_replay_needs() -> None:
    with serving(in_turn([reply(*thought(), *said("Sure."), *called('{"path": "a"}'))])) as server:
        message = await answer(model_at(server), request(user("hi"), tools=[READ]))

    thinking, text, call = message["content"]
    assert thinking["type"] == "thinking"
    assert thinking["thinking"] == "Look first."
    assert json.loads(thinking["thinkingSignature"]) == REASONING
    assert text == {"type": "text", "text": "Sure.", "textSignature": "msg_1"}
    assert call == tool_call("call_1|fc_1", path="a")
    assert message["stopReason"] == "toolUse"
    usage = message["usage"]
    assert (usage["input"], usage["cacheRead"], usage["output"]) == (400, 600, 50)
    assert usage["reasoning"] == 30
    assert usage["cost"]["total"] > 0


async def test_what_is_sent_keyed_for_the_cache_and_not_stored() -> None:
    with serving(in_turn([reply(*said("ok"))])) as server:
        options = StreamOptions(api_key="k", session_id="session-7", thinking_level="high")
        await answer(model_at(server), request(user("hi"), tools=[READ]), options)

        body = server.requests[0].body
    assert body["prompt_cache_key"] == "session-7"
    assert body["store"] is False
    assert body["instructions"] == "Be brief."
    assert body["max_output_tokens"] == 4000
    assert body["reasoning"]["effort"] == "high"
    assert body["include"] == ["reasoning.encrypted_content"]


async def test_own_reasoning_goes_back_with_its_call_and_foreign_ids_are_made_to_fit() -> None:
    with serving(in_turn([reply(*said("ok"))])) as server:
        model = model_at(server)
        signed = {
            "type": "thinking",
            "thinking": "Look first.",
            "thinkingSignature": json.dumps(REASONING),
        }
        other = Model("anthropic", "claude-sonnet-4-5", "anthropic-messages")
        history = [
            user("hi"),
            assistant(model, signed, tool_call("call_1|fc_1", path="a"), stop="toolUse"),
            tool_result("call_1|fc_1", "text"),
            assistant(other, tool_call("toolu_" + "x" * 80, path="b"), stop="toolUse"),
            tool_result("toolu_" + "x" * 80, "text"),
        ]
        await answer(model, request(*history, tools=[READ]))

        items = server.requests[0].body["input"]
    reasoning = next(item for item in items if item.get("type") == "reasoning")
    assert reasoning["encrypted_content"] == "blob"
    assert reasoning["summary"] == REASONING["summary"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    results = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert calls[0] == "call_1"
    assert calls == results
    assert all(len(call) <= 64 for call in calls)


async def test_an_answer_cut_at_the_limit_stops_with_length() -> None:
    with serving(in_turn([reply(*said("to be contin"), status="incomplete")])) as server:
        message = await answer(model_at(server), request(user("hi")))

    assert message["stopReason"] == "length"


async def test_a_stream_without_its_end_is_not_a_finished_answer() -> None:
    with serving(in_turn([reply(*said("half"), end=False)])) as server:
        event = (await ask(model_at(server), request(user("hi"))))[-1]

    assert (event["type"], event["failure"].kind) == ("error", "network")


async def test_a_failure_inside_the_stream() -> None:
    failed = reply(end=False)
    error = {"code": "context_length_exceeded", "message": "Your input exceeds the context window"}
    response = {**failed.events[0][1]["response"], "status": "failed", "error": error}
    event = {"type": "response.failed", "sequence_number": 1, "response": response}
    failed.events.append(("response.failed", event))
    with serving(in_turn([failed])) as server:
        last = (await ask(model_at(server), request(user("hi"))))[-1]

    assert last["failure"].kind == "overflow"
