"""Strings counted in UTF-16 units and cells, and made harmless for rows and terminals."""

from __future__ import annotations

import pytest

from sapwood.text import cell_width, cut_utf16, fit, one_line, plain_text, printable, utf16_len


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("abc", 3), ("é日", 2), ("😀", 2), ("a\ud83d", 2), ("👩‍👧", 5)]
)
def test_length_counts_utf_16_units(text: str, length: int) -> None:
    assert utf16_len(text) == length


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("abc", 2, "ab"), ("a😀b", 2, "a"), ("a😀b", 3, "a😀"), ("😀😀", 3, "😀"),
        ("é日本", 2, "é日"),
        ("abc", 0, ""), ("abc", -1, ""), ("abc", 9, "abc"), ("\ud83dx", 1, "\ud83d"),
    ],
)  # fmt: skip
def test_cutting_splits_no_character(text: str, limit: int, cut: str) -> None:
    assert cut_utf16(text, limit) == cut


def test_rows_hold_no_control_and_no_line_break() -> None:
    hostile = "a\r\n\tb\x1b[31mc\u202ed\u2028e\x85f\x9bg\ud800h"
    assert one_line(hostile) == "a b�[31mc�d e f�g�h"


def test_printed_text_keeps_its_lines_and_no_control() -> None:
    assert printable("a\tb\r\nc\rd\n\x1b]0;x\x07\u2066") == "a\tb\nc\nd\n�]0;x��"


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("日本", 4), ("e\u0301", 1), ("😀", 2), ("\x1b", 0), ("a\u200db", 2)],
)
def test_width_counts_terminal_cells(text: str, cells: int) -> None:
    assert cell_width(text) == cells


@pytest.mark.parametrize(
    ("text", "cells", "fitted"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("a", 0, ""),
    ],
)
def test_fitting_marks_what_was_left_out(text: str, cells: int, fitted: str) -> None:
    assert fit(text, cells) == fitted
    assert cell_width(fit(text, cells)) <= cells


def test_plain_text_takes_time_in_proportion() -> None:
    for hard in ("\x1b]" * 200_000, "\r" + "x" * 400_000, "\x1b[" + "1;" * 200_000):
        assert len(plain_text(hard)) <= len(hard)
