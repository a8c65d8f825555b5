"""The OpenAI chat format and servers that speak it, against scripted servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sapwood.models.model import Model, ModelCost
from sapwood.models.stream import StreamOptions
from support import fake_llm
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


def local(url: str, **fields: Any) -> Model:
    fields = {"max_output_tokens": 1000, "context_window": 8000, "cost": ModelCost(), **fields}
    return Model("local", "m", "openai-completions", base_url=f"{url}/v1", **fields)


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> tuple[None, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return None, {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **more,
    }


def chat(*deltas: dict[str, Any], finish: str | None = "stop", **how: Any) -> Reply:
    """A chat stream without usage figures."""
    events = [chunk({"role": "assistant", "content": ""}), *(chunk(d) for d in deltas)]
    if finish:
        events += [chunk({}, finish), (None, "[DONE]")]
    return Reply(events=events, **how)


@pytest.fixture
def scripted() -> Any:
    """Starts `fake_llm` with steps; gives the model behind it and the requests it saw."""
    servers = []

    def start(*steps: dict[str, Any]) -> tuple[Model, list[dict[str, Any]]]:
        server, state = fake_llm.serve(script=list(steps))
        servers.append(server)
        return local(f"http://127.0.0.1:{server.server_address[1]}"), state.requests

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


Start = Callable[..., tuple[Model, list[dict[str, Any]]]]


async def test_text_reasoning_and_tool_calls(scripted: Start) -> None:
    tools = [{"name": "read", "arguments": {"path": "é.txt"}, "id": "call_9"}]
    usage = {"prompt": 1000, "completion": 20, "cached": 600}
    model, _ = scripted({"thinking": "Hm.", "text": "Sure.", "tools": tools, "usage": usage})

    message = await answer(model, request(user("hi"), tools=[READ]))

    assert message["content"] == [
        {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "reasoning_content"},
        {"type": "text", "text": "Sure."},
        tool_call("call_9", path="é.txt"),
    ]
    assert message["stopReason"] == "toolUse"
    assert (message["usage"]["input"], message["usage"]["cacheRead"]) == (400, 600)
    assert message["usage"]["totalTokens"] == 1020


async def test_what_is_sent(scripted: Start) -> None:
    model, requests = scripted({"text": "ok"})
    history = [
        user("read it"),
        assistant(
            model, {"type": "text", "text": "Yes."}, tool_call("call_1", path="a"), stop="toolUse"
        ),
        tool_result("call_1", "text of a"),
        user([{"type": "text", "text": "and?"}]),
    ]

    await answer(model, request(*history, tools=[READ]))

    body = requests[0]["body"]
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert body["messages"][0]["content"] == "Be brief."
    assert json.loads(body["messages"][2]["tool_calls"][0]["function"]["arguments"]) == {
        "path": "a"
    }
    assert body["messages"][3]["tool_call_id"] == "call_1"
    assert body["tools"][0]["function"]["name"] == "read"
    assert body["max_tokens"] == 1000
    assert "max_completion_tokens" not in body
    assert "reasoning_effort" not in body


async def test_a_request_without_tools_names_no_tools(scripted: Start) -> None:
    model, requests = scripted({"text": "ok"})

    await answer(model, request(user("summarize")))

    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(requests[0]["body"])


async def test_the_models_own_price_comes_first(scripted: Start) -> None:
    plain, _ = scripted({"text": "ok", "usage": {"prompt": 1000, "completion": 100}})
    model = local(plain.base_url.removesuffix("/v1"), cost=ModelCost(input=2.0, output=10.0))

    usage = (await answer(model, request(user("hi"))))["usage"]

    assert usage["cost"]["total"] == pytest.approx(1000 * 2e-6 + 100 * 10e-6)


async def test_missing_usage_is_marked_not_counted() -> None:
    with serving(in_turn([chat({"content": "Hello"})])) as server:
        message = await answer(local(server.url), request(user("hi")))

    assert message["usage"]["totalTokens"] == 0
    assert message["diagnostics"] == [{"type": "usage_not_reported"}]


async def test_reasoning_goes_back_to_its_model_in_its_own_field(scripted: Start) -> None:
    model, requests = scripted({"text": "ok"})
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "reasoning_content"}
    history = [user("hi"), assistant(model, thought, {"type": "text", "text": "Yes."}), user("go")]

    await answer(model, request(*history))

    sent = requests[0]["body"]["messages"][2]
    assert sent["content"] == "Yes."
    assert sent["reasoning_content"] == "Hm."


async def test_reasoning_of_another_model_is_dropped(scripted: Start) -> None:
    model, requests = scripted({"text": "ok"})
    other = Model("deepseek", "deepseek-reasoner", "openai-completions")
    thought = {"type": "thinking", "thinking": "secret", "thinkingSignature": "reasoning_content"}
    history = [user("hi"), assistant(other, thought, {"type": "text", "text": "Yes."}), user("go")]

    await answer(model, request(*history))

    assert "secret" not in json.dumps(requests[0]["body"])


async def test_parallel_calls_may_interleave() -> None:
    def call(index: int, text: str, name: str | None = None) -> dict[str, Any]:
        function: dict[str, Any] = {"arguments": text}
        call: dict[str, Any] = {"index": index, "function": function}
        if name:
            function["name"] = name
            call |= {"id": f"call_{index}", "type": "function"}
        return {"tool_calls": [call]}

    deltas = [
        call(0, '{"path"', "read"),
        call(1, '{"pa', "read"),
        call(0, ':"a"}'),
        call(1, 'th":"b"}'),
    ]
    with serving(in_turn([chat(*deltas, finish="tool_calls")])) as server:
        message = await answer(local(server.url), request(user("hi"), tools=[READ]))

    assert message["content"] == [tool_call("call_0", path="a"), tool_call("call_1", path="b")]


@pytest.mark.parametrize("given_id", ["", "same"])
async def test_calls_without_an_id_of_their_own_get_one(given_id: str) -> None:
    calls = [
        {
            "index": i,
            "id": given_id,
            "type": "function",
            "function": {"name": "read", "arguments": "{}"},
        }
        for i in range(3)
    ]
    with serving(in_turn([chat({"tool_calls": calls}, finish="tool_calls")])) as server:
        message = await answer(local(server.url), request(user("hi"), tools=[READ]))

    ids = [block["id"] for block in message["content"] if block["type"] == "toolCall"]
    assert len(set(ids)) == 3
    assert all(ids)


@pytest.mark.parametrize("raw", ['{"a": 1, b": 2}', '{"a": ', "[1]", "NaN"])
async def test_malformed_arguments_never_reach_the_history(scripted: Start, raw: str) -> None:
    call = {
        "index": 0,
        "id": "c9",
        "type": "function",
        "function": {"name": "read", "arguments": raw},
    }
    with serving(
        in_turn([chat({"tool_calls": [call]}, finish="tool_calls"), chat({"content": "ok"})])
    ) as server:
        model = local(server.url)
        first = await answer(model, request(user("hi"), tools=[READ]))
        result = tool_result("c9", "The arguments were not valid JSON", error=True)
        await answer(model, request(user("hi"), first, result, tools=[READ]))

        sent = server.requests[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {}
    assert first["diagnostics"][0]["raw"] == raw


async def test_arguments_in_single_characters_leave_only_documented_fields() -> None:
    text = '{"path": "a.txt"}'
    deltas = [{"tool_calls": [{"index": 0, "function": {"arguments": c}}]} for c in text]
    first = {
        "index": 0,
        "id": "c1",
        "type": "function",
        "function": {"name": "read", "arguments": ""},
    }
    with serving(in_turn([chat({"tool_calls": [first]}, *deltas, finish="tool_calls")])) as server:
        message = await answer(local(server.url), request(user("hi"), tools=[READ]))

    assert message["content"] == [tool_call("c1", path="a.txt")]
    assert set(message) <= {
        "role",
        "content",
        "api",
        "provider",
        "model",
        "usage",
        "stopReason",
        "timestamp",
        "responseId",
        "rawStopReason",
        "diagnostics",
    }


async def test_a_prompt_with_half_a_pair_can_still_be_sent(scripted: Start) -> None:
    model, requests = scripted({"text": "ok"})

    await answer(model, request(user("hi"), system_prompt="Be \ud83d brief."))

    assert requests[0]["body"]["messages"][0]["content"] == "Be \ufffd brief."


async def test_images_go_to_models_with_vision_and_leave_a_marker_for_others(
    scripted: Start,
) -> None:
    blind, requests = scripted({"text": "ok"})
    seeing = local(blind.base_url.removesuffix("/v1"), inputs=("text", "image"))
    image = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    history = [
        user([{"type": "text", "text": "look"}, image]),
        assistant(blind, tool_call("c1", path="a.png"), stop="toolUse"),
        tool_result("c1", "read a.png", image),
    ]

    await answer(blind, request(*history, tools=[READ]))
    await answer(seeing, request(*history, tools=[READ]))

    blind_text, seeing_text = (json.dumps(r["body"]) for r in requests)
    assert blind_text.count("cannot see images") == 2
    assert "iVBORw0KGgo=" not in blind_text
    assert seeing_text.count("data:image/png;base64,iVBORw0KGgo=") == 2


async def test_the_output_limit_fits_what_the_window_leaves(scripted: Start) -> None:
    plain, requests = scripted({"text": "ok"})
    model = local(plain.base_url.removesuffix("/v1"), context_window=4000, max_output_tokens=3000)

    await answer(model, request(user("x" * 8000)))

    assert 1024 <= requests[0]["body"]["max_tokens"] <= 2000


async def test_reasoning_effort_is_asked_only_of_models_that_reason(scripted: Start) -> None:
    plain, requests = scripted({"text": "ok"})
    model = local(plain.base_url.removesuffix("/v1"), reasoning=True)

    for level in ("high", "max", "off"):
        await answer(model, request(user("hi")), StreamOptions(thinking_level=level))

    efforts = [r["body"].get("reasoning_effort") for r in requests]
    assert efforts == ["high", "high", None]


async def test_headers_and_key_reach_the_server() -> None:
    with serving(in_turn([chat({"content": "ok"})])) as server:
        model = local(server.url, headers={"X-Team": "blue"})
        await answer(
            model, request(user("hi")), StreamOptions(api_key="secret", headers={"X-Run": "7"})
        )

        headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer secret"
    assert (headers["x-team"], headers["x-run"]) == ("blue", "7")


LLAMA_OVERFLOW = {
    "error": {
        "code": 400,
        "message": "the request exceeds the available context size. try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 9210,
        "n_ctx": 8192,
    }
}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, LLAMA_OVERFLOW, "overflow"),
        (
            400,
            {"error": {"message": "invalid params, context window exceeds limit (2013)"}},
            "overflow",
        ),
        (400, {"error": {"message": "x", "code": "context_length_exceeded"}}, "overflow"),
        (400, None, "fatal"),
        (413, {"error": {"message": "Request Entity Too Large"}}, "overflow"),
        (
            413,
            {"error": {"message": "Request too large for model `m` on tokens per minute (TPM)"}},
            "rate_limit",
        ),
        (429, {"error": {"message": "Rate limit reached: 60000 tokens per minute"}}, "rate_limit"),
        (429, {"error": {"message": "quota", "code": "insufficient_quota"}}, "fatal"),
        (500, {"error": {"message": "internal"}}, "overloaded"),
        (
            500,
            {"error": {"message": "context size has been exceeded: prompt is too long"}},
            "overflow",
        ),
        (502, None, "overloaded"),
        (503, {"error": {"message": "Loading model"}}, "overloaded"),
        (401, {"error": {"message": "Incorrect API key provided"}}, "auth"),
        (404, {"error": {"message": "The model `m` does not exist"}}, "fatal"),
    ],
)
async def test_kinds_of_failure_by_status_and_body(status: int, body: Any, kind: str) -> None:
    with serving(in_turn([Reply(status, body)])) as server:
        failure = (await ask(local(server.url), request(user("hi"))))[-1]["failure"]

        assert len(server.requests) == 1
    assert failure.kind == kind, failure.message


async def test_the_window_is_learnt_from_llama_cpp() -> None:
    with serving(in_turn([Reply(400, LLAMA_OVERFLOW)])) as server:
        failure = (await ask(local(server.url, context_window=None), request(user("hi"))))[-1][
            "failure"
        ]

    assert (failure.context_window, failure.input_tokens) == (8192, 9210)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (
            "<html><head><title>Bad\nGateway</title>" + "x" * 5000,
            "502 a web page instead of an answer: Bad Gateway",
        ),
        ("<!doctype html><p>Please log in</p>", "502 a web page, no answer"),
        ("x" * 5000, "502 " + "x" * 995 + "…"),
    ],
)
async def test_a_web_page_for_an_answer_is_told_in_a_readable_length(page: str, told: str) -> None:
    with serving(in_turn([Reply(502, {"error": page})])) as server:
        message = (await ask(local(server.url), request(user("hi"))))[-1]["message"]

    assert message["errorMessage"] == told


async def test_nobody_listening_is_network_trouble() -> None:
    with serving(in_turn([chat({"content": "ok"})])) as server:
        url = server.url

    event = (await ask(local(url), request(user("hi"))))[-1]

    assert event["failure"].kind == "network"
    assert "\n" not in event["message"]["errorMessage"]


@pytest.mark.parametrize("how", [{"cut": True}, {}], ids=["dropped", "ends without a stop reason"])
async def test_a_cut_stream_is_network_trouble(how: dict[str, bool]) -> None:
    with serving(in_turn([chat({"content": "half"}, finish=None, **how)])) as server:
        event = (await ask(local(server.url), request(user("hi"))))[-1]

    assert event["failure"].kind == "network"
    assert event["message"]["content"] == [{"type": "text", "text": "half"}]


async def test_an_unfinished_tool_call_is_not_a_call() -> None:
    call = {
        "index": 0,
        "id": "c1",
        "type": "function",
        "function": {"name": "read", "arguments": '{"pa'},
    }
    reply = chat({"content": "I read"}, {"tool_calls": [call]}, finish=None, cut=True)
    with serving(in_turn([reply])) as server:
        message = (await ask(local(server.url), request(user("hi"), tools=[READ])))[-1]["message"]

    assert message["content"] == [{"type": "text", "text": "I read"}]
    assert message["diagnostics"][0]["raw"] == '{"pa'


@pytest.mark.parametrize("body", ["<html>502 Bad Gateway</html>", "not json"])
async def test_a_stream_of_nonsense_is_a_failure_not_a_crash(body: str) -> None:
    with serving(in_turn([Reply(events=[(None, body)])])) as server:
        event = (await ask(local(server.url), request(user("hi"))))[-1]

    assert event["type"] == "error"


async def test_an_answer_the_sdk_stumbles_over_is_told_in_our_words() -> None:
    body = '{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":null}'
    with serving(in_turn([Reply(events=[(None, body), (None, "null")])])) as server:
        event = (await ask(local(server.url), request(user("hi"))))[-1]

    assert event["message"]["errorMessage"].startswith("The provider's answer makes no sense (")


@pytest.mark.parametrize(
    ("prompt_tokens", "completion_tokens"), [(-5, "many"), (None, None), ("9", {}), (0, 0)]
)
async def test_impossible_usage_counts_nothing(prompt_tokens: Any, completion_tokens: Any) -> None:
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    end = chunk({}, "stop", usage=usage)
    reply = Reply(events=[chunk({"content": "hi"}), end, (None, "[DONE]")])
    with serving(in_turn([reply])) as server:
        event = (await ask(local(server.url), request(user("hi"))))[-1]

    assert event["type"] == "done"
    counted = event["message"]["usage"]
    assert all(counted[part] >= 0 for part in ("input", "output", "totalTokens"))
    assert counted["totalTokens"] <= 9


async def test_a_text_of_megabytes_in_one_piece() -> None:
    text = "word " * 600_000
    with serving(in_turn([chat({"content": text})])) as server:
        event = (await ask(local(server.url), request(user("hi"))))[-1]

    assert event["message"]["content"] == [{"type": "text", "text": text}]


async def test_connections_are_used_again(scripted: Start) -> None:
    ports = set()

    class Watching(SseServer):
        pass

    def reply(_: Any) -> Reply:
        return chat({"content": "ok"})

    with serving(reply) as server:
        original = server._server.process_request

        def count(sock: Any, address: Any) -> None:
            ports.add(address)
            original(sock, address)

        server._server.process_request = count  # type: ignore[method-assign]
        for _ in range(5):
            await answer(local(server.url), request(user("hi")))

    assert len(ports) == 1
