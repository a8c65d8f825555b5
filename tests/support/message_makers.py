"""Short ways to write conversations for tests: messages, tool rounds, whole sessions in memory."""

from __future__ import annotations

from typing import Any

from sapwood.session.manager import SessionManager

_NO_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
NO_USAGE = {
    "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": _NO_COST,
}  # fmt: skip


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": 0}


def assistant(text: str = "", *calls: dict[str, Any], stop: str | None = None) -> dict[str, Any]:
    blocks = [{"type": "text", "text": text}] if text else []
    return {
        "role": "assistant", "content": [*blocks, *calls], "stopReason": stop or (
            "toolUse" if calls else "stop"
        ), "api": "t", "provider": "t", "model": "t", "usage": NO_USAGE, "timestamp": 0,
    }  # fmt: skip


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(call_id: str, text: str, *, name: str = "bash", error: bool = False) -> dict[str, Any]:
    return {
        "role": "toolResult", "toolCallId": call_id, "toolName": name, "isError": error,
        "content": [{"type": "text", "text": text}], "timestamp": 0,
    }  # fmt: skip


def session(*messages: dict[str, Any]) -> SessionManager:
    """A session in memory that holds these messages on one path."""
    manager = SessionManager.in_memory("/work")
    for message in messages:
        manager.append_message(message)
    return manager


def turns(count: int, *, size: int = 400, start: int = 0) -> list[dict[str, Any]]:
    """`count` turns of a request, a tool round and an answer, each text about `size` units."""
    messages: list[dict[str, Any]] = []
    for number in range(start, start + count):
        filler = f"filler {number} " * (size // 10)
        messages += [
            user(f"Request {number}: {filler}"),
            assistant("", call(f"c{number}", "read", path=f"src/file{number}.py")),
            result(f"c{number}", f"Contents {number}: {filler}", name="read"),
            assistant(f"Answer {number}: {filler}"),
        ]
    return messages


def context_text(manager: SessionManager) -> str:
    """Everything the model would see, as one text."""
    from sapwood.context.projection import project
    from sapwood.session.codec import json_text

    return "\n".join(json_text(message) for message in project(manager.tree).messages)
