"""The text of a command as it comes: every piece once, nothing torn apart."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.agent.plain_stream import PlainStream
from sapwood.agent.shell import run_shell


def streamed(*pieces: bytes) -> list[str]:
    stream = PlainStream()
    return [*(stream.feed(piece) for piece in pieces), stream.close()]


@pytest.mark.parametrize(
    ("pieces", "texts"),
    [
        ((b"one\n", b"two"), ["one\n", "two", ""]),
        ((b"\xe2\x82", b"\xac!"), ["", "€!", ""]),
        ((b"red \x1b[3", b"1mword\x1b[0m"), ["red ", "word", ""]),
        ((b"\x1b]0;ti", b"tle\x1b", b"\\text"), ["", "", "text", ""]),
        ((b"line\r", b"\nnext"), ["line", "\nnext", ""]),
        ((b"10%\r20%\r", b"30%"), ["10%\n20%", "\n30%", ""]),
        ((b"cut \x1b[3",), ["cut ", "3"]),
        ((b"\xff",), ["\ufffd", ""]),
        ((b"cut \xe2\x82",), ["cut ", "\ufffd"]),
    ],
)
def test_pieces_are_put_right_where_they_were_torn(
    pieces: tuple[bytes, ...], texts: list[str]
) -> None:
    assert streamed(*pieces) == texts


TEXT = st.text(st.sampled_from("ab€\n\r\x1b[];0m\\\x07 ("), max_size=40)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(st.integers(0, 60), max_size=5))
def test_where_it_is_torn_makes_no_difference(text: str, cuts: list[int]) -> None:
    data = text.encode()
    places = [0, *sorted(cuts), len(data)]
    pieces = [data[start:end] for start, end in itertools.pairwise(places)]
    assert "".join(streamed(*pieces)) == "".join(streamed(data))


async def test_a_command_hands_out_all_its_text_once(tmp_path: Path) -> None:
    pieces: list[str] = []
    result = await run_shell("seq 1 30000; printf end", tmp_path, on_text=pieces.append)
    assert "".join(pieces) == "".join(f"{number}\n" for number in range(1, 30001)) + "end"
    assert result.truncated
