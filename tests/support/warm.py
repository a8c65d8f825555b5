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


def _content(file: IO[bytes]) -> bytes:
    return Path(file.name).read_bytes()


def _run(arguments: list[str], cwd: str, env: dict[str, str], names: tuple[str, ...]) -> None:
    for number, name in enumerate(names):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY
        os.dup2(os.open(name, flags), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)

    from sapwood.modes.main import main

    sys.exit(main(arguments))
