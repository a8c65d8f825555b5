"""The page on compaction names a real test for every reported case, and the code's numbers."""

from __future__ import annotations

import re
from pathlib import Path

import sapwood
from sapwood.compaction.carried import REQUEST_BUDGET, RULES_BUDGET
from sapwood.compaction.extract import EXTRACT_BUDGET
from sapwood.compaction.reading import REACH
from sapwood.compaction.retain import RETAIN_BUDGET
from sapwood.compaction.settings import ASSUMED_WINDOW

PAGE = Path(sapwood.__file__).parents[2] / "docs" / "compaction.md"
NO_SUCH_CASE = {41, 42, 44, 50, 53, 57, 68, 91}


def test_every_case_has_a_test_that_exists() -> None:
    tests, text = Path(__file__).parents[1], PAGE.read_text("utf-8")
    cases = {int(number) for number in re.findall(r"^\| B(\d+) .*\| `", text, re.MULTILINE)}
    assert cases == set(range(40, 98)) - NO_SUCH_CASE
    file, missing = "", []
    for named, name in re.findall(r"`([\w/.…]+)::(\w+)`", text):
        file = file if named == "…" else named
        if f"def {name}(" not in (tests / file).read_text("utf-8"):
            missing.append(f"{file}::{name}")
    assert missing == []


def test_its_numbers_are_those_of_the_code() -> None:
    text = PAGE.read_text("utf-8")
    for number in (
        *(REQUEST_BUDGET, RULES_BUDGET, RETAIN_BUDGET, EXTRACT_BUDGET, ASSUMED_WINDOW),
        *REACH.values(),
    ):
        assert f"{number:,}" in text
