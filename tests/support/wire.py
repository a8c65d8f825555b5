"""OpenAI chat requests as the conversation they carry, for the strict checker."""

from __future__ import annotations

import json
from typing import Any

from support.request_checker import faults


def check_request(body: dict[str, Any]) -> None:
    """Fail if the strictest server would refuse this chat-completions request."""
    found = faults(conversation(body["messages"]))
    assert not found, found


def conversation(wire: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a request in our shape; what the wire does not carry is filled in."""
    messages: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for message in wire:
        role = message["role"]
        if role in ("system", "developer"):
            continue
        if role == "assistant":
            calls = [_call(call) for call in message.get("tool_calls") or []]
            names |= {call["id"]: call["name"] for call in calls}
            messages.append({"role": role, "content": [*_blocks(message.get("content")), *calls]})
        elif role == "tool":
            messages.append(
                {
                    "role": "toolResult",
                    "toolCallId": message["tool_call_id"],
                    "toolName": names.get(message["tool_call_id"], "?"),
                    "content": _blocks(message["content"]),
                    "isError": False,
                }
            )
        elif messages and messages[-1]["role"] == "toolResult" and _shows_images(message):
            messages[-1]["content"] += _blocks(message["content"])
        else:
            messages.append({"role": role, "content": _blocks(message["content"])})
    return messages


def _shows_images(message: dict[str, Any]) -> bool:
    """The wire has no images in tool results: they follow in a message of the user."""
    content = message["content"]
    return isinstance(content, list) and any(b["type"] == "image_url" for b in content)


def _blocks(content: Any) -> list[dict[str, Any]]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [_block(block) for block in content]


def _block(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "image_url":
        head, _, data = block["image_url"]["url"].partition(",")
        return {"type": "image", "data": data, "mimeType": head}
    return block


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = json.loads(function["arguments"])
    return {"type": "toolCall", "id": call["id"], "name": function["name"], "arguments": arguments}
