"""``write``: a whole file, made or replaced in one step."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sapwood.agent.tools.file_queue import changing
from sapwood.agent.tools.paths import resolve, shown
from sapwood.agent.tools.regular_file import file_error, store
from sapwood.agent.tools.tool import (
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    closed_object,
    text_result,
)
from sapwood.session.schema import JsonObject
from sapwood.text import well_formed


async def _execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
    path = resolve(arguments["path"], context.cwd)
    data = well_formed(arguments["content"]).encode()
    async with changing(path):
        existed = await asyncio.to_thread(_write, path, data, context.cwd)
    done = "Replaced" if existed else "Made"
    return text_result(f"{done} {shown(path, context.cwd)} ({len(data)} bytes).")


def _write(path: Path, data: bytes, cwd: Path) -> bool:
    try:
        existed = path.exists()
        if existed and not path.is_file():
            raise ToolError(f"{shown(path, cwd)} is not a file; choose another path")
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(error, path, cwd) from error
    store(path, data, cwd)
    return existed


TOOL = Tool(
    name="write",
    description="Write a file: make it, with the folders above it, or replace all of it.",
    parameters=closed_object(
        {
            "path": {"type": "string", "description": "The file, relative to the working folder"},
            "content": {"type": "string", "description": "All of the new text"},
        },
        ["path", "content"],
    ),
    execute=_execute,
    hint="make files, or replace them whole",
    guidelines=("Use write for new files and complete rewrites, edit for everything else.",),
)
