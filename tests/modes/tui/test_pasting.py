"""What a terminal sends when something is pasted, cut up in every way."""

from __future__ import annotations

import itertools
import time

from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from sapwood.modes.tui.pasting import PasteParser
from sapwood.text import printable

START, END = "\x1b[200~", "\x1b[201~"


def read(*reads: str) -> list[Message]:
    parser = PasteParser()
    return [message for data in reads for message in parser.feed(data)]


def shown(messages: list[Message]) -> list[str]:
    """Keys by name, pastes by their text in quotes."""
    return [
        f"“{message.text}”" if isinstance(message, events.Paste) else message.key
        for message in messages
        if isinstance(message, events.Paste | events.Key)
    ]


def test_escape_sequences_stay_text() -> None:
    text = "red \x1b[31m text\x1b[0m, \x1b up \x1b[A, \x1b[200~, \x1b"
    assert shown(read(f"a{START}{text}{END}b")) == ["a", f"“{printable(text)}”", "b"]


def test_enter_in_a_paste_is_no_key() -> None:
    assert shown(read(f"{START}one\x1b\rtwo\r\nthree{END}\r")) == [
        "“one\N{REPLACEMENT CHARACTER}\ntwo\nthree”",
        "enter",
    ]


def test_two_pastes_and_an_empty_one() -> None:
    assert shown(read(f"{START}a{END}{START}{END}{START}b{END}")) == ["“a”", "“”", "“b”"]


def test_keys_around_are_read_as_ever() -> None:
    assert shown(read(f"\x1b[A{START}x{END}\x1b[B")) == ["up", "“x”", "down"]
    assert shown(read(f"\x1b\x1b[A{START}x{END}")) == [*shown(read("\x1b\x1b[A")), "“x”"]


def test_a_lone_escape_is_still_a_key() -> None:
    parser = PasteParser()
    assert shown(list(parser.feed("\x1b"))) == []
    deadline = time.monotonic() + 5
    pressed: list[str] = []
    while not pressed and time.monotonic() < deadline:
        pressed = shown(list(parser.tick()))
    assert pressed == ["escape"]
    assert shown(list(parser.feed("[200~"))) == [
        "left_square_bracket",
        "2",
        "0",
        "0",
        "tilde",
    ]


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from("ab\x1b[]201~;m\r\n\x07é\U0001f642")).filter(lambda t: END not in t),
    st.lists(st.integers(0, 80)),
)
def test_however_it_is_cut_up_it_arrives_whole(text: str, cuts: list[int]) -> None:
    data = f"x{START}{text}{END}y"
    points = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    pieces = [data[start:end] for start, end in itertools.pairwise(points)]
    assert shown(read(*pieces)) == ["x", f"“{printable(text)}”", "y"]


def test_a_long_paste_in_small_reads() -> None:
    text = "line \x1b[1m of a log\n" * 20_000
    data = f"{START}{text}{END}"
    reads = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    assert shown(read(*reads)) == [f"“{printable(text)}”"]
