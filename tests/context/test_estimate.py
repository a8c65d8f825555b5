"""How many tokens: reported usage where it can be trusted, an estimate elsewhere."""

from __future__ import annotations

from typing import Any

from sapwood.context.estimate import (
    ContextEstimate,
    estimate_context,
    estimate_projection,
    estimate_tokens,
    last_assistant_usage,
    usage_tokens,
)
from sapwood.context.projection import project
from support.message_makers import NO_USAGE, assistant, session, user


def reported(text: str, total: int, **more: Any) -> Any:
    return {**assistant(text), "usage": {**NO_USAGE, "totalTokens": total}, **more}


def test_a_message_costs_a_quarter_of_its_utf16_units_rounded_up() -> None:
    assert estimate_tokens(user("")) == 0  # type: ignore[arg-type]
    assert estimate_tokens(user("abcde")) == 2  # type: ignore[arg-type]
    assert estimate_tokens(user("😀😀x")) == 2  # type: ignore[arg-type]


def test_what_cannot_be_read_counts_nothing_and_stops_nothing() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    odd: list[Any] = [
        {"role": "user"},
        {"role": "user", "content": {"a": 1}},
        {"role": "user", "content": [None, "text", {"type": []}, {"type": "text"}]},
        {"role": "assistant", "content": "text"},
        {"role": "assistant", "content": [{"type": "toolCall"}, {"type": "thinking"}]},
        {"role": "assistant", "content": [{"type": "toolCall", "arguments": deep}]},
        {"role": "system", "content": None, "sections": [], "toolsAdded": None},
        {"role": "bashExecution"},
        {"role": "nobody", "content": "much text"},
    ]
    assert [estimate_tokens(message) for message in odd] == [0] * len(odd)


def test_usage_is_the_total_or_else_the_sum_of_all_its_parts() -> None:
    parts = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}
    assert usage_tokens({**parts, "totalTokens": 99}) == 99
    assert usage_tokens({**parts, "totalTokens": 0}) == 10
    assert usage_tokens(parts) == 10
    assert usage_tokens({"input": 5}) == 0
    assert usage_tokens(None) == 0


def test_the_last_valid_usage_counts_and_what_follows_is_estimated() -> None:
    """B51: an answer without usage, or a failed one, hides no earlier report."""
    messages = [
        user("x" * 4000),
        reported("fine", 500),
        user("x" * 40),
        reported("failed", 900, stopReason="error"),
        assistant("no usage"),
    ]
    assert estimate_context(messages) == ContextEstimate(514, 500, 14, 1)  # type: ignore[arg-type]
    manager = session(*messages)
    assert last_assistant_usage(manager.tree.ancestors()) == messages[1]["usage"]


def test_usage_before_an_edit_is_not_trusted() -> None:
    manager = session(user("x" * 40), reported("y" * 40, 5000))
    assert estimate_projection(project(manager.tree)).tokens == 5000
    manager.append_context_edit(manager.tree.entries[0].id, {"content": "z" * 8})
    assert estimate_projection(project(manager.tree)) == ContextEstimate(12, 0, 12, None)
    manager.append_message(reported("new", 700))
    assert estimate_projection(project(manager.tree)).tokens == 700


def test_usage_before_a_compaction_is_not_trusted() -> None:
    manager = session(user("x" * 40))
    kept = manager.append_message(reported("y" * 40, 5000))
    manager.append_compaction("s" * 8, kept, 5000)
    projection = project(manager.tree)
    assert estimate_projection(projection).tokens == 12
    assert estimate_context(projection.messages).tokens == 5000


def test_a_pure_estimate_counts_the_prompt_once_as_replayed() -> None:
    one = {"role": "system", "content": "", "sections": {"a": "x" * 400}, "timestamp": 0}
    two = {"role": "system", "content": "", "sections": {"a": "y" * 8}, "timestamp": 0}
    manager = session(one, user("x" * 40), two)
    projection = project(manager.tree)
    assert estimate_projection(projection).tokens == 12
    assert estimate_context(projection.messages).tokens == 112
