"""``-p`` from start to exit: both programs ask the same scripted server, in turn.

One prompt, one short answer in the OpenAI chat format, no session file: what is left is start-up.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.server import Answer, serve, write_models

_ARGUMENTS = ["-p", "--no-session", "--model", "bench/one", "Say ok."]


def print_times(reference: list[str] | None, runs: int) -> tuple[float, float | None]:
    """Median ms from start to exit, ours and the reference's (``reference``: how to start it)."""
    ours = [str(Path(sys.executable).parent / "sapwood")]
    programs = [ours, *([reference] if reference else [])]
    with serve(Answer("ok")) as url, tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder), url)
        rounds = [
            [_wall([*program, *_ARGUMENTS], environment) for program in programs]
            for _ in range(runs + 1)  # the first one warms the caches
        ]
    medians = [median(times) for times in zip(*rounds[1:], strict=True)]
    return medians[0], medians[1] if reference else None


def _environment(folder: Path, url: str) -> dict[str, str]:
    write_models(folder, url)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PI_CODING_AGENT_DIR": str(folder), "PI_OFFLINE": "1"}


def _wall(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=True, env=environment
    )
    assert done.stdout == b"ok\n", done.stdout
    return (time.perf_counter() - started) * 1000
