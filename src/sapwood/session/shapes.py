"""How new entries are laid out: fields and their order, as the reference writes them. Pure.

A field given as ``UNSET`` is left out, ``None`` is written as null. ``custom`` and
``custom_message`` put their own fields before the envelope; all others put them after it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, Final, cast

from sapwood.errors import SessionError
from sapwood.session.entry import Entry
from sapwood.session.javascript import iso_timestamp, trim
from sapwood.session.origin import Origin
from sapwood.session.paths import valid_session_id
from sapwood.session.schema import (
    SESSION_VERSION,
    Json,
    JsonObject,
    Replacement,
    SessionHeader,
)
from sapwood.text import one_line


class Unset(Enum):
    """The type of ``UNSET``."""

    UNSET = "left out"


UNSET: Final = Unset.UNSET
"""An argument that was not given: its field is left out (``None`` would be written as null)."""

LEAF_MARKER = "sapwood.leaf"
"""``customType`` of the entry that records a move of the leaf."""

_EDITABLE = ("user", "assistant", "toolResult")
_LINE_BREAKS = re.compile(r"[\r\n]+")


def present(**fields: Any) -> JsonObject:
    """The fields that are set, in the order given."""
    return {name: value for name, value in fields.items() if value is not UNSET}


def session_name(name: str) -> str:
    """A name as it is stored: on one line, trimmed."""
    return trim(_LINE_BREAKS.sub(" ", name))


def starts_file(entry: Entry) -> bool:
    """Whether the file has to exist once ``entry`` does: a user or assistant message."""
    message = entry.message
    return message is not None and message.get("role") in ("user", "assistant")


def edit_replacement(target: Entry, replacement: Replacement | None) -> Json:
    """``replacement`` as it is stored for ``target``.

    A text for an assistant message or a tool result becomes one text block. Raises ``SessionError``
    for a target without editable content and for a replacement without text or blocks.
    """
    content = replacement.get("content") if isinstance(replacement, dict) else None
    if replacement is not None and not isinstance(content, (str, list)):
        raise SessionError("A context edit needs a text, a list of blocks, or null to leave out.")
    role = target.message.get("role") if target.message else None
    if target.type != "custom_message" and role not in _EDITABLE:
        raise SessionError(f"Entry {target.id} holds no content that a context edit could change.")
    if isinstance(content, str) and role in ("assistant", "toolResult"):
        return {**cast(JsonObject, replacement), "content": [{"type": "text", "text": content}]}
    return replacement


def new_header(
    origin: Origin,
    cwd: str,
    id: str | None = None,  # noqa: A002
    parent_session: str | None = None,
) -> SessionHeader:
    """The header of a new session. Raises ``SessionError`` for an id that is none."""
    session_id = origin.session_id() if id is None else id
    if not valid_session_id(session_id):
        raise SessionError(
            f"{one_line(session_id)!r} cannot be a session id: letters, digits, '.', '_' and '-',"
            " with a letter or digit at both ends."
        )
    header: SessionHeader = {
        "type": "session",
        "version": SESSION_VERSION,
        "id": session_id,
        "timestamp": iso_timestamp(origin.now()),
        "cwd": cwd,
    }
    if parent_session is not None:
        header["parentSession"] = parent_session
    return header
