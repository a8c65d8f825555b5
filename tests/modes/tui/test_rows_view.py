"""A long list by itself: what is drawn, what stays in sight, what clicks and the wheel do."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip

from sapwood.modes.tui.rows_view import RowsView
from sapwood.modes.tui.theme import DARK
from sapwood.modes.tui.transcript.lines import strip

HEIGHT = 10


class Numbers(RowsView):
    DEFAULT_CSS = "Numbers { width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__(DARK)
        self.drawn: list[int] = []

    def draw_row(self, index: int) -> Strip:
        self.drawn.append(index)
        mark = ">" if index == self.marked else " "
        return strip((f"{mark}row {index}", DARK["text"]))


class Stage(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.rows = Numbers()
        self.clicks: list[tuple[int, bool]] = []

    def compose(self) -> ComposeResult:
        yield self.rows

    def on_rows_view_clicked(self, event: RowsView.Clicked) -> None:
        self.clicks.append((event.index, event.double))

    @property
    def lines(self) -> list[str]:
        return [line.text.rstrip() for line in self.screen._compositor.render_strips()]


async def shown(pilot: Pilot[None], app: Stage, count: int, marked: int) -> None:
    app.rows.show_rows(count, marked, ["Nothing here."])
    await pilot.pause()
    app.rows.drawn.clear()


async def test_moving_the_mark_draws_two_rows() -> None:
    app = Stage()
    async with app.run_test(size=(20, HEIGHT)) as pilot:
        await shown(pilot, app, 50_000, 3)
        app.rows.mark(4)
        await pilot.pause()
        assert sorted(app.rows.drawn) == [3, 4]
        assert [line[:6].rstrip() for line in app.lines[3:5]] == [" row 3", ">row 4"]


async def test_the_marked_row_is_always_in_sight() -> None:
    app = Stage()
    async with app.run_test(size=(20, HEIGHT)) as pilot:
        await shown(pilot, app, 100, 0)
        for marked, first in ((9, 0), (10, 1), (99, 90), (95, 90), (0, 0)):
            app.rows.mark(marked)
            await pilot.pause()
            assert f"row {first}" in app.lines[0]
            assert f">row {marked}" in app.lines[marked - first]
        await pilot.resize_terminal(20, 4)
        app.rows.mark(50)
        await pilot.pause()
        assert any(">row 50" in line for line in app.lines)


async def test_a_long_list_tells_where_it_is_and_a_short_one_does_not() -> None:
    app = Stage()
    async with app.run_test(size=(20, HEIGHT)) as pilot:
        await shown(pilot, app, HEIGHT, 0)
        assert not any("▐" in line for line in app.lines)
        await shown(pilot, app, 100, 0)
        assert [line.endswith("▐") for line in app.lines] == [True] + [False] * 9
        app.rows.mark(99)
        await pilot.pause()
        assert [line.endswith("▐") for line in app.lines] == [False] * 9 + [True]


async def test_the_wheel_looks_elsewhere_and_a_click_names_the_row() -> None:
    app = Stage()
    async with app.run_test(size=(20, HEIGHT)) as pilot:
        await shown(pilot, app, 100, 0)
        app.rows.post_message(events.MouseScrollDown(app.rows, 1, 1, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert "row 3" in app.lines[0]
        assert app.rows.marked == 0
        await pilot.click(Numbers, offset=(2, 4))
        assert app.clicks == [(7, False)]


async def test_without_rows_it_says_why() -> None:
    app = Stage()
    async with app.run_test(size=(20, HEIGHT)) as pilot:
        await shown(pilot, app, 0, 0)
        assert app.lines[0].strip() == "Nothing here."
        await pilot.click(Numbers, offset=(2, 4))
        assert app.clicks == []
