"""The ``sapwood`` command as a process, in a project and with an agent dir of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    **more: Any,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command to its end; output as bytes."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(agent_dir),
        input=given if given is not None else b"",
        capture_output=True,
        timeout=60,
        check=False,
        **more,
    )


def start_sapwood(
    arguments: list[str], *, cwd: Path, agent_dir: Path, **more: Any
) -> subprocess.Popen[bytes]:
    """Start the command without waiting for it."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(agent_dir),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )
