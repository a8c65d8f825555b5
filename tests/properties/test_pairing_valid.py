"""Whatever the record holds, the request made of it is valid, and no real result is lost."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.context.alternation import (
    answer_before_user,
    merge_assistants,
    merge_users,
    start_with_user,
)
from sapwood.context.answers import answer_calls, calls_of
from sapwood.context.blocks import drop_empty, make_readable
from sapwood.context.convert import to_model_messages
from sapwood.context.images import IMAGE_BYTES, limit_images
from sapwood.context.pairing import pair
from sapwood.context.projection import Projected
from sapwood.session.entry import Entry
from support.request_checker import faults

EXAMPLES = settings(max_examples=200, deadline=None)

# Every surrogate half is as likely as any other odd character.
TEXT = st.text(alphabet=st.sampled_from(" \n\taé😀<>/`\ud800\udc00\x00"), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
IDS = st.sampled_from(["a", "b", "c", ""])
TEXT_BLOCK = st.fixed_dictionaries({"type": st.just("text"), "text": TEXT | JSON})
IMAGE = st.fixed_dictionaries(
    {
        "type": st.just("image"),
        "data": st.sampled_from(["", "aGk="]),
        "mimeType": st.just("image/png"),
    }
)
THINKING = st.fixed_dictionaries({"type": st.just("thinking"), "thinking": TEXT})
CALL = st.fixed_dictionaries(
    {"type": st.just("toolCall"), "id": IDS, "name": st.sampled_from(["read", " ", "bash"])},
    optional={"arguments": JSON},
)
ODD_BLOCK = JSON | st.fixed_dictionaries({"type": JSON})
SAID = st.lists(TEXT_BLOCK | IMAGE | ODD_BLOCK, max_size=3) | TEXT | JSON
ANSWERED = st.lists(TEXT_BLOCK | THINKING | CALL | CALL | ODD_BLOCK, max_size=4) | TEXT | JSON
MESSAGE: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"role": st.just("user"), "content": SAID}),
    st.fixed_dictionaries({"role": st.just("assistant"), "content": ANSWERED}),
    st.fixed_dictionaries(
        {"role": st.just("toolResult"), "toolCallId": IDS, "content": SAID},
        optional={"toolName": TEXT, "isError": st.booleans()},
    ),
    st.fixed_dictionaries({"role": st.just("custom"), "content": SAID}),
    st.fixed_dictionaries(
        {"role": st.just("bashExecution"), "command": TEXT, "output": TEXT},
        optional={"excludeFromContext": st.booleans(), "exitCode": st.integers(0, 255)},
    ),
    st.fixed_dictionaries({"role": st.just("compactionSummary"), "summary": TEXT}),
    st.fixed_dictionaries({"role": st.just("branchSummary"), "summary": TEXT}),
    st.fixed_dictionaries({"role": st.sampled_from(["system", "nobody"]), "content": SAID}),
)
CONVERSATION = st.lists(MESSAGE, max_size=12)


def projected(messages: list[dict[str, Any]]) -> list[Projected]:
    numbers = count(1)
    items: list[Any] = [
        Projected(m, Entry(f"e{next(numbers)}", None, "message", "")) for m in messages
    ]  # type: ignore[arg-type]
    return items


def roles(items: list[Projected]) -> list[str]:
    return [item.message["role"] for item in items]


@EXAMPLES
@given(CONVERSATION)
def test_a_request_is_always_valid(messages: list[dict[str, Any]]) -> None:
    items = pair(to_model_messages(projected(messages)))
    assert faults([item.message for item in items]) == []


@EXAMPLES
@given(CONVERSATION)
def test_pairing_again_changes_nothing(messages: list[dict[str, Any]]) -> None:
    once = pair(to_model_messages(projected(messages)))
    assert [item.message for item in pair(once)] == [item.message for item in once]


@EXAMPLES
@given(CONVERSATION)
def test_every_item_comes_from_an_entry_of_the_projection(messages: list[dict[str, Any]]) -> None:
    items = projected(messages)
    known = {id(item.entry) for item in items}
    for item in pair(to_model_messages(items)):
        assert {id(entry) for entry in (item.entry, *item.merged)} <= known


@EXAMPLES
@given(CONVERSATION)
def test_content_is_readable_and_never_empty(messages: list[dict[str, Any]]) -> None:
    for item in drop_empty(make_readable(to_model_messages(projected(messages)))):
        alone = [fault for fault in faults([item.message]) if "says" in fault or "blank" in fault]
        assert alone == []


@EXAMPLES
@given(CONVERSATION)
def test_every_real_result_stays(messages: list[dict[str, Any]]) -> None:
    readable = drop_empty(make_readable(to_model_messages(projected(messages))))
    answered = answer_calls(readable)
    for item in readable:
        if item.message["role"] != "toolResult":
            continue
        (kept,) = [other for other in answered if other.entry is item.entry]
        if kept.message["role"] == "toolResult":
            assert kept.message["content"] == item.message["content"]
        else:
            assert kept.message["role"] == "user"


@EXAMPLES
@given(CONVERSATION)
def test_calls_and_results_match_one_to_one(messages: list[dict[str, Any]]) -> None:
    answered = answer_calls(drop_empty(make_readable(to_model_messages(projected(messages)))))
    waiting: list[str] = []
    for item in answered:
        if item.message["role"] == "toolResult":
            assert waiting.pop(0) == item.message["toolCallId"]
        else:
            assert waiting == []
            waiting = [call["id"] for call in calls_of(item.message)]
    assert waiting == []


@EXAMPLES
@given(CONVERSATION)
def test_each_rule_of_order(messages: list[dict[str, Any]]) -> None:
    items = answer_calls(drop_empty(make_readable(to_model_messages(projected(messages)))))
    items = merge_users(items)
    assert ("user", "user") not in pairs(items)
    items = merge_assistants(items)
    assert ("assistant", "assistant") not in pairs(items)
    items = start_with_user(items)
    assert roles(items)[:1] in ([], ["user"])
    assert ("toolResult", "user") not in pairs(answer_before_user(items))


def pairs(items: list[Projected]) -> set[tuple[str, str]]:
    return set(zip(roles(items), roles(items)[1:], strict=False))


@EXAMPLES
@given(st.lists(st.integers(1, IMAGE_BYTES // 2), max_size=12))
def test_images_stay_within_their_limit_and_the_newest_stays(sizes: list[int]) -> None:
    # A range has a length, and takes no memory: all that the rule asks of the data of an image.
    messages = [
        {
            "role": "user",
            "content": [{"type": "image", "data": range(size), "mimeType": "image/png"}],
        }
        for size in sizes
    ]
    blocks = [item.message["content"][0] for item in limit_images(projected(messages))]  # type: ignore[index,typeddict-item]
    kept = [len(block["data"]) for block in blocks if block["type"] == "image"]
    assert sum(kept) <= IMAGE_BYTES
    assert kept == sizes[len(sizes) - len(kept) :]
    assert not sizes or kept
