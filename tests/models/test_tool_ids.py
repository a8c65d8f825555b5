"""Tool call ids fit the provider, stay paired and stay apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.models.model import Api, Model
from sapwood.models.tool_ids import ToolCallIds

RULES: dict[Api, str] = {
    "anthropic-messages": r"[a-zA-Z0-9_-]{1,64}",
    "openai-completions": r"[a-zA-Z0-9_-]{1,40}",
    "openai-responses": r"[a-zA-Z0-9_-]{1,64}",
}


def ids_for(api: Api, provider: str = "p") -> ToolCallIds:
    return ToolCallIds(Model(provider, "m", api))


def test_an_id_that_fits_is_left_alone() -> None:
    assert ids_for("anthropic-messages").for_call("toolu_01") == "toolu_01"


def test_the_item_id_of_the_responses_api_is_not_sent_elsewhere() -> None:
    ids = ids_for("anthropic-messages")

    assert ids.for_call("call_1|fc_9") == "call_1"
    assert ids.for_result("call_1|fc_9") == "call_1"


def test_an_id_used_twice_is_told_apart() -> None:
    ids = ids_for("openai-completions")

    first, first_result = ids.for_call("call_0"), ids.for_result("call_0")
    second, second_result = ids.for_call("call_0"), ids.for_result("call_0")

    assert first == first_result == "call_0"
    assert second == second_result != first


def test_mistral_wants_nine_letters_or_digits() -> None:
    wire = ids_for("openai-completions", "mistral").for_call("functions.read:0")

    assert re.fullmatch(r"[a-zA-Z0-9]{9}", wire)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(RULES)),
    st.lists(st.text(min_size=1, max_size=120), min_size=1, max_size=8),
)
def test_any_ids_fit_are_unique_and_stay_paired(api: Api, stored: list[str]) -> None:
    ids = ids_for(api)

    pairs = [(ids.for_call(each), ids.for_result(each)) for each in stored]

    assert all(call == result for call, result in pairs)
    assert len({call for call, _ in pairs}) == len(stored)
    assert all(re.fullmatch(RULES[api], call) for call, _ in pairs)


@pytest.mark.parametrize("api", sorted(RULES))
def test_the_same_history_gets_the_same_ids_again(api: Api) -> None:
    stored = ["functions.read:0", "a b", "x" * 100]

    assert [ids_for(api).for_call(s) for s in stored] == [ids_for(api).for_call(s) for s in stored]
