"""One line in, one line out: what a line must be, and what a response looks like."""

from __future__ import annotations

from dataclasses import dataclass

from sapwood.errors import SapwoodError
from sapwood.session.codec import decode_line, encode_line
from sapwood.session.schema import Json, JsonObject
from sapwood.session.shapes import UNSET
from sapwood.text import one_line


class CommandError(SapwoodError):
    """A line is no command, or a field of a command cannot be used."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value that is JSON text already."""

    text: bytes


def parse_line(line: bytes) -> JsonObject:
    """The object that a line holds; raises `CommandError`."""
    try:
        value = decode_line(line)
    except ValueError as error:
        raise CommandError(f"The line is not valid JSON: {one_line(str(error))}") from None
    if not isinstance(value, dict):
        raise CommandError("The line is not a JSON object")
    return value


def success(fields: JsonObject, data: Json | Encoded = UNSET) -> bytes:
    """The response to the command with these fields, without a line end; UNSET: it has no data."""
    record = _head(fields) | {"success": True}
    if data is UNSET:
        return encode_line(record)
    if isinstance(data, Encoded):
        return encode_line(record)[:-1] + b',"data":' + data.text + b"}"
    return encode_line(record | {"data": data})


def failure(fields: JsonObject, error: str) -> bytes:
    """The response to a command that could not be done."""
    return encode_line(_head(fields) | {"success": False, "error": error})


def bad_line(error: str) -> bytes:
    """The response to a line that is no command; there is no id to repeat."""
    return failure({"type": "parse"}, error)


def _head(fields: JsonObject) -> JsonObject:
    head: JsonObject = {"id": fields["id"]} if "id" in fields else {}
    head["type"] = "response"
    return head | ({"command": fields["type"]} if "type" in fields else {})
