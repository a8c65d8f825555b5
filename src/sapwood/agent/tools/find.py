"""``find``: files and folders by name, listed by fd or, where that will not do, by ``walk``."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import lru_cache
from pathlib import Path

from sapwood.agent.tools.globs import compile_glob
from sapwood.agent.tools.paths import resolve, shown
from sapwood.agent.tools.program import records
from sapwood.agent.tools.regular_file import file_error
from sapwood.agent.tools.tool import (
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    closed_object,
    text_result,
)
from sapwood.agent.tools.walk import walk
from sapwood.session.schema import JsonObject

DEFAULT_LIMIT = 1000
MAX_BYTES = 50 * 1024
_MAX_COLLECTED = 50_000
_BATCH = 500


async def _execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
    root = resolve(arguments.get("path", "."), context.cwd)
    limit = arguments.get("limit", DEFAULT_LIMIT)
    try:
        matches = compile_glob(arguments["pattern"]).fullmatch
        os.scandir(root).close()
    except ValueError as error:
        raise ToolError(str(error)) from error
    except NotADirectoryError as error:
        raise ToolError(f"{shown(root, context.cwd)} is not a folder") from error
    except OSError as error:
        raise file_error(error, root, context.cwd) from error
    found = await _matching(root, lambda path: matches(path) is not None)
    return await asyncio.to_thread(_told, sorted(found), root, limit, context.cwd)


async def _matching(root: Path, wanted: Callable[[str], bool]) -> list[str]:
    command = await asyncio.to_thread(_fd_command, root)
    listed = _walked(root) if command is None else _listed(command, root)
    found: list[str] = []
    async with aclosing(listed) as paths:
        async for path in paths:
            if wanted(path):
                found.append(path)
                if len(found) == _MAX_COLLECTED:
                    break
    return found


def _fd_command(root: Path) -> list[str] | None:
    """How to call fd so that ``.gitignore`` counts outside of git repositories too, if it can."""
    program = shutil.which("fd") or shutil.which("fdfind")
    if program is None:
        return None
    command = [program, "--hidden", "--exclude=.git", "--color=never", "--print0"]
    if _knows_require_git(program):
        command.append("--no-require-git")
    elif not any(os.path.exists(folder / ".git") for folder in (root, *root.parents)):
        return None
    return [*command, "."]


@lru_cache(maxsize=4)
def _knows_require_git(program: str) -> bool:
    try:
        told = subprocess.run([program, "--help"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return b"--no-require-git" in told.stdout


async def _listed(command: list[str], root: Path) -> AsyncGenerator[str, None]:
    async with aclosing(records(command, root, b"\0")) as found:
        async for record in found:
            yield record.removeprefix("./").rstrip("/")


async def _walked(root: Path) -> AsyncGenerator[str, None]:
    """``walk`` in a thread, a batch at a time, so that it can be stopped."""
    steps = walk(root)

    def batch() -> list[str]:
        return [path for path, _ in (step for step, _ in zip(steps, range(_BATCH), strict=False))]

    while paths := await asyncio.to_thread(batch):
        for path in paths:
            yield path


def _told(found: list[str], root: Path, limit: int, cwd: Path) -> ToolResult:
    if not found:
        return text_result("No files found.")
    rows: list[str] = []
    room = MAX_BYTES
    for path in found[:limit]:
        full = root / path
        row = shown(full, cwd) + ("/" if full.is_dir() and not full.is_symlink() else "")
        room -= len(row.encode("utf-8", "replace")) + 1
        if room < 0:
            break
        rows.append(row)
    text = "\n".join(rows)
    if len(rows) == len(found):
        return text_result(text)
    more = "more than " if len(found) == _MAX_COLLECTED else ""
    note = f"{len(rows)} of {more}{len(found)}. Narrow the pattern or path, or raise limit."
    return text_result(f"{text}\n\n[{note}]", {"limitReached": True})


TOOL = Tool(
    name="find",
    description=(
        "Find files and folders by name. Those that .gitignore names are left out. "
        f"At most {DEFAULT_LIMIT} results unless limit says otherwise."
    ),
    parameters=closed_object(
        {
            "pattern": {
                "type": "string",
                "description": "Glob: '*.py' matches names at any depth, 'src/**/*.ts' paths",
            },
            "path": {"type": "string", "description": "Folder to look in; default: working folder"},
            "limit": {"type": "integer", "minimum": 1, "description": "Most results to return"},
        },
        ["pattern"],
    ),
    execute=_execute,
    hint="find files by name",
)
