"""The listing of the golden folder equals the reference's, row by row and in order."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.session.info import SessionInfo
from sapwood.session.javascript import iso_timestamp
from sapwood.session.listing import Listing, list_all_sessions, list_sessions
from sapwood.session.manager import SessionManager
from sapwood.text import utf16_len, well_formed

FOLDER = Path(__file__).parents[1] / "golden" / "sessions"
EXPECTED = json.loads((FOLDER / "list.expected.json").read_text(encoding="utf-8"))

UNREADABLE = {
    "edge-cr-only.jsonl": "listed by the reference, which then cannot open it",
    "edge-header-id-number.jsonl": "listed by the reference, which then cannot open it",
}
HIDDEN = {
    "16-mixed-60.jsonl": "one message with null content hides the session there",
    "18-mixed-3000.jsonl": "one message with null content hides the session there",
    "29-nulls-90.jsonl": "one message with null content hides the session there",
    "edge-message-null.jsonl": "an entry without a message hides the session there",
    "edge-message-missing.jsonl": "an entry without a message hides the session there",
    "edge-user-null-block.jsonl": "a damaged block hides the session there",
    "edge-user-object-content.jsonl": "damaged content hides the session there",
    "edge-name-number.jsonl": "a name that is no text hides the session there",
    "edge-bom-header.jsonl": "a byte order mark is accepted here",
}
"""What is openable is listed: files that the reference hides, and why it does."""


def summary(text: str) -> dict[str, Any]:
    data = well_formed(text).encode()
    return {"utf16": utf16_len(text), "sha": hashlib.sha256(data).hexdigest()[:16]}


def as_golden(info: SessionInfo) -> dict[str, Any]:
    row = {
        "file": info.path.name,
        "id": info.id,
        "cwd": info.cwd,
        "created": iso_timestamp(info.created) if info.created is not None else "invalid",
        "modified": iso_timestamp(info.modified),
        "messageCount": info.message_count,
        "firstMessage": summary(info.first_message),
        "allMessagesText": summary(info.all_messages_text),
    }
    if info.name is not None:
        row["name"] = info.name
    if info.parent_session is not None:
        row["parentSessionPath"] = info.parent_session
    return row


def expected_row(row: dict[str, Any]) -> dict[str, Any]:
    texts = {key: {"utf16": row[key]["utf16"], "sha": row[key]["sha"]} for key in TEXTS}
    return {**row, "cwd": row.get("cwd") or "", **texts}


TEXTS = ("firstMessage", "allMessagesText")


@pytest.fixture(scope="module", params=["list", "listAll"])
def compared(request: pytest.FixtureRequest) -> tuple[list[dict[str, Any]], Listing]:
    if request.param == "list":
        return EXPECTED["list"], list_sessions(FOLDER, "/home/dev/project")
    return EXPECTED["listAll"], list_all_sessions(FOLDER)


def test_rows_and_their_order_are_those_of_the_reference(
    compared: tuple[list[dict[str, Any]], Listing],
) -> None:
    rows, listing = compared
    ours = [as_golden(info) for info in listing.sessions if info.path.name not in HIDDEN]
    theirs = [expected_row(row) for row in rows if row["file"] not in UNREADABLE]
    assert ours == theirs


def test_whatever_can_be_opened_is_listed_and_nothing_else() -> None:
    listing = list_all_sessions(FOLDER)
    files = set(FOLDER.glob("*.jsonl"))
    listed = {info.path for info in listing.sessions}
    assert listed | set(listing.skipped) == files
    assert HIDDEN.keys() <= {path.name for path in listed}
    assert UNREADABLE.keys() <= {path.name for path in listing.skipped}
    for path in files:
        if path.stat().st_size and path not in listed:
            with pytest.raises(Exception, match=r"session"):
                SessionManager.open(path, writer="none")
    for path in listed:
        SessionManager.open(path, writer="none").close()
