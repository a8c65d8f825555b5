"""``edit``: exact replacements in a file, all of them or none.

Models see and write LF and no byte order mark; the file keeps its own line endings and its mark.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

from sapwood.agent.tools.diff import diff_spans
from sapwood.agent.tools.file_queue import changing
from sapwood.agent.tools.line_endings import PlainText, lf
from sapwood.agent.tools.paths import resolve, shown
from sapwood.agent.tools.regular_file import file_error, read_regular, store
from sapwood.agent.tools.replace import Edit, apply_spans, find_spans
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
    edits = [
        Edit(lf(well_formed(edit["oldText"])), lf(well_formed(edit["newText"])))
        for edit in arguments["edits"]
    ]
    async with changing(path):
        return await asyncio.to_thread(_edit, path, edits, context.cwd)


def _edit(path: Path, edits: list[Edit], cwd: Path) -> ToolResult:
    name = shown(path, cwd)
    plain = _load(path, cwd)
    spans = find_spans(plain.text, edits, name)
    store(path, plain.changed(spans).encode("utf-8", "surrogateescape"), cwd)
    diff = diff_spans(plain.text, apply_spans(plain.text, spans), spans, name)
    plural = "s" if len(spans) > 1 else ""
    return text_result(
        f"Made {len(spans)} edit{plural} in {name}.",
        {
            "diff": well_formed(diff.numbered),
            "patch": well_formed(diff.unified),
            "firstChangedLine": diff.first_line,
        },
    )


def _load(path: Path, cwd: Path) -> PlainText:
    """Bytes that are not UTF-8 ride along as surrogates and come back as they were."""
    try:
        data = read_regular(path, cwd)
    except OSError as error:
        raise file_error(error, path, cwd) from error
    if b"\0" in data:
        raise ToolError(f"{shown(path, cwd)} is a binary file; change it with bash")
    return PlainText.of(data.decode("utf-8", "surrogateescape"))


def _mend(arguments: JsonObject) -> JsonObject:
    """Two shapes that models send although the schema says otherwise: one edit without its list,
    and the list as JSON text."""
    mended = dict(arguments)
    if "oldText" in mended and "newText" in mended and "edits" not in mended:
        mended["edits"] = [{"oldText": mended.pop("oldText"), "newText": mended.pop("newText")}]
    if isinstance(mended.get("edits"), str):
        with suppress(ValueError):
            mended["edits"] = json.loads(mended["edits"])
    return mended


TOOL = Tool(
    name="edit",
    description=(
        "Change a file by exact replacements. Each oldText must occur exactly once in the file as "
        "it is before the call, and edits must not overlap; if one does not fit, nothing changes."
    ),
    parameters=closed_object(
        {
            "path": {"type": "string", "description": "The file, relative to the working folder"},
            "edits": {
                "type": "array",
                "description": "The replacements; several places of a file go in one call",
                "items": closed_object(
                    {
                        "oldText": {
                            "type": "string",
                            "description": "The text to replace, exactly, as short as is unique",
                        },
                        "newText": {"type": "string", "description": "What stands there instead"},
                    },
                    ["oldText", "newText"],
                ),
            },
        },
        ["path", "edits"],
    ),
    execute=_execute,
    hint="change files by exact replacements",
    guidelines=(
        "Make all changes to one file in a single edit call with several edits; "
        "quote just enough of the old text to be unique.",
    ),
    prepare=_mend,
)
