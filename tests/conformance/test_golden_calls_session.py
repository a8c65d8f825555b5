"""Pure functions of the record on literal arguments: JSON, ids, folder names, parsing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.session.codec import decode_line, json_text
from sapwood.session.javascript import trim
from sapwood.session.paths import session_folder_name, valid_session_id
from sapwood.text import utf16_len
from support.canonical import hash16

CALLS = json.loads(
    (Path(__file__).parent.parent / "golden" / "sessions" / "calls.json").read_text("utf-8")
)


def calls(function: str) -> list[Any]:
    chosen = [call for call in CALLS if call["fn"] == function]
    assert chosen
    return [pytest.param(call, id=repr(call["args"])[:60]) for call in chosen]


def as_line(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("call", calls("roundtrip"))
def test_json_is_read_and_written_as_javascript_does(call: dict[str, Any]) -> None:
    line = as_line(call["args"][0])
    if "error" in call:
        with pytest.raises(ValueError, match=r"\S"):
            decode_line(line)
        return
    value = decode_line(line)
    text = json_text(value)
    assert {"json": text, "hash": hash16(value), "utf16": utf16_len(text)} == call["value"]


@pytest.mark.parametrize("call", calls("validId"))
def test_session_ids_are_checked_in_full(call: dict[str, Any]) -> None:
    assert valid_session_id(call["args"][0]) is ("error" not in call)


@pytest.mark.parametrize("call", calls("defaultDir"))
def test_a_working_folder_has_the_reference_s_folder_name(call: dict[str, Any]) -> None:
    assert session_folder_name(call["args"][0]) == call["value"]


@pytest.mark.parametrize("call", calls("parse"))
def test_lines_are_split_trimmed_and_skipped_as_the_reference_does(call: dict[str, Any]) -> None:
    values = []
    for line in call["args"][0].removeprefix("\ufeff").split("\n"):
        if trim(line):
            try:
                values.append(decode_line(as_line(line)))
            except ValueError:
                continue
    assert values == call["value"]
