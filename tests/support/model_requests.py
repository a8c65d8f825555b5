"""Short ways to make messages and requests, and to collect the events of an answer."""

from __future__ import annotations

from typing import Any

from sapwood.context.request import ModelRequest
from sapwood.models.model import Model
from sapwood.models.stream import StreamEvent, StreamOptions, stream
from sapwood.session.schema import AssistantMessage, Message, ToolSpec

READ: ToolSpec = {
    "name": "read",
    "description": "Read a file.",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}


def request(
    *messages: Message, system_prompt: str = "Be brief.", tools: list[ToolSpec] | None = None
) -> ModelRequest:
    return ModelRequest(
        system_prompt=system_prompt, tools=tools or [], messages=list(messages), items=[]
    )


def user(content: Any) -> Message:
    return {"role": "user", "content": content, "timestamp": 1}


def assistant(model: Model, *content: Any, stop: Any = "stop") -> Message:
    return {
        "role": "assistant",
        "content": list(content),
        "api": model.api,
        "provider": model.provider,
        "model": model.id,
        "usage": {
            "input": 0,
            "output": 0,
            "cacheRead": 0,
            "cacheWrite": 0,
            "totalTokens": 0,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
        },
        "stopReason": stop,
        "timestamp": 2,
    }


def tool_call(call_id: str, name: str = "read", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def tool_result(call_id: str, *content: Any, name: str = "read", error: bool = False) -> Message:
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": name,
        "content": blocks,
        "isError": error,
        "timestamp": 3,
    }


async def ask(
    model: Model, asked: ModelRequest, options: StreamOptions | None = None
) -> list[StreamEvent]:
    """All events of one answer."""
    return [event async for event in stream(model, asked, options or StreamOptions(api_key="k"))]


async def answer(
    model: Model, asked: ModelRequest, options: StreamOptions | None = None
) -> AssistantMessage:
    """The final message of one answer."""
    message: AssistantMessage = (await ask(model, asked, options))[-1]["message"]
    return message
