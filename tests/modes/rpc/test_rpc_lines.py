"""Splitting what comes over standard input into lines."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.modes.rpc.lines import split_lines

DATA = st.lists(st.sampled_from([b"a", b"\n", b"\r", "\u2028".encode(), b"{}"]), max_size=30)


@settings(max_examples=200, deadline=None)
@given(DATA, st.integers(1, 7))
def test_lines_end_at_lf_however_the_pieces_come(parts: list[bytes], size: int) -> None:
    data = b"".join(parts)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    *ended, rest = data.split(b"\n")
    expected = [*ended, *([rest] if rest else [])]
    assert list(split_lines(iter(pieces))) == [line.removesuffix(b"\r") for line in expected]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=8), st.integers(1, 5))
def test_a_line_over_the_limit_is_told_and_dropped(lengths: list[int], size: int) -> None:
    data = b"".join(b"x" * length + b"\n" for length in lengths)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    expected = [b"x" * length if length <= 6 else None for length in lengths]
    assert list(split_lines(iter(pieces), limit=6)) == expected
