"""Processes that start warm: forked from one that has imported the heavy libraries already.

What they run is the command itself, in a process of its own with its own folder, environment,
files and signals; only the two seconds of imports are shared.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import IO

_HEAVY = [
    "pydantic_ai.direct",
    "pydantic_ai.models.openai",
    "openai.resources.chat.completions",
    "sapwood.modes.agent_command",
    "sapwood.agent.session",
]
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(_HEAVY)


def run_warm(
    arguments: list[str], *, cwd: Path, env: dict[str, str], given: bytes, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """Like `subprocess.run` of the ``sapwood`` command."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.NamedTemporaryFile()) for _ in range(3)]
        files[0].write(given)
        files[0].flush()
        names = tuple(file.name for file in files)
        process = ForkServerProcess(target=_run, args=(arguments, str(cwd), env, names))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(arguments, timeout)
        out, errors = (_content(file) for file in files[1:])
        return subprocess.CompletedProcess(arguments, process.exitcode, out, errors)


class WarmProcess:
    """Like `subprocess.Popen` of the ``sapwood`` command, with three pipes."""

    def __init__(self, arguments: list[str], *, cwd: Path, env: dict[str, str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            names = [f"{folder}/{number}" for number in range(3)]
            for name in names:
                os.mkfifo(name)
            self._process = ForkServerProcess(target=_run, args=(arguments, str(cwd), env, names))
            self._process.start()
            # Each waits for the other end, which opens them in the same order.
            self.stdin: IO[bytes] = open(names[0], "wb")  # noqa: SIM115
            self.stdout: IO[bytes] = open(names[1], "rb")  # noqa: SIM115
            self.stderr: IO[bytes] = open(names[2], "rb")  # noqa: SIM115

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def wait(self, timeout: float) -> int:
        """The exit status."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("sapwood", timeout)
        return self._process.exitcode


def _content(file: IO[bytes]) -> bytes:
    return Path(file.name).read_bytes()


def _run(arguments: list[str], cwd: str, env: dict[str, str], names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY
        os.dup2(os.open(name, flags), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)

    from sapwood.modes.main import main

    sys.exit(main(arguments))
