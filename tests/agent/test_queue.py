"""Queued messages: both modes, order, and each handed over once."""

from __future__ import annotations

from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.agent.queue import MessageQueue, QueuedMessage


def texts(messages: list[QueuedMessage]) -> list[str]:
    return [message.text for message in messages]


def filled(mode: Literal["all", "one-at-a-time"]) -> MessageQueue:
    queue = MessageQueue(mode, mode)
    for text in ("s1", "s2"):
        queue.add("steering", QueuedMessage(text))
    for text in ("f1", "f2"):
        queue.add("follow_up", QueuedMessage(text))
    return queue


def test_one_at_a_time() -> None:
    queue = filled("one-at-a-time")
    taken = [texts(queue.take_next()) for _ in range(5)]
    assert taken == [["s1"], ["s2"], ["f1"], ["f2"], []]


def test_all_together_by_kind() -> None:
    queue = filled("all")
    assert [texts(queue.take_next()) for _ in range(3)] == [["s1", "s2"], ["f1", "f2"], []]


def test_steering_leaves_follow_ups_alone() -> None:
    queue = filled("all")
    assert texts(queue.take_steering()) == ["s1", "s2"]
    assert queue.take_steering() == []
    assert queue.waiting().texts == ["f1", "f2"]


def test_taking_back_empties_the_queue() -> None:
    queue = filled("all")
    assert queue.take_back().texts == ["s1", "s2", "f1", "f2"]
    assert not queue
    assert not queue.waiting()


def test_images_come_after_the_text() -> None:
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    message = QueuedMessage("look", (image,))  # type: ignore[arg-type]
    assert message.content() == [{"type": "text", "text": "look"}, image]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["all", "one-at-a-time"]),
    st.lists(st.sampled_from(["steering", "follow_up", "take", "take_steering"])),
)
def test_every_message_is_handed_over_once_and_in_order_of_its_kind(
    mode: Literal["all", "one-at-a-time"], actions: list[str]
) -> None:
    queue = MessageQueue(mode, mode)
    added: dict[str, list[str]] = {"steering": [], "follow_up": []}
    taken: list[str] = []
    for number, action in enumerate(actions):
        if action in added:
            queue.add(action, QueuedMessage(f"{action} {number}"))  # type: ignore[arg-type]
            added[action].append(f"{action} {number}")
        elif action == "take":
            taken += texts(queue.take_next())
        else:
            taken += texts(queue.take_steering())
    taken += queue.take_back().texts
    for kind, expected in added.items():
        assert [text for text in taken if text.startswith(kind)] == expected
