"""The transcript widget: what it asks for, scrolling, following, repainting."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.strip import Strip

from sapwood.modes.tui.transcript.lines import strip
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.view import Transcript


class Numbered:
    """Blocks of three lines; every tenth is a prompt; knows which were drawn."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.drawn: list[int] = []

    def __len__(self) -> int:
        return self.count

    def lines(self, index: int, look: Look) -> list[Strip]:
        self.drawn.append(index)
        style = look.style("text")
        return [strip((f"block {index} line {line}", style)) for line in range(3)]

    def is_prompt(self, index: int) -> bool:
        return index % 10 == 0


class Host(App[None]):
    CSS: ClassVar[str] = "Screen { layout: vertical; }"

    def __init__(self, blocks: Numbered) -> None:
        super().__init__()
        self.blocks = blocks
        self.transcript = Transcript()

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.transcript.show(self.blocks)

    @property
    def rows(self) -> list[str]:
        strips = self.screen._compositor.render_strips()
        return [strip.text.rstrip(" ▐") for strip in strips]


async def test_starts_at_the_end_and_draws_only_what_is_in_sight() -> None:
    app = Host(Numbered(45_000))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert app.rows[-1] == "block 44999 line 2"
        assert app.rows[0] == "block 44996 line 0"
        assert min(app.blocks.drawn) >= 44_990


async def test_scrolls_by_wheel_page_and_to_both_ends() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 12)) as pilot:
        app.transcript.scroll_page(-1)
        await pilot.pause()
        assert app.rows[0] == "block 92 line 2"
        assert not app.transcript.follows
        app.transcript.go_top()
        await pilot.pause()
        assert app.rows[0] == "block 0 line 0"
        app.transcript.scroll_rows(3)
        await pilot.pause()
        assert app.rows[0] == "block 1 line 0"
        app.transcript.go_bottom()
        await pilot.pause()
        assert app.rows[-1] == "block 99 line 2"
        assert app.transcript.follows


async def test_growing_end_is_followed_unless_scrolled_back() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 12)) as pilot:
        app.blocks.count += 1
        app.transcript.changed()
        await pilot.pause(0.2)
        assert app.rows[-1] == "block 100 line 2"
        app.transcript.scroll_rows(-30)
        await pilot.pause()
        before = app.rows
        app.blocks.count += 50
        app.transcript.changed()
        await pilot.pause(0.2)
        assert app.rows == before


async def test_scrolling_back_to_the_end_follows_again() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 12)) as pilot:
        app.transcript.scroll_rows(-5)
        await pilot.pause()
        assert not app.transcript.follows
        app.transcript.scroll_rows(5)
        await pilot.pause()
        assert app.transcript.follows


async def test_jumps_from_prompt_to_prompt() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 12)) as pilot:
        app.transcript.jump_prompt(-1)
        await pilot.pause()
        assert app.rows[0] == "block 90 line 0"
        app.transcript.jump_prompt(-1)
        await pilot.pause()
        assert app.rows[0] == "block 80 line 0"
        app.transcript.jump_prompt(1)
        await pilot.pause()
        assert app.rows[0] == "block 90 line 0"


async def test_many_changes_are_one_frame() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        app.blocks.drawn.clear()
        for _ in range(1_000):
            app.transcript.changed()
        await pilot.pause(0.2)
        assert len(app.blocks.drawn) <= 24


async def test_resize_keeps_the_line_at_the_top() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 12)) as pilot:
        app.transcript.scroll_rows(-60)
        await pilot.pause()
        top = app.rows[0]
        await pilot.resize_terminal(25, 7)
        await pilot.pause()
        assert app.rows[0] == top
        await pilot.resize_terminal(3, 1)
        await pilot.pause()
        await pilot.resize_terminal(90, 40)
        await pilot.pause()
        assert app.rows[0] == top


async def test_scroll_mark_shows_where_the_view_is() -> None:
    app = Host(Numbered(100))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()

        def marked() -> list[int]:
            strips = app.screen._compositor.render_strips()
            return [row for row, strip in enumerate(strips) if strip.text.endswith("▐")]

        assert marked() == []
        app.transcript.go_top()
        await pilot.pause()
        assert marked() == [0]
        app.transcript.scroll_rows(150)
        await pilot.pause()
        assert marked() == [5]
