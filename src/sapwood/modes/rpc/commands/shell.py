"""Commands that the user runs himself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.records import Records
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import Json, JsonObject

_RESULT = ("output", "exitCode", "cancelled", "truncated", "fullOutputPath")


async def bash(driver: Driver, request: Request) -> Json:
    """Answered when the command is over; its output comes as it is written."""
    updates = _Updates(driver.records, request.id)
    message = await driver.session.execute_bash(
        request.text("command"),
        exclude_from_context=request.optional_flag("excludeFromContext"),
        on_text=updates.send,
    )
    updates.close()
    return {name: value for name, value in message.items() if name in _RESULT}


async def abort_bash(driver: Driver, request: Request) -> Json:
    driver.session.abort_bash()
    return UNSET


class _Updates:
    """The output of one command as events. What a reader who is behind misses is counted."""

    def __init__(self, records: Records, request_id: Json) -> None:
        self._records = records
        self._head: JsonObject = {"type": "bash_execution_update"}
        if request_id is not UNSET:
            self._head["id"] = request_id
        self._skipped = 0

    def send(self, text: str) -> None:
        if self._records.is_behind:
            self._skipped += len(text)
            return
        self._write(text)

    def close(self) -> None:
        """Tell of what was left out last."""
        if self._skipped:
            self._write("")

    def _write(self, text: str) -> None:
        event = self._head | {"delta": text}
        if self._skipped:
            event["skipped"] = self._skipped
            self._skipped = 0
        self._records.write(event)
