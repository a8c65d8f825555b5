"""Where JavaScript differs; the expected values were printed by Node 22."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from sapwood.session.javascript import (
    iso_timestamp,
    items,
    number_text,
    parse_date,
    to_number,
    trim,
    truthy,
    utf16_order,
)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2025-12-01", 1764547200000),
        ("2025", 1735689600000),
        ("2025-12", 1764547200000),
        ("2025-12-01T10:00Z", 1764583200000),
        ("2025-12-01T10:00:00.123456789Z", 1764583200123),
        ("2025-12-01T10:00:00+02:30", 1764574200000),
        ("2025-12-01T24:00:00Z", 1764633600000),
        ("2025-02-31", 1740960000000),
        ("+002025-12-01", 1764547200000),
        ("2025-12-01T00:00:00", 1764543600000),
        ("2025-12-01T10:00:00.5", 1764579600500),
        ("2025-12-01 10:00:00", 1764579600000),
        ("2025-12-01 10:00:00Z", 1764583200000),
        ("2025-12-01 10:00:00 +0100", 1764579600000),
        ("2025-12-01t10:00:00Z", 1764583200000),
        ("2025/12/01", 1764543600000),
        ("12/1/2025", 1764543600000),
        ("Dec 1 2025", 1764543600000),
        ("Dec 1, 2025 3:04 PM", 1764597840000),
        ("1 Dec 2025 10:00", 1764579600000),
        ("Mon, 01 Dec 2025 10:00:00 GMT", 1764583200000),
        (None, 0),
        (5.7, 5),
        (-1.5, -1),
        (True, 1),
    ],
)
@pytest.mark.usefixtures("berlin")
def test_dates_are_read_as_node_reads_them(text: Any, ms: int) -> None:
    assert parse_date(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "bad", "2025-13-01", "2025-00-01", "2025-12-32", "2025-12-01T24:00:01Z",
        "2025-12-01T10", "20251201", "2025-12-01T00:00:60Z", "Foo 1 2025", "Dec 1 2025 nonsense",
        1e20, float("nan"), [], {},
    ],
)  # fmt: skip
def test_what_is_no_date_is_nan(text: Any) -> None:
    assert parse_date(text) != parse_date(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e20, "1" + "0" * 20),
        (123e-20, "1.23e-18"), (1e-6, "0.000001"), (1e-7, "1e-7"), (2**53 + 1, "9007199254740992"),
        (float("inf"), "null"), (float("nan"), "null"), (10**400, "null"), (5e-324, "5e-324"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_doubles(number: float, text: str) -> None:
    assert number_text(number) == text


def test_a_time_reads_back_as_it_was_written() -> None:
    for ms in (0, 999, 1_767_225_600_000, 253_402_300_799_999):
        assert parse_date(iso_timestamp(ms)) == ms
    assert iso_timestamp(1_767_323_045_678) == "2026-01-02T03:04:05.678Z"


def test_index_like_keys_come_first_in_ascending_order() -> None:
    given = {"b": 0, "10": 1, "9": 2, "01": 3, "4294967294": 4, "4294967295": 5, "-1": 6, "²": 7}
    assert [key for key, _ in items(given)] == [
        "9", "10", "4294967294", "b", "01", "4294967295", "-1", "²",
    ]  # fmt: skip


def test_trim_knows_other_blanks_than_python() -> None:
    assert trim("\ufeff\u00a0 x \u2028\n") == "x"
    assert trim("\x85x\x1c") == "\x85x\x1c"


def test_strings_are_ordered_by_utf_16_units() -> None:
    assert sorted(["\ue000", "\U00010000", "a"], key=utf16_order) == ["a", "\U00010000", "\ue000"]


def test_truth_and_numbers_of_odd_values() -> None:
    assert [truthy(value) for value in ({}, [], "0", -1)] == [True] * 4
    assert [truthy(value) for value in (0, "", None, False, float("nan"))] == [False] * 5
    assert [to_number(value) for value in (None, True, " 3 ", "", "2.5")] == [0, 1, 3, 0, 2.5]
    assert to_number("x") != to_number("x")
