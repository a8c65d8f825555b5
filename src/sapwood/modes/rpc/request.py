"""A command that was asked for: its fields, checked as they are read, and its one response."""

from __future__ import annotations

import binascii
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sapwood.modes.rpc.protocol import CommandError, failure, success
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.protocol import Encoded
    from sapwood.modes.rpc.records import Records
    from sapwood.session.schema import ImageBlock, Json, JsonObject


class Request:
    """The readers raise `CommandError` for a field that is missing or of another kind."""

    def __init__(self, fields: JsonObject, records: Records) -> None:
        self.type: Json = fields.get("type")
        self.answered = False
        self._fields = fields
        self._records = records

    @property
    def id(self) -> Json:
        """As it was given, UNSET without one."""
        return self._fields.get("id", UNSET)

    # The response

    def reply(self, data: Json | Encoded = UNSET) -> None:
        """It is done, or accepted; a second response to one command is not sent."""
        self._respond(success(self._fields, data))

    def refuse(self, error: str) -> None:
        """It is not done."""
        self._respond(failure(self._fields, error))

    def _respond(self, line: bytes) -> None:
        if not self.answered:
            self.answered = True
            self._records.write_line(line)

    # The fields

    def text(self, name: str) -> str:
        """A text that must be there."""
        value = self._fields.get(name)
        if not isinstance(value, str):
            raise CommandError(f"{self.type} needs a text in {name}.")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self._fields.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        """True or false, which must be there."""
        value = self._fields.get(name)
        if not isinstance(value, bool):
            raise CommandError(f"{self.type} needs true or false in {name}.")
        return value

    def optional_flag(self, name: str) -> bool:
        """False if it is left out."""
        return False if self._fields.get(name) is None else self.flag(name)

    def images(self) -> Sequence[ImageBlock]:
        """The image blocks in ``images``."""
        value = self._fields.get("images")
        if value is None:
            return ()
        if not isinstance(value, list) or not all(map(_is_image, value)):
            raise CommandError(
                f"{self.type} takes images as a list of "
                '{"type": "image", "data": base64, "mimeType": "image/…"}.'
            )
        return [{"type": "image", "data": i["data"], "mimeType": i["mimeType"]} for i in value]


Handler: TypeAlias = "Callable[[Driver, Request], Awaitable[Json | Encoded]]"
"""Does a command and gives its data; UNSET for none. Raises `SapwoodError` where it cannot."""


def _is_image(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("type") != "image":
        return False
    data, kind = value.get("data"), value.get("mimeType")
    if not (isinstance(data, str) and data and isinstance(kind, str) and kind.startswith("image/")):
        return False
    try:
        binascii.a2b_base64(data, strict_mode=True)
    except ValueError:
        return False
    return True
