"""Many turns in one run: does a turn cost the same at the end as at the beginning?

    python -m bench.run_load [turns]

Plays a run of `turns` turns (500) with five parallel tool calls each against a scripted HTTP server
and prints the time per turn of the first and the last tenth, the server's own time taken off. The
window is small enough that compactions keep the context, and so the request, of bounded size.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.stage import Stage

CALLS = [{"name": "ls", "arguments": {"path": "."}}] * 5


def turn(prompt: int) -> dict[str, Any]:
    return {"text": "on", "tools": CALLS, "usage": {"prompt": prompt, "completion": 20}}


async def run(turns: int) -> list[float]:
    """Seconds of each turn; every twentieth answer reports a full window."""
    steps = [turn(7000 if number % 20 == 19 else 1000) for number in range(turns)]
    settings = {"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}}
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder), [*steps, {"text": "done"}], settings=settings)
        session = await stage.open()
        marks: list[tuple[float, int]] = []

        def mark(event: dict[str, Any]) -> None:
            if event["type"] == "turn_end":
                marks.append((time.perf_counter(), len(asyncio.all_tasks())))

        session.subscribe(mark)
        await session.prompt("go")
        await stage.finish()
    print(f"tasks at the end of a turn: at most {max(tasks for _, tasks in marks)}")
    times = [at for at, _ in marks]
    return [after - before for before, after in pairwise(times)]


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seconds = asyncio.run(run(turns))
    tenth = max(1, len(seconds) // 10)
    first, last = median(seconds[:tenth]) * 1000, median(seconds[-tenth:]) * 1000
    print(f"{turns} turns, 5 parallel tools each: {sum(seconds):.1f} s in all")
    print(f"per turn: first tenth {first:.1f} ms, last tenth {last:.1f} ms, {last / first:.2f} x")


if __name__ == "__main__":
    main()
