"""The ``sapwood`` command as a process, in a project and with an agent dir of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.warm import run_warm

_MAIN = "import sys; from sapwood.modes.main import main; sys.exit(main())"
COMMAND = [sys.executable, "-c", _MAIN]


def environment(agent_dir: Path, **more: str) -> dict[str, str]:
    """The environment of a command: this agent dir, and no key from outside."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_API_KEY") and not name.startswith("PI_")
    }
    return {**kept, "PI_CODING_AGENT_DIR": str(agent_dir), **more}


def sapwood(
    arguments: list[str],
    *,
    cwd: Path,
    agent_dir: Path,
    stdin: str | bytes | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command to its end in a warm process; output as bytes."""
    given = stdin.encode() if isinstance(stdin, str) else stdin or b""
    return run_warm(arguments, cwd=cwd, env=environment(agent_dir), given=given, timeout=60)


def start_sapwood(
    arguments: list[str], *, cwd: Path, agent_dir: Path, **more: Any
) -> subprocess.Popen[bytes]:
    """Start the command without waiting for it."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(agent_dir),
        **{
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **more,
        },
    )


def wait_until(happened: Callable[[], bool], seconds: float = 60) -> None:
    """Return once it has happened; fail when it does not."""
    give_up = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < give_up, "it did not happen"
        time.sleep(0.01)
