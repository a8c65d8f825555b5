"""The Anthropic wire format, against a scripted server: content, thinking, caching, failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sapwood.models.model import Model
from sapwood.models.stream import StreamOptions
from support.fake_anthropic import anthropic_reply
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
from support.sse_server import SseServer, in_turn, serving

THINKING_MODEL = "claude-sonnet-4-5"


class Wire:
    """A server that answers with steps, and the model behind it."""

    def __init__(self, server: SseServer) -> None:
        self.server = server

    def model(self, model_id: str = THINKING_MODEL, **fields: Any) -> Model:
        fields = {"max_output_tokens": 8000, "reasoning": True, **fields}
        return Model(
            "anthropic", model_id, "anthropic-messages", base_url=self.server.url, **fields
        )

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [each.body for each in self.server.requests]


@pytest.fixture
def wire(steps: list[dict[str, Any]]) -> Iterator[Wire]:
    with serving(in_turn([anthropic_reply(step) for step in steps])) as server:
        yield Wire(server)


def steps(*given: dict[str, Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("steps", [list(given)], ids=["steps"])


@steps(
    {
        "thinking": "Let me look.",
        "signature": "sig-1",
        "text": "I will read it.",
        "tools": [{"name": "read", "arguments": {"path": "a.txt"}, "id": "toolu_1"}],
        "usage": {"input": 200, "output": 50, "cache_read": 1000, "cache_write": 300},
    }
)
async def test_text_thinking_and_a_tool_call_become_blocks_in_order(wire: Wire) -> None:
    message = await answer(wire.model(), request(user("hi"), tools=[READ]))

    assert message["content"] == [
        {"type": "thinking", "thinking": "Let me look.", "thinkingSignature": "sig-1"},
        {"type": "text", "text": "I will read it."},
        tool_call("toolu_1", path="a.txt"),
    ]
    assert message["stopReason"] == "toolUse"
    assert message["rawStopReason"] == "tool_use"
    assert message["responseId"] == "msg_1"
    assert (message["provider"], message["api"], message["model"]) == (
        "anthropic",
        "anthropic-messages",
        THINKING_MODEL,
    )


@steps(
    {"text": "ok", "usage": {"input": 200, "output": 50, "cache_read": 1000, "cache_write": 300}}
)
async def test_input_excludes_both_cache_figures_and_is_priced(wire: Wire) -> None:
    usage = (await answer(wire.model(), request(user("hi"))))["usage"]

    assert (usage["input"], usage["cacheRead"], usage["cacheWrite"]) == (200, 1000, 300)
    assert (usage["output"], usage["totalTokens"]) == (50, 1550)
    # Claude Sonnet 4.5: $3 in, $15 out, $0.30 cache read, $3.75 cache write per million tokens.
    assert usage["cost"]["input"] == pytest.approx(200 * 3e-6)
    assert usage["cost"]["cacheRead"] == pytest.approx(1000 * 0.3e-6)
    assert usage["cost"]["cacheWrite"] == pytest.approx(300 * 3.75e-6)
    assert usage["cost"]["total"] == pytest.approx(0.0006 + 0.0003 + 0.001125 + 0.00075)


@steps(
    {"thinking": "Hm.", "text": "Hello", "tools": [{"name": "read", "arguments": {"path": "a"}}]}
)
async def test_events_tell_the_growth_of_each_block(wire: Wire) -> None:
    events = await ask(wire.model(), request(user("hi"), tools=[READ]))

    assert [(e["type"], e.get("contentIndex")) for e in events] == [
        ("start", None),
        ("thinking_start", 0),
        ("thinking_delta", 0),
        ("thinking_delta", 0),
        ("thinking_end", 0),
        ("text_start", 1),
        ("text_delta", 1),
        ("text_delta", 1),
        ("text_end", 1),
        ("toolcall_start", 2),
        ("toolcall_delta", 2),
        ("toolcall_delta", 2),
        ("toolcall_end", 2),
        ("done", None),
    ]
    assert "".join(e["delta"] for e in events if e["type"] == "text_delta") == "Hello"
    assert events[8]["content"] == "Hello"
    assert events[12]["toolCall"]["arguments"] == {"path": "a"}


@steps({"text": "ok"})
async def test_own_thinking_goes_back_signed_and_redacted_thinking_too(wire: Wire) -> None:
    model = wire.model()
    history = [
        user("hi"),
        assistant(
            model,
            {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig-1"},
            {"type": "thinking", "thinking": "", "thinkingSignature": "blob", "redacted": True},
            {"type": "text", "text": "Hello"},
        ),
        user("again"),
    ]

    await answer(model, request(*history))

    assert wire.bodies[0]["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "sig-1"},
        {"type": "redacted_thinking", "data": "blob"},
        {"type": "text", "text": "Hello"},
    ]


@steps({"redacted": "blob", "text": "ok"})
async def test_redacted_thinking_is_kept_to_be_replayed(wire: Wire) -> None:
    message = await answer(wire.model(), request(user("hi")))

    assert message["content"][0] == {
        "type": "thinking",
        "thinking": "",
        "thinkingSignature": "blob",
        "redacted": True,
    }


@steps({"text": "ok"})
async def test_thinking_of_another_model_is_dropped_not_told(wire: Wire) -> None:
    other = Model("openai", "gpt-5", "openai-responses")
    thought = {"type": "thinking", "thinking": "secret plan", "thinkingSignature": "x"}
    history = [user("hi"), assistant(other, thought, {"type": "text", "text": "Hello"}), user("go")]

    await answer(wire.model(), request(*history))

    assert "secret plan" not in str(wire.bodies[0])
    assert wire.bodies[0]["messages"][1]["content"] == [{"type": "text", "text": "Hello"}]


@steps({"text": "ok"})
async def test_the_budget_stays_below_the_output_limit(wire: Wire) -> None:
    options = StreamOptions(api_key="k", thinking_level="high", max_tokens=4096)

    await answer(wire.model(), request(user("hi")), options)

    body = wire.bodies[0]
    assert body["max_tokens"] == 4096
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 4096 - 1024}


@steps({"text": "ok"})
@pytest.mark.parametrize(("level", "max_tokens"), [("off", 8000), ("high", 1500)])
async def test_no_thinking_when_off_or_without_room(
    wire: Wire, level: str, max_tokens: int
) -> None:
    options = StreamOptions(api_key="k", thinking_level=level, max_tokens=max_tokens)

    await answer(wire.model(), request(user("hi")), options)

    assert wire.bodies[0].get("thinking", {"type": "disabled"}) == {"type": "disabled"}


@steps({"text": "ok"})
async def test_newer_models_are_told_an_effort_instead_of_a_budget(wire: Wire) -> None:
    options = StreamOptions(api_key="k", thinking_level="medium")

    message = await answer(wire.model("claude-opus-4-6"), request(user("hi")), options)

    assert wire.bodies[0]["thinking"]["type"] == "adaptive"
    assert wire.bodies[0]["output_config"] == {"effort": "medium"}
    assert message["thinkingLevel"] == "medium"


@steps({"text": "ok"})
@pytest.mark.parametrize("own", [True, False])
async def test_a_turn_begun_by_another_model_ends_without_thinking(wire: Wire, own: bool) -> None:
    model = wire.model()
    author = model if own else Model("openai", "gpt-5", "openai-responses")
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig-1"}
    history = [
        user("read it"),
        assistant(author, thought, tool_call("t1", path="a"), stop="toolUse"),
        tool_result("t1", "text of a"),
    ]

    options = StreamOptions(api_key="k", thinking_level="low")
    await answer(model, request(*history, tools=[READ]), options)

    thinking = wire.bodies[0].get("thinking", {"type": "disabled"})
    assert thinking["type"] == ("enabled" if own else "disabled")


@steps({"text": "ok"})
async def test_prompt_tools_and_the_newest_message_are_cache_points(wire: Wire) -> None:
    await answer(wire.model(), request(user("one"), system_prompt="Be brief.", tools=[READ]))

    body = wire.bodies[0]
    assert body["system"][-1]["cache_control"]["type"] == "ephemeral"
    assert body["tools"][-1]["cache_control"]["type"] == "ephemeral"
    assert body["messages"][-1]["content"][-1]["cache_control"]["type"] == "ephemeral"


@steps({"text": "ok"})
async def test_failed_results_say_so_and_parallel_results_travel_together(wire: Wire) -> None:
    model = wire.model()
    history = [
        user("read both"),
        assistant(model, tool_call("t1", path="a"), tool_call("t2", path="b"), stop="toolUse"),
        tool_result("t1", "text of a"),
        tool_result("t2", "no such file", error=True),
    ]

    await answer(model, request(*history, tools=[READ]))

    last = wire.bodies[0]["messages"][-1]
    results = [(block["tool_use_id"], block.get("is_error")) for block in last["content"]]
    assert last["role"] == "user"
    assert results == [("t1", False), ("t2", True)]


FAILURES = [
    ("overflow", "overflow", None),
    ("output_limit", "output_limit", None),
    ("overloaded", "overloaded", None),
    ("rate_limit", "rate_limit", 7000),
    ("auth", "auth", None),
]


@pytest.mark.parametrize(("error", "kind", "wait"), FAILURES)
async def test_failures_are_events_of_their_kind(error: str, kind: str, wait: int | None) -> None:
    with serving(in_turn([anthropic_reply({"error": error})])) as server:
        event = (await ask(Wire(server).model(), request(user("hi"))))[-1]

        assert len(server.requests) == 1, "nothing is sent twice behind the caller's back"
    assert (event["type"], event["failure"].kind) == ("error", kind)
    assert event["failure"].retry_after_ms == wait
    assert event["message"]["stopReason"] == "error"
    assert event["message"]["errorMessage"] == event["failure"].message


async def test_overflow_names_the_window_and_what_was_sent() -> None:
    with serving(in_turn([anthropic_reply({"error": "overflow"})])) as server:
        failure = (await ask(Wire(server).model(), request(user("hi"))))[-1]["failure"]

    assert (failure.context_window, failure.input_tokens) == (200000, 213462)


@steps({"text": "half an ans", "cut": True})
async def test_a_cut_stream_is_network_trouble_and_keeps_what_came(wire: Wire) -> None:
    event = (await ask(wire.model(), request(user("hi"))))[-1]

    assert event["failure"].kind == "network"
    assert event["message"]["content"] == [{"type": "text", "text": "half an ans"}]


@steps({"text": "half an ans", "ends_early": True})
async def test_a_stream_without_its_end_is_not_a_finished_answer(wire: Wire) -> None:
    event = (await ask(wire.model(), request(user("hi"))))[-1]

    assert (event["type"], event["failure"].kind) == ("error", "network")


@steps({"text": "half", "stream_error": True})
async def test_an_error_inside_a_good_stream_is_found(wire: Wire) -> None:
    event = (await ask(wire.model(), request(user("hi"))))[-1]

    assert event["failure"].kind == "overloaded"
    assert event["message"]["content"] == [{"type": "text", "text": "half"}]


@steps({"text": "I cannot", "stop": "refusal"})
async def test_a_refusal_is_not_an_answer(wire: Wire) -> None:
    event = (await ask(wire.model(), request(user("hi"))))[-1]

    assert (event["type"], event["failure"].kind) == ("error", "refused")


@steps({"text": "to be contin", "stop": "max_tokens"})
async def test_an_answer_cut_at_the_limit_stops_with_length(wire: Wire) -> None:
    message = await answer(wire.model(), request(user("hi")))

    assert message["stopReason"] == "length"


@steps({"tools": [{"name": "read", "arguments": '{"a": 1, b": 2}', "id": "t1"}]})
async def test_malformed_arguments_are_kept_aside(wire: Wire) -> None:
    from sapwood.models.builder import malformed_arguments

    message = await answer(wire.model(), request(user("hi"), tools=[READ]))

    assert message["content"] == [tool_call("t1")]
    assert message["diagnostics"][0]["raw"] == '{"a": 1, b": 2}'
    assert list(malformed_arguments(message)) == ["t1"]
