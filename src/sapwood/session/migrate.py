"""Older formats, brought to version 3 in memory. Pure.

Version 1 is a list without ids: entries are numbered in file order and chained, a compaction's
``firstKeptEntryIndex`` (counted with the header as 0) becomes ``firstKeptEntryId``. Version 2 calls
the message role ``custom`` by its old name ``hookMessage``. Keys that are added go last, as the
reference adds them; what is not an object stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sapwood.session.javascript import to_number
from sapwood.session.schema import SESSION_VERSION, Json, JsonObject, SessionHeader


def header_version(header: SessionHeader) -> float:
    """The version as the reference compares it: missing and null count as 1; may be NaN."""
    version = header.get("version")
    return 1 if version is None else to_number(version)


def upgrade_header(header: SessionHeader) -> SessionHeader:
    """The same header with the current version."""
    return cast(SessionHeader, {**header, "version": SESSION_VERSION})


def chain(values: Sequence[Json]) -> dict[int, JsonObject]:
    """Version 1 → 2: the entries among ``values`` (all of the file, the header first) by index.

    An entry's id is its number: opening writes nothing, so the next opening must find it again.
    """
    previous: str | None = None
    entries: dict[int, JsonObject] = {}
    for index, value in enumerate(values):
        if isinstance(value, dict) and value.get("type") != "session":
            entries[index] = {**value, "id": f"{len(entries) + 1:08x}", "parentId": previous}
            previous = entries[index]["id"]
            _resolve_kept_index(entries, index)
    return entries


def _resolve_kept_index(entries: dict[int, JsonObject], index: int) -> None:
    """Only an index up to the compaction itself names an entry: later ones have no id yet."""
    entry = entries[index]
    if entry.get("type") != "compaction":
        return
    kept = entry.get("firstKeptEntryIndex")
    if isinstance(kept, (int, float)) and not isinstance(kept, bool):
        del entry["firstKeptEntryIndex"]
        target = entries.get(cast(int, kept))  # 2.0 finds 2
        if target is not None:
            entry["firstKeptEntryId"] = target["id"]


def rename_hook_role(entry: JsonObject) -> JsonObject:
    """Version 2 → 3."""
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, dict):
        return entry
    if message.get("role") != "hookMessage":
        return entry
    return {**entry, "message": {**message, "role": "custom"}}
