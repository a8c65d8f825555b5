"""Which program wrote a file; told from its first records, never from its name."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Literal

from sapwood.library.importing.records import Tally, mapping, read_records
from sapwood.session.find import read_header
from sapwood.session.schema import JsonObject

Kind = Literal["native", "claude-code", "codex"]

_LOOKED_AT = 1000
_CODEX_RECORDS = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}
_BARE_ITEMS = {"message": "role", "reasoning": "summary", "function_call": "call_id"}
"""Lines of old rollouts without an envelope, and a field that tells them from others."""


def recognise(source: Path) -> Kind | None:
    """The kind of a file; None for no known one. Raises ``NotASessionError`` without a file."""
    if read_header(source) is not None:
        return "native"
    for index, record in enumerate(islice(read_records(source, Tally()), _LOOKED_AT)):
        if kind := _kind(record, index):
            return kind
    return None


def _kind(record: JsonObject, index: int) -> Kind | None:
    kind = record.get("type")
    if kind in ("user", "assistant"):
        message = mapping(record.get("message"))
        # Logs that look alike have Gemini's "parts" in place of the content.
        known = "uuid" in record and "content" in message
        return "claude-code" if known else None
    if not isinstance(kind, str):
        flat = index == 0 and {"id", "timestamp", "instructions"} <= record.keys()
        return "codex" if flat else None
    if kind in _CODEX_RECORDS and isinstance(record.get("payload"), dict):
        return "codex"
    return "codex" if kind in _BARE_ITEMS and _BARE_ITEMS[kind] in record else None
