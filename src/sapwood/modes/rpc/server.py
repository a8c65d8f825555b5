"""Taking commands until there are no more, and ending in order.

Commands are begun in the order in which they come, each in a task of its own: what takes long holds
up nothing that comes after it. The end comes with standard input, a signal, or a reader that has
gone: what runs is aborted and stored, every command gets its response, then the session is closed.
"""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

from sapwood.agent.events import notice
from sapwood.errors import SapwoodError
from sapwood.modes import streams
from sapwood.modes.headless import FAILED, OK, tell
from sapwood.modes.rpc.commands import COMMANDS
from sapwood.modes.rpc.extension_ui import ANSWER
from sapwood.modes.rpc.protocol import CommandError, bad_line, parse_line
from sapwood.modes.rpc.request import Request

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.lines import Lines
    from sapwood.modes.rpc.records import Records

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 5.0
"""Seconds that commands get to end once they were asked to."""


class Server:
    """Serves one driver; `stop` may be called from anywhere in the loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[int] = self._loop.create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._signalled = False

    async def serve(self, driver: Driver, lines: Lines) -> int:
        """The exit status: 0, 1 when nobody reads the records, 128 + the number of a signal."""
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        reading = asyncio.ensure_future(self._read(driver, lines))
        try:
            return await self._end
        finally:
            reading.cancel()
            await self._settle(driver)

    def stop(self, status: int) -> None:
        """End in order; a second reason changes nothing."""
        if not self._end.done():
            self._end.set_result(status)

    def lose_reader(self, error: OSError) -> None:
        """The records go nowhere any more."""
        if not self._end.done():
            why = (
                "Nobody reads the records any more"
                if isinstance(error, BrokenPipeError)
                else f"The records cannot be written ({streams.reason(error)})"
            )
            tell(f"{why}; the session is closed.")
        self.stop(FAILED)

    def _on_signal(self, number: int, frame: object) -> None:
        """Called also while a handler of an extension keeps the loop busy."""
        if self._signalled:
            os._exit(128 + number)
        self._signalled = True
        self._loop.call_soon_threadsafe(self.stop, 128 + number)

    async def _read(self, driver: Driver, lines: Lines) -> None:
        try:
            async for line in lines:
                self._take(driver, line)
            await asyncio.sleep(0)  # lets the last command begin
        finally:
            self.stop(OK)

    def _take(self, driver: Driver, line: bytes | None) -> None:
        try:
            if line is None:
                raise CommandError("The line is too long")
            fields = parse_line(line)
        except CommandError as error:
            driver.records.write_line(bad_line(str(error)))
            return
        if fields.get("type") == ANSWER:
            driver.ui.answer(fields)
        else:
            self._begin(driver, Request(fields, driver.records))

    def _begin(self, driver: Driver, request: Request) -> None:
        task = self._loop.create_task(_handle(driver, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _settle(self, driver: Driver) -> None:
        """Bring everything to an end that goes on; what does not listen is cancelled."""
        driver.ui.give_up()
        give_up = self._loop.time() + PATIENCE
        while self._loop.time() < give_up and not (driver.session.is_idle and not self._tasks):
            driver.session.take_back_queued()
            driver.session.abort_bash()
            stopping = self._loop.create_task(driver.session.abort())
            await asyncio.wait({stopping, *self._tasks}, timeout=0.1)
            stopping.cancel()
        for task in self._tasks:
            task.cancel()


async def _handle(driver: Driver, request: Request) -> None:
    """Do one command. Whatever goes wrong, the next ones are taken."""
    handler = COMMANDS.get(request.type) if isinstance(request.type, str) else None
    try:
        if handler is None:
            raise CommandError(
                "The line names no command in type."
                if request.type is None
                else f"There is no command {request.type}."
            )
        request.reply(await handler(driver, request))
    except SapwoodError as error:
        _tell_failure(driver.records, request, str(error))
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        tell(f"{request.type}: {told}")
        _tell_failure(driver.records, request, told)


def _tell_failure(records: Records, request: Request, error: str) -> None:
    """As the response, or as a notice when there was one already."""
    if request.answered:
        records.write(notice(error))
    else:
        request.refuse(error)
