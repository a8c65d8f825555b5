"""How fast it is: ``python -m bench [--small] [--runs N] [ROW…]``.

Prints a table: what was measured, our figure, the reference's, their ratio and the goal. Both run
on the same files, in turn, each measure in a fresh process; a figure is the median of the runs.
``ROW`` picks rows by the start of their name; ``--small`` uses files a tenth of the size.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from bench.files import Files
from bench.reference import Reference, find_reference
from bench.row import Row
from bench.rows import ROWS
from bench.terminal_rows import TERMINAL_ROWS

Times = dict[str, float]


def main() -> int:
    arguments = _arguments()
    folder = Path(os.environ.get("SAPWOOD_BENCH_DIR", "~/.cache/sapwood-bench")).expanduser()
    reference = None if arguments.no_reference else find_reference(folder / "reference")
    files = Files(folder / ("small" if arguments.small else "full"), 10 if arguments.small else 1)
    print(_machine(reference))
    print()
    print(f"{'':44} {'ours':>10} {'reference':>10} {'ratio':>7}  goal")
    missed = 0
    for row in (*ROWS, *TERMINAL_ROWS):
        if not arguments.rows or any(row.name.startswith(name) for name in arguments.rows):
            missed += not _show(row, Measure(files, reference, arguments.runs))
    return 1 if missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--small", action="store_true", help="files a tenth of the size")
    parser.add_argument("--runs", type=int, default=5, help="runs per figure (default 5)")
    parser.add_argument("--no-reference", action="store_true", help="our figures alone")
    return parser.parse_args()


def _machine(reference: Reference | None) -> str:
    against = "against Pi 1.6.0" if reference else "without the reference"
    python = platform.python_version()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{machine}, Python {python}, {against}"


class Measure:
    """Runs tasks; remembers what it ran, for rows that share a task."""

    _known: dict[tuple[str, ...], list[Times]] = {}  # noqa: RUF012

    def __init__(self, files: Files, reference: Reference | None, runs: int) -> None:
        self.files = files
        self.reference = reference
        self.runs = runs

    def ours(self, task: str, *arguments: str) -> Times:
        command = [sys.executable, "-m", "bench.tasks", task, *arguments]
        return self._median(("ours", task, *arguments), lambda: _json(command))

    def theirs(self, task: str, *arguments: str) -> Times | None:
        reference = self.reference
        if reference is None:
            return None
        return self._median(("theirs", task, *arguments), lambda: reference.run(task, *arguments))

    def command(self, command: list[str]) -> float:
        """Milliseconds from start to end of a program."""
        times = self._median(("command", *command), lambda: {"wall": _wall(command)})
        return times["wall"]

    def in_turn(self, name: str, tasks: Sequence[Callable[[], Times]], rounds: int) -> list[Times]:
        """The medians of tasks that take turns, at most ``rounds`` times."""
        keys = [("in turn", name, str(number)) for number in range(len(tasks))]
        if keys[0] not in self._known:
            for _ in range(min(rounds, self.runs)):
                for key, task in zip(keys, tasks, strict=True):
                    self._known.setdefault(key, []).append(task())
        return [_medians(self._known[key]) for key in keys]

    def _median(self, key: tuple[str, ...], run: Callable[[], Times]) -> Times:
        if key not in self._known:
            self._known[key] = [run() for _ in range(self.runs)]
        return _medians(self._known[key])


def _medians(results: list[Times]) -> Times:
    return {name: median(result[name] for result in results) for name in results[0]}


def _json(command: list[str]) -> Times:
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    result: Times = json.loads(done.stdout)
    return result


def _wall(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000


def _show(row: Row, measure: Measure) -> bool:
    """Print a row; whether its goal was met, as far as it can be told."""
    ours, theirs = row.measure(measure)
    ratio = ours / theirs if theirs else None
    met = row.met(ours, ratio)
    mark = "" if met is None else "  ✓" if met else "  ✗ missed"
    print(
        f"{row.title:44} {row.figure(ours):>10} {row.figure(theirs) if theirs else '–':>10} "
        f"{f'{ratio:.3f}' if ratio is not None else '–':>7}  {row.goal_text}{mark}",
        flush=True,
    )
    return met is not False


if __name__ == "__main__":
    sys.exit(main())
