"""The summarizer's text: what is in it, what is cut and where; hidden content never."""

from __future__ import annotations

from sapwood.compaction.serialize import (
    ARGUMENT_LIMIT,
    TEXT_LIMIT,
    TOOL_RESULT_LIMIT,
    serialize,
)
from support.message_makers import assistant, call, result, user


def shell(command: str, **more: object) -> dict:
    return {
        "role": "bashExecution", "command": command, "output": "out", "cancelled": False,
        "truncated": False, "timestamp": 0, **more,
    }  # fmt: skip


def test_a_command_that_the_user_excluded_is_not_in_it() -> None:
    text = serialize([user("hi"), shell("secret", excludeFromContext=True), shell("shown")])
    assert "secret" not in text
    assert "shown" in text


def test_thinking_is_left_out() -> None:
    message = assistant("said")
    message["content"].insert(0, {"type": "thinking", "thinking": "thought"})
    assert serialize([message]) == "[Assistant]: said"


def test_images_become_markers() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    assert serialize([user([{"type": "text", "text": "look"}, image])]) == "[User]: look\n[image]"
    assert serialize([user([image, image])]) == "[User]: [2 images]"


def test_every_kind_of_text_is_capped() -> None:
    excess = 500
    marker = f"[... {excess} more characters truncated]"
    assert marker in serialize([user("u" * (TEXT_LIMIT + excess))])
    assert marker in serialize([assistant("a" * (TEXT_LIMIT + excess))])
    assert marker in serialize([result("c", "r" * (TOOL_RESULT_LIMIT + excess))])
    long_argument = "x" * (ARGUMENT_LIMIT + excess - 2)  # two quotes count too
    assert marker in serialize([assistant("", call("c", "write", content=long_argument))])


def test_a_cut_never_splits_a_character() -> None:
    text = serialize([result("c", "x" * (TOOL_RESULT_LIMIT - 1) + "😀 tail")])
    text.encode("utf-8")
    assert "😀" not in text
