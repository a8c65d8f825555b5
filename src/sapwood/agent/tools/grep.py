"""``grep``: lines that match a pattern, by ripgrep or, where that is missing, ``plain_search``."""

from __future__ import annotations

import re
import shutil
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from sapwood.agent.tools import plain_search
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
from sapwood.session.schema import JsonObject

DEFAULT_LIMIT = 100
MAX_BYTES = 50 * 1024
_NARROWER = "Narrow the pattern, path or glob, or raise limit."
_RIPGREP = (
    "--no-config",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--color=never",
    "--sort=path",
    "--hidden",
    "--glob=!.git",
    "--no-require-git",
    "--no-ignore-global",
    f"--max-columns={plain_search.MAX_COLUMNS}",
    "--max-columns-preview",
)
_RECORD = re.compile(r"(\d+)([:-])(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Line:
    path: str
    number: int
    matches: bool
    text: str


async def _execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
    root = resolve(arguments.get("path", "."), context.cwd)
    limit = arguments.get("limit", DEFAULT_LIMIT)
    folder, target = _where(root, context.cwd)
    wanted = _glob(arguments.get("glob"))
    rows: list[str] = []
    matches = 0
    room = MAX_BYTES
    async with aclosing(_lines(_command(arguments, target), folder)) as lines:
        async for line in lines:
            if wanted is not None and not wanted.fullmatch(line.path):
                continue
            if line.matches and matches == limit:
                return _found(rows, f"{limit} matches, the limit; there are more. {_NARROWER}")
            sign = ":" if line.matches else "-"
            row = f"{shown(folder / line.path, context.cwd)}{sign}{line.number}{sign} {line.text}"
            room -= len(row.encode()) + 1
            if room < 0:
                return _found(rows, f"Cut at {MAX_BYTES >> 10} KB; there are more. {_NARROWER}")
            rows.append(row)
            matches += line.matches
    return _found(rows, None) if rows else text_result("No matches.")


def _found(rows: list[str], note: str | None) -> ToolResult:
    text = "\n".join(rows)
    if note is None:
        return text_result(text)
    return text_result(f"{text}\n\n[{note}]", {"limitReached": True})


def _where(root: Path, cwd: Path) -> tuple[Path, str]:
    """The folder to run in and what to search there: paths then come out relative to it."""
    try:
        mode = root.stat().st_mode
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            raise ToolError(f"{shown(root, cwd)} is neither a file nor a folder")
    except OSError as error:
        raise file_error(error, root, cwd) from error
    return (root, ".") if stat.S_ISDIR(mode) else (root.parent, root.name)


def _glob(pattern: str | None) -> re.Pattern[str] | None:
    """Not given to ripgrep: there a glob brings ignored files back."""
    try:
        return compile_glob(pattern) if pattern else None
    except ValueError as error:
        raise ToolError(str(error)) from error


def _command(arguments: JsonObject, target: str) -> list[str]:
    pattern = arguments["pattern"]
    literal = arguments.get("literal", False)
    ignore_case = arguments.get("ignoreCase", False)
    context = arguments.get("context", 0)
    program = shutil.which("rg")
    if program is None:
        return plain_search.command(
            pattern=pattern,
            target=target,
            literal=literal,
            ignore_case=ignore_case,
            context=context,
        )
    command = [program, *_RIPGREP]
    command += ["--fixed-strings"] if literal else []
    command += ["--ignore-case"] if ignore_case else ["--case-sensitive"]
    command += [f"--context={context}"] if context else []
    return [*command, f"--regexp={pattern}", "--", target]


async def _lines(command: list[str], folder: Path) -> AsyncGenerator[_Line, None]:
    async with aclosing(records(command, folder, b"\n")) as found:
        async for record in found:
            path, _, rest = record.partition("\0")
            parsed = _RECORD.fullmatch(rest)
            if parsed:
                number, sign, text = parsed.groups()
                yield _Line(path.removeprefix("./"), int(number), sign == ":", text.rstrip("\r"))


TOOL = Tool(
    name="grep",
    description=(
        "Search file contents with a regular expression. Files that .gitignore names are left out. "
        f"At most {DEFAULT_LIMIT} matches unless limit says otherwise."
    ),
    parameters=closed_object(
        {
            "pattern": {"type": "string", "description": "Regular expression, or text if literal"},
            "path": {"type": "string", "description": "File or folder; default: working folder"},
            "glob": {
                "type": "string",
                "description": "Only files like this: '*.py' at any depth, 'src/**/*.ts' from path",
            },
            "ignoreCase": {"type": "boolean"},
            "literal": {"type": "boolean", "description": "Take pattern as plain text"},
            "context": {
                "type": "integer",
                "minimum": 0,
                "description": "Lines to show around each match",
            },
            "limit": {"type": "integer", "minimum": 1, "description": "Most matches to return"},
        },
        ["pattern"],
    ),
    execute=_execute,
    hint="search file contents",
)
