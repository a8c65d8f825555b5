"""The window on rows of blocks: anchors, following the end, laziness."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.modes.tui.transcript.viewport import Anchor, scrolled, view

HEIGHTS = st.lists(st.integers(0, 7), max_size=30)


def rows_of(heights: list[int]) -> list[tuple[int, int]]:
    return [(block, line) for block, height in enumerate(heights) for line in range(height)]


def test_view_without_anchor_shows_the_end() -> None:
    heights = [3, 0, 4, 2]
    shown = view(None, 4, lambda at: [at] * heights[at], 5)
    assert shown.rows == [(2, 1), (2, 2), (2, 3), (3, 0), (3, 1)]
    assert shown.anchor is None
    assert shown.top == Anchor(2, 1)


def test_short_row_of_blocks_begins_at_the_top() -> None:
    assert view(None, 2, lambda at: [0], 10).rows == [(0, 0), (1, 0)]


def test_only_blocks_in_sight_are_asked_for() -> None:
    asked: set[int] = set()

    def lines(block: int) -> list[int]:
        asked.add(block)
        return [0] * 5

    view(None, 100_000, lines, 20)
    view(Anchor(50_000, 2), 100_000, lines, 20)
    assert len(asked) <= 10


@settings(max_examples=300, deadline=None)
@given(HEIGHTS, st.integers(1, 12), st.integers(-60, 60), st.integers(0, 29), st.integers(0, 6))
def test_scrolling_is_moving_a_window_over_all_lines(
    heights: list[int], height: int, by: int, block: int, line: int
) -> None:
    def lines(at: int) -> list[int]:
        return [0] * heights[at]

    everything = rows_of(heights)
    count = len(heights)
    before = view(Anchor(min(block, count), line), count, lines, height)
    assert before.rows == everything[start_of(before.rows, everything) :][:height]
    if not before.rows:
        return
    after = view(scrolled(before.top, count, lines, by), count, lines, height)
    wanted = everything.index(before.rows[0]) + by
    last_start = max(len(everything) - height, 0)
    assert start_of(after.rows, everything) == min(max(wanted, 0), last_start)


def start_of(rows: list[tuple[int, int]], everything: list[tuple[int, int]]) -> int:
    return everything.index(rows[0]) if rows else 0


def test_anchored_view_stays_while_the_end_grows() -> None:
    heights = [5, 5, 5]
    first = view(Anchor(0, 2), 3, lambda at: [0] * heights[at], 6)
    heights.append(40)
    second = view(first.anchor, 4, lambda at: [0] * heights[at], 6)
    assert first.rows == second.rows
