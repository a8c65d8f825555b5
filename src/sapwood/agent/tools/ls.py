"""``ls``: what is in one folder, hidden files too."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from sapwood.agent.tools.paths import resolve, shown
from sapwood.agent.tools.regular_file import file_error
from sapwood.agent.tools.tool import (
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    closed_object,
    text_result,
)
from sapwood.session.schema import JsonObject
from sapwood.text import one_line

DEFAULT_LIMIT = 500


async def _execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
    path = resolve(arguments.get("path", "."), context.cwd)
    limit = arguments.get("limit", DEFAULT_LIMIT)
    return await asyncio.to_thread(_list, path, limit, context.cwd)


def _list(path: Path, limit: int, cwd: Path) -> ToolResult:
    try:
        with os.scandir(path) as entries:
            names = [one_line(entry.name) + ("/" if _is_folder(entry) else "") for entry in entries]
    except NotADirectoryError as error:
        raise ToolError(f"{shown(path, cwd)} is a file; look at it with read") from error
    except OSError as error:
        raise file_error(error, path, cwd) from error
    if not names:
        return text_result("(the folder is empty)")
    names.sort(key=lambda name: (name.lower(), name))
    text = "\n".join(names[:limit])
    if len(names) <= limit:
        return text_result(text)
    note = f"{limit} of {len(names)}. Raise limit for more, or use find."
    return text_result(f"{text}\n\n[{note}]", {"limitReached": True})


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """A link that leads round in a circle is no folder, and no reason to show nothing."""
    try:
        return entry.is_dir()
    except OSError:
        return False


TOOL = Tool(
    name="ls",
    description=f"List a folder, folders marked with /. At most {DEFAULT_LIMIT} entries at first.",
    parameters=closed_object(
        {
            "path": {"type": "string", "description": "The folder; default: the working folder"},
            "limit": {"type": "integer", "minimum": 1, "description": "Most entries to return"},
        },
        [],
    ),
    execute=_execute,
    hint="list a folder",
)
