"""Run one tool as the agent does, and look at what the model gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sapwood.agent.tools import BUILTIN_TOOLS, ToolContext, ToolResult, create_tools
from sapwood.agent.tools.running import run_tool

TOOLS = {tool.name: tool for tool in create_tools(BUILTIN_TOOLS)}


async def call(name: str, cwd: Path, /, **arguments: Any) -> ToolResult:
    """A call by a model, arguments as it would write them."""
    return await run_tool(TOOLS, name, "call_1", arguments, ToolContext(cwd))


def text_of(result: ToolResult) -> str:
    return "\n".join(block["text"] for block in result.content if block["type"] == "text")


async def ok(name: str, cwd: Path, /, **arguments: Any) -> str:
    """The text of a call that must succeed."""
    result = await call(name, cwd, **arguments)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def refused(name: str, cwd: Path, /, **arguments: Any) -> str:
    """The text of a call that must fail."""
    result = await call(name, cwd, **arguments)
    assert result.is_error, text_of(result)
    return text_of(result)
