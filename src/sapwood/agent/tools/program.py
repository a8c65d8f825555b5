"""Run a search program and take its output piece by piece, until there is enough."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from sapwood.agent.tools.tool import ToolError

TIMEOUT_SECONDS = 60.0
_CHUNK = 1 << 16
_MAX_RECORD = 1 << 20
_SHOWN_ERROR = 500


async def records(
    arguments: Sequence[str], cwd: Path, separator: bytes
) -> AsyncGenerator[str, None]:
    """The records that a program writes to standard output.

    Leaving the loop early ends the program. A record longer than 1 MB is cut.

    Raises:
        ToolError: it could not start, found nothing and complained, or took over a minute.
    """
    process = await _start(arguments, cwd)
    assert process.stdout is not None
    assert process.stderr is not None
    complaints = asyncio.ensure_future(_first_words(process.stderr))
    found_any = False
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            async for record in _split(process.stdout, separator):
                found_any = True
                yield record.decode("utf-8", "replace")
            complaint = await complaints
            if await process.wait() != 0 and complaint and not found_any:
                raise ToolError(complaint)
    except TimeoutError:
        raise ToolError(
            f"The search took longer than {TIMEOUT_SECONDS:g} s; give a narrower path or pattern"
        ) from None
    finally:
        complaints.cancel()
        _end(process)
        await process.wait()


async def _start(arguments: Sequence[str], cwd: Path) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *arguments,
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise ToolError(f"The search could not be started: {error.strerror}") from error
    except ValueError as error:  # a NUL character
        raise ToolError(f"The search could not be started: {error}") from error


def _end(process: asyncio.subprocess.Process) -> None:
    """Not ``process.kill()``: that may take the exit status away from whom asyncio has waiting for
    it, who then complains of an unknown process."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def _split(stream: asyncio.StreamReader, separator: bytes) -> AsyncGenerator[bytes, None]:
    rest = b""
    while chunk := await stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(separator)
        for record in whole:
            yield record
        if len(rest) > _MAX_RECORD:
            rest = rest[:_MAX_RECORD]
    if rest:
        yield rest


async def _first_words(stream: asyncio.StreamReader) -> str:
    """The start of what is written; the rest is read too, or the program would wait for us."""
    kept = b""
    while chunk := await stream.read(_CHUNK):
        kept = (kept + chunk)[: 4 * _SHOWN_ERROR]
    text = kept.decode("utf-8", "replace").strip()
    return text if len(text) <= _SHOWN_ERROR else text[:_SHOWN_ERROR] + "…"
