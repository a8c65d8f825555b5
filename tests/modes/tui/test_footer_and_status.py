"""Footer and status lines: what they say, and that they fit."""

from __future__ import annotations

import pytest

from sapwood.modes.tui.footer import Footer, FooterInfo, gauge_parts, layout, place_parts
from sapwood.modes.tui.status import Status, status_strips
from sapwood.modes.tui.theme import DARK
from sapwood.modes.tui.words import age_text, cost_text, count_text, span_text, tokens_text

INFO = FooterInfo(
    folder="~/work/project",
    name="Parser",
    branches=3,
    model="anthropic/claude-x",
    level="high",
    tokens=68_000,
    window=200_000,
    estimated=True,
    cost=0.1234,
)


def lines(info: FooterInfo, width: int = 80) -> list[str]:
    parts = (place_parts(info), gauge_parts(info))
    return [layout(*part, width, DARK).text for part in parts]


def test_footer_says_where_and_how_full() -> None:
    first, second = lines(INFO)
    assert first.startswith(" ~/work/project · Parser ")
    assert first.rstrip().endswith("3 branches")
    assert second.startswith(" ▰▰▰▱▱▱▱▱▱▱ 34% · ~68k of 200k · $0.12")
    assert second.rstrip().endswith("anthropic/claude-x · high")


def test_footer_without_model_or_numbers() -> None:
    first, second = lines(FooterInfo(folder="/x", note="not saved"))
    assert first.split() == ["/x", "not", "saved"]
    assert second.split() == ["context", "unknown", "·", "$0", "no", "model"]


def test_footer_with_unknown_window_names_the_tokens() -> None:
    assert " context 512 · " in lines(FooterInfo(tokens=512, model="m"))[1]


@pytest.mark.parametrize("width", [1, 8, 20, 33, 80, 200])
def test_footer_has_exactly_the_width(width: int) -> None:
    for line in lines(INFO, width):
        assert len(line) == width


def test_footer_is_harmless() -> None:
    evil = "a\x1b[31m\nb\u202e"
    info = FooterInfo(folder=evil, name=evil, model=evil)
    assert not {"\x1b", "\n", "\u202e"} & set("".join(lines(info)))


def test_footer_widget_keeps_one_palette() -> None:
    assert Footer(DARK).palette is DARK


def text_of(status: Status, now: float = 0.0, width: int = 60) -> list[str]:
    return [strip.text.rstrip() for strip in status_strips(status, now, width, DARK)]


def test_nothing_to_say_takes_no_line() -> None:
    assert text_of(Status()) == []


def test_activity_has_seconds_and_a_way_out() -> None:
    status = Status(doing="Answering", since=100.0, hint="Esc stops")
    (line,) = text_of(status, now=172.0)
    assert line.endswith("Answering · 1m 12s · Esc stops")


def test_queue_names_both_kinds_and_how_to_take_them_back() -> None:
    status = Status(steering=("use tabs\nplease",), follow_up=("then commit",))
    assert text_of(status) == [
        "  ↳ steers use tabs please",
        "  ↳ then   then commit",
        "    Alt+Up takes them back",
    ]


def test_long_queue_is_counted() -> None:
    status = Status(follow_up=tuple(f"message {number}" for number in range(9)))
    assert text_of(status)[-1] == "    5 more · Alt+Up takes them back"


def test_notice_is_marked_by_kind_and_wrapped() -> None:
    assert text_of(Status(notice="done")) == ["  · done"]
    assert text_of(Status(notice="broken", kind="error")) == ["  ✗ broken"]
    long = text_of(Status(notice="word " * 100, kind="warn"), width=40)
    assert len(long) == 4
    assert all(len(line) <= 40 for line in long)


def test_words() -> None:
    assert [tokens_text(n) for n in (0, 999, 8_100, 9_000, 68_400, 1_200_000)] == [
        "0", "999", "8.1k", "9k", "68k", "1.2M",
    ]  # fmt: skip
    assert [cost_text(n) for n in (0, 0.0042, 0.5, 12)] == ["$0", "$0.004", "$0.50", "$12.00"]
    assert [span_text(n) for n in (8.9, 125, 3_720)] == ["8s", "2m 05s", "1h 02m"]
    assert [age_text(n) for n in (5, 300, 7_200, 200_000, 5e6, 9e7)] == [
        "now", "5m", "2h", "2d", "8w", "2y",
    ]  # fmt: skip
    assert count_text(1, "entry", "entries") == "1 entry"
    assert count_text(1_200, "entry", "entries") == "1,200 entries"
