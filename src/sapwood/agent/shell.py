"""Run one shell command, for the ``bash`` tool and for what a person types after ``!``.

The command gets a session and process group of its own, no input, and no terminal. When it is
cancelled or runs out of time the whole group is ended, children of children included: politely
first, by force two seconds later. Processes that it leaves in the background on purpose live on;
their later output is not waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sapwood.agent.plain_stream import PlainStream
from sapwood.agent.shell_output import OutputTail
from sapwood.agent.tools.tool import ShellSettings, ToolError

_DEFAULT_SHELL = ShellSettings()
_UPDATE_SECONDS = 0.1
_DRAIN_SECONDS = 0.25
"""How long the pipe may stay open after the command itself has ended."""
_POLITE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ShellResult:
    """``output`` is the tail (see ``shell_output``); ``exit_code`` is None if it was ended by us.

    A command that a signal ended has exit code 128 + its number, as shells say.
    """

    output: str
    exit_code: int | None
    cancelled: bool
    timed_out: bool
    truncated: bool
    full_output_path: str | None
    total_lines: int
    total_bytes: int
    whereabouts: str = ""
    """Where the rest of a truncated output is, in one sentence."""


async def run_shell(
    command: str,
    cwd: Path,
    *,
    environment: Mapping[str, str] | None = None,
    shell: ShellSettings = _DEFAULT_SHELL,
    timeout: float | None = None,
    on_output: Callable[[str], None] | None = None,
    on_text: Callable[[str], None] | None = None,
) -> ShellResult:
    """Run ``command`` in ``cwd`` until it ends, ``timeout`` (s) is over, or the task is cancelled.

    Cancelling does not raise: the result says ``cancelled`` and holds the output so far, so give
    it a task of its own. ``on_output`` gets the tail so far, at most ten times a second;
    ``on_text`` gets all of the text once, in the pieces in which it comes.

    Raises:
        ToolError: the folder or the shell is not there.
    """
    if not cwd.is_dir():
        raise ToolError(f"The working folder {cwd} does not exist")
    run = _Run(on_output, on_text)
    arguments = _arguments(command, shell)
    process: asyncio.subprocess.Process | None = None
    timed_out = cancelled = False
    try:
        process = await run.start(arguments, cwd, _environment(environment))
        async with asyncio.timeout(timeout):
            await process.wait()
    except TimeoutError:
        timed_out = True
    except asyncio.CancelledError:
        cancelled = True
    ended_by_us = timed_out or cancelled
    if process is not None and ended_by_us:
        await _end_group(process, run)
    await run.drain()
    _forget_cancellation()
    code = process.returncode if process is not None and not ended_by_us else None
    return run.result(code, cancelled, timed_out)


def _forget_cancellation() -> None:
    """The task was cancelled to end the command; that is done, and the task goes on to report."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()


def _arguments(command: str, shell: ShellSettings) -> list[str]:
    if shell.prefix:
        command = f"{shell.prefix}\n{command}"
    if "\0" in command:
        raise ToolError("The command holds a NUL character, which no shell takes")
    return [_shell_path(shell), "-c", command]


def _shell_path(shell: ShellSettings) -> str:
    if shell.path:
        found = shutil.which(os.path.expanduser(shell.path))
        if found is None:
            raise ToolError(f"The shell of setting shellPath is not there: {shell.path}")
        return found
    for name in ("/bin/bash", "bash", "sh"):
        found = shutil.which(name)
        if found is not None:
            return found
    raise ToolError("There is no shell: install bash or set shellPath")


def _environment(added: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, "AI_AGENT": "sapwood", **(added or {})}


class _Run(asyncio.Protocol):
    """Reads what one command writes.

    The pipe is ours and not the process's: a child left in the background keeps it open, and that
    must not keep us waiting.
    """

    def __init__(
        self, on_output: Callable[[str], None] | None, on_text: Callable[[str], None] | None
    ) -> None:
        self._output = OutputTail()
        self._on_output = on_output
        self._text = PlainStream() if on_text is not None else None
        self._on_text = on_text
        self.closed = asyncio.Event()
        """Nobody is left who could write."""
        self._reader: asyncio.ReadTransport | None = None
        self._update: asyncio.TimerHandle | None = None

    async def start(
        self, arguments: list[str], cwd: Path, environment: Mapping[str, str]
    ) -> asyncio.subprocess.Process:
        loop = asyncio.get_running_loop()
        read_end, write_end = os.pipe()
        try:
            self._reader, _ = await loop.connect_read_pipe(
                lambda: self, os.fdopen(read_end, "rb", buffering=0)
            )
            return await asyncio.create_subprocess_exec(
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                cwd=cwd,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            self.stop_reading()
            raise ToolError(f"The command could not be started: {error.strerror}") from error
        finally:
            os.close(write_end)

    def data_received(self, data: bytes) -> None:
        self._output.feed(data)
        if self._text is not None:
            self._hand_out(self._text.feed(data))
        if self._on_output is not None and self._update is None:
            loop = asyncio.get_running_loop()
            self._update = loop.call_later(_UPDATE_SECONDS, self._tell)

    def connection_lost(self, error: Exception | None) -> None:
        self.closed.set()

    async def drain(self) -> None:
        """Take what is still in the pipe; a child in the background may keep it open for ever."""
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await self.closed.wait()
        self.stop_reading()

    def result(self, code: int | None, cancelled: bool, timed_out: bool) -> ShellResult:
        output = self._output
        return ShellResult(
            output=output.tail(),
            exit_code=128 - code if code is not None and code < 0 else code,
            cancelled=cancelled,
            timed_out=timed_out,
            truncated=output.truncated,
            full_output_path=output.path,
            total_lines=output.total_lines,
            total_bytes=output.total_bytes,
            whereabouts=output.whereabouts if output.truncated else "",
        )

    def _hand_out(self, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(text)

    def _tell(self) -> None:
        self._update = None
        if self._on_output is not None:
            self._on_output(self._output.tail())

    def stop_reading(self) -> None:
        if self._update is not None:
            self._update.cancel()
        if self._reader is not None:
            self._reader.close()
        if self._text is not None:
            self._hand_out(self._text.close())
        self._output.close()


async def _end_group(process: asyncio.subprocess.Process, run: _Run) -> None:
    """End every process of the group; not to be stopped by a second cancellation."""
    ending = asyncio.ensure_future(_end_politely(process, run))
    while not ending.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(ending)


async def _end_politely(process: asyncio.subprocess.Process, run: _Run) -> None:
    _signal_group(process.pid, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_POLITE_SECONDS):
            await run.closed.wait()
            await process.wait()
    _signal_group(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_POLITE_SECONDS):
            await process.wait()


def _signal_group(group: int, number: int) -> None:
    """Those that are gone need no signal; those of another user (sudo) we cannot reach."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
