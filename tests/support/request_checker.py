"""Would the strictest provider take this conversation? Written apart from the rules it checks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

FOLLOWERS = {
    None: {"user"},
    "user": {"assistant"},
    "assistant": {"user"},
    "assistant with calls": {"toolResult"},
    "toolResult": {"toolResult", "assistant"},
}
"""What may come after what; None = the start."""


def faults(messages: Sequence[Any]) -> list[str]:
    """What is wrong with the messages of a request; an empty list if nothing is."""
    found: list[str] = []
    before: str | None = None
    waiting: list[tuple[str, str]] = []
    used: set[str] = set()
    for index, message in enumerate(messages):
        role = message["role"]
        if waiting and role != "toolResult":
            found.append(f"{index}: {role} while calls {waiting} wait")
        if role not in FOLLOWERS[before]:
            found.append(f"{index}: {role} after {before}")
        if role == "toolResult":
            answered = (message["toolCallId"], message["toolName"])
            if not waiting or waiting.pop(0) != answered:
                found.append(f"{index}: result {answered} answers no waiting call")
            if not isinstance(message["isError"], bool):
                found.append(f"{index}: isError is {message['isError']!r}")
        found += [f"{index}: {fault}" for fault in content_faults(role, message["content"])]
        before = role
        if role == "assistant":
            waiting = [(b["id"], b["name"]) for b in message["content"] if b["type"] == "toolCall"]
            found += [f"{index}: id {i} used before" for i, _ in waiting if i in used or not i]
            used |= {i for i, _ in waiting}
            before = "assistant with calls" if waiting else "assistant"
    if waiting:
        found.append(f"end: calls {waiting} wait")
    try:
        json.dumps(list(messages), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        found.append(f"not Unicode: {error}")
    return found


def content_faults(role: str, content: Any) -> list[str]:
    if isinstance(content, str):
        return [] if role == "user" and content.strip() else [f"{role} content is {content!r}"]
    if not content or all(block["type"] == "thinking" for block in content):
        return ["says nothing"]
    allowed = {"text", "thinking", "toolCall"} if role == "assistant" else {"text", "image"}
    found = [f"{role} holds {b['type']}" for b in content if b["type"] not in allowed]
    for block in content:
        if block["type"] == "text" and not block["text"].strip():
            found.append("blank text")
        if block["type"] == "toolCall" and not isinstance(block["arguments"], dict):
            found.append(f"arguments are {block['arguments']!r}")
        if block["type"] == "image" and not (block["data"] and isinstance(block["mimeType"], str)):
            found.append("image without data")
    return found


def check_request(body: dict[str, Any]) -> None:
    """Assert that the body of an OpenAI chat request holds a valid conversation."""
    assert faults(messages_of_body(body)) == []


def messages_of_body(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a chat completions request in our shape; prompts are left out."""
    names = {
        call["id"]: call["function"]["name"]
        for message in body["messages"]
        for call in message.get("tool_calls") or ()
    }
    messages: list[dict[str, Any]] = []
    for message in body["messages"]:
        if message["role"] == "user" and _follows_result_with_images(messages, message):
            messages[-1]["content"] += _blocks(message["content"])
        elif message["role"] == "user":
            messages.append({"role": "user", "content": _blocks(message["content"])})
        elif message["role"] == "tool":
            result = {
                "role": "toolResult",
                "toolCallId": message["tool_call_id"],
                "toolName": names.get(message["tool_call_id"]),
                "isError": False,
                "content": _blocks(message["content"]),
            }
            messages.append(result)
        elif message["role"] == "assistant":
            calls = [_call(call) for call in message.get("tool_calls") or ()]
            content = [*_blocks(message.get("content") or []), *calls]
            messages.append({"role": "assistant", "content": content})
    return messages


def _follows_result_with_images(messages: list[dict[str, Any]], message: dict[str, Any]) -> bool:
    """The wire has no images in results: they come right after, as a message of the user."""
    after_result = bool(messages) and messages[-1]["role"] == "toolResult"
    parts = message["content"]
    return after_result and any(p["type"] == "image_url" for p in parts if isinstance(p, dict))


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [
        {"type": "text", "text": part["text"]}
        if part["type"] == "text"
        else {"type": "image", "data": part["image_url"]["url"], "mimeType": "as in the URL"}
        for part in content
    ]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = json.loads(call["function"]["arguments"])
    name = call["function"]["name"]
    return {"type": "toolCall", "id": call["id"], "name": name, "arguments": arguments}
