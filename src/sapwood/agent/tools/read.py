"""``read``: a stretch of a text file, or an image."""

from __future__ import annotations

import asyncio
import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sapwood.agent.images import MAX_FILE_BYTES, load_image, sniff_image
from sapwood.agent.tools.paths import resolve, shown
from sapwood.agent.tools.regular_file import file_error, open_regular
from sapwood.agent.tools.tool import (
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    closed_object,
    text_result,
)
from sapwood.session.schema import JsonObject, UserBlock

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
MAX_LINE_BYTES = 8 * 1024
"""One line longer than this is cut, so that a minified file does not use up the whole answer."""
_COUNTED_BYTES = 64 * 1024 * 1024
_CHUNK = 1 << 16


@dataclass(slots=True)
class _Stretch:
    """Lines ``first`` … of a file; ``total`` is None if the file was too long to count."""

    first: int
    lines: list[str]
    total: int | None = None
    cut_lines: int = 0


async def _execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
    path = resolve(arguments["path"], context.cwd)
    first = arguments.get("offset", 1)
    limit = arguments.get("limit", MAX_LINES)
    return await asyncio.to_thread(_read, path, first, limit, context)


def _read(path: Path, first: int, limit: int, context: ToolContext) -> ToolResult:
    try:
        with open_regular(path, context.cwd) as file:
            head = file.read(8192)
            file.seek(0)
            if sniff_image(head):
                return _image(file, context.resize_images)
            if b"\0" in head:
                name = shown(path, context.cwd)
                raise ToolError(f"{name} is a binary file; look at it with bash (file, xxd)")
            return _text(_stretch(file, first, min(limit, MAX_LINES)), limit, path, context)
    except OSError as error:
        raise file_error(error, path, context.cwd) from error


def _image(file: BinaryIO, resize: bool) -> ToolResult:
    data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ToolError(f"The image file is larger than {MAX_FILE_BYTES >> 20} MB")
    loaded = load_image(data, resize=resize)
    note = f"Image ({loaded.block['mimeType']})."
    text = f"{note} {loaded.note}" if loaded.note else note
    content: list[UserBlock] = [{"type": "text", "text": text}, loaded.block]
    return ToolResult(content)


def _stretch(file: BinaryIO, first: int, limit: int) -> _Stretch:
    found = _Stretch(first, [])
    _skip_lines(file, first - 1, found)
    room = MAX_BYTES
    while found.total is None and len(found.lines) < limit and room > 0:
        line, length = _read_line(file)
        if length == 0:
            found.total = first - 1 + len(found.lines)
            break
        room -= len(line)
        if room < 0 and found.lines:
            file.seek(-length, 1)
            break
        found.cut_lines += length > len(line)
        found.lines.append(_plain(line, cut=length > len(line)))
    if found.total is None:
        _count_rest(file, found)
    return found


def _read_line(file: BinaryIO) -> tuple[bytes, int]:
    """The next line, cut if it is very long, and its whole length in bytes with the newline."""
    line = file.readline(MAX_LINE_BYTES)
    length = len(line)
    while length and not line.endswith(b"\n"):
        more = file.readline(_CHUNK)
        if not more:
            break
        length += len(more)
        if more.endswith(b"\n"):
            break
    return line, length


def _skip_lines(file: BinaryIO, count: int, found: _Stretch) -> None:
    for index in range(count):
        if not _read_line(file)[1]:
            found.total = index
            return


def _count_rest(file: BinaryIO, found: _Stretch) -> None:
    """How many lines the file has, unless counting would take long."""
    count = found.first - 1 + len(found.lines)
    last = b"\n"
    for _ in range(_COUNTED_BYTES // _CHUNK):
        chunk = file.read(_CHUNK)
        if not chunk:
            found.total = count + (last != b"\n")
            return
        count += chunk.count(b"\n")
        last = chunk[-1:]


def _plain(line: bytes, *, cut: bool) -> str:
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(line, final=not cut)
    return text.removesuffix("\n").removesuffix("\r")


def _text(found: _Stretch, limit: int, path: Path, context: ToolContext) -> ToolResult:
    if not found.lines:
        if found.total:
            name = shown(path, context.cwd)
            raise ToolError(f"There is no line {found.first}: {name} has {found.total} lines")
        return text_result("(the file is empty)")
    text = "\n".join(found.lines).removeprefix("\ufeff")
    notes = _notes(found, limit)
    last = found.first + len(found.lines) - 1
    truncation = {"firstLine": found.first, "lastLine": last, "totalLines": found.total}
    if not notes:
        return text_result(text)
    return text_result(f"{text}\n\n[{' '.join(notes)}]", {"truncation": truncation})


def _notes(found: _Stretch, limit: int) -> list[str]:
    last = found.first + len(found.lines) - 1
    notes = []
    if found.cut_lines:
        notes.append(
            f"Lines longer than {MAX_LINE_BYTES} bytes are cut; "
            "see the rest of one with bash: sed -n 'Np' file | cut -b 8193-16384."
        )
    if found.total is None:
        notes.append(f"Lines {found.first}-{last} of very many. Go on with offset={last + 1}.")
    elif last < found.total:
        asked = "" if len(found.lines) == limit else " (as much as fits)"
        notes.append(
            f"Lines {found.first}-{last} of {found.total}{asked}. Go on with offset={last + 1}."
        )
    return notes


TOOL = Tool(
    name="read",
    description=(
        f"Read a file. Text comes back as it is, at most {MAX_LINES} lines or "
        f"{MAX_BYTES >> 10} KB at a time; go on with offset and limit. "
        "Images (PNG, JPEG, GIF, WebP, BMP, TIFF) are shown to you."
    ),
    parameters=closed_object(
        {
            "path": {"type": "string", "description": "The file, relative to the working folder"},
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "First line to read, counting from 1",
            },
            "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read"},
        },
        ["path"],
    ),
    execute=_execute,
    hint="read files and look at images",
    guidelines=("Read files with read, not with cat or sed.",),
)
