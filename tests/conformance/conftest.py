"""Says at the end of a test run how many golden files matched, and which were left out and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.differences import DIFFERENCES

GOLDEN = Path(__file__).parents[1] / "golden"
SUFFIXES = (".expected.json", ".json")


def _golden_names() -> set[str]:
    names = set()
    for path in [*GOLDEN.glob("sessions/*.json"), *GOLDEN.glob("lifecycle/*.json")]:
        names.add(next(path.name.removesuffix(each) for each in SUFFIXES if each in path.name))
    return names


def _names_of(report: pytest.TestReport, known: set[str]) -> set[str]:
    """The golden files that a test is about: its parameter, or the file its name stands for."""
    path, _, test = report.nodeid.partition("::")
    parameter = test.partition("[")[2].rstrip("]")
    if parameter in known:
        return {parameter}
    for shared in ("calls", "list"):
        if Path(path).name.startswith(f"test_golden_{shared}"):
            return {shared}
    return {name for name in known if parameter.startswith(f"{name}-")}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    known = _golden_names()
    outcomes: dict[str, set[str]] = {"passed": set(), "failed": set()}
    for outcome, names in outcomes.items():
        for report in terminalreporter.stats.get(outcome, []):
            if "tests/conformance/" in report.nodeid:
                names |= _names_of(report, known)
    failed = outcomes["failed"]
    matched = outcomes["passed"] - failed - DIFFERENCES.keys()
    if not matched and not failed:
        return
    line = terminalreporter.write_line
    terminalreporter.section("golden files")
    line(f"{len(matched)} of {len(known)} matched, {len(failed)} failed")
    line(f"{len(DIFFERENCES)} differ on purpose:")
    for name, reason in DIFFERENCES.items():
        line(f"  {name}: {reason}")
    missing = known - matched - failed - DIFFERENCES.keys()
    if missing:
        line(f"not looked at in this run: {', '.join(sorted(missing))}")
