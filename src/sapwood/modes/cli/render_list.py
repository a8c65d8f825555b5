"""Session lists as lines of text and as JSON with the field names of the file format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from sapwood.modes.cli.output import age, pad, paint
from sapwood.session.info import SessionInfo
from sapwood.session.javascript import iso_timestamp
from sapwood.text import fit, one_line

_SHORTEST = 8


def list_lines(
    sessions: list[SessionInfo], *, now_ms: float, width: int, by_folder: bool
) -> Iterator[str]:
    """Id, age, messages and name or first message of each; under headings if ``by_folder``."""
    size = id_length(sessions)
    if not by_folder:
        yield from (_line(info, size, now_ms, width) for info in sessions)
        return
    folders: dict[str, list[SessionInfo]] = {}
    for info in sessions:
        folders.setdefault(info.cwd, []).append(info)
    for number, (cwd, members) in enumerate(folders.items()):
        if number:
            yield ""
        yield paint(fit(one_line(_home(cwd) or "(no folder)"), width), bold=True)
        yield from (_line(info, size, now_ms, width) for info in members)


def _line(info: SessionInfo, size: int, now_ms: float, width: int) -> str:
    count = f"{info.message_count:,}"
    fixed = f"{pad(one_line(info.id[:size]), size)}  {age(info.modified, now_ms):>7}  {count:>6}  "
    title = one_line(" ".join((info.name or info.first_message)[:2000].split()))
    room = max(10, width - len(fixed))
    return paint(fixed, dim=True) + paint(fit(title, room), bold=info.name is not None)


def id_length(sessions: list[SessionInfo]) -> int:
    """How many characters of an id tell each of these sessions from the others."""
    ids = sorted({info.id for info in sessions})
    return max([_SHORTEST, *(_shared(left, right) + 1 for left, right in pairwise(ids))])


def _shared(left: str, right: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = zip(left, right, strict=False)
    return next(
        (index for index, (a, b) in enumerate(pairs) if a != b), min(map(len, (left, right)))
    )


def _home(cwd: str) -> str:
    home = str(Path.home())
    return f"~{cwd[len(home) :]}" if cwd == home or cwd.startswith(home + os.sep) else cwd


def info_json(info: SessionInfo) -> dict[str, Any]:
    """A row for programs; times as in the file, ``created`` null where the header has no date."""
    row: dict[str, Any] = {"path": str(info.path), "id": info.id, "cwd": info.cwd}
    if info.name is not None:
        row["name"] = info.name
    if info.parent_session is not None:
        row["parentSessionPath"] = info.parent_session
    return {
        **row,
        "created": iso_timestamp(info.created) if info.created is not None else None,
        "modified": iso_timestamp(info.modified),
        "messageCount": info.message_count,
        "firstMessage": info.first_message,
    }
