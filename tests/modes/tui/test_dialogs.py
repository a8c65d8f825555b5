"""Each dialog alone, with plain data: keys in, one result out, hostile text harmless."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from sapwood.modes.tui.dialogs.panel import Fact, Panel
from sapwood.modes.tui.dialogs.pick_list import PickList
from sapwood.modes.tui.dialogs.question import Question, confirm
from sapwood.modes.tui.dialogs.rows import Row, Rows
from sapwood.modes.tui.dialogs.text_field import TextBox, TextField

NOTHING = object()
ROWS = [Row(value, f"row {value}", "even" if value % 2 == 0 else "odd") for value in range(40)]


class Host(App[None]):
    """Shows one screen and keeps its result."""

    def __init__(self, screen: Screen[Any]) -> None:
        super().__init__()
        self.shown = screen
        self.result: Any = NOTHING

    def on_mount(self) -> None:
        self.push_screen(self.shown, lambda result: setattr(self, "result", result))

    @property
    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)


async def result_of(screen: Screen[Any], *keys: str) -> Any:
    app = Host(screen)
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot, *keys)
        return app.result


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.pause()
    await pilot.press(*keys)
    await pilot.pause()


async def test_question_starts_at_the_current_answer() -> None:
    rows = [Row("a", "First"), Row("b", "Second", current=True), Row("c", "Third")]
    assert await result_of(Question("Which?", rows), "enter") == "b"
    assert await result_of(Question("Which?", rows), "down", "enter") == "c"
    assert await result_of(Question("Which?", rows), "down", "down", "enter") == "a"


async def test_question_takes_the_number_of_an_answer() -> None:
    assert await result_of(Question("Which?", ROWS[:3]), "3") == 2
    assert await result_of(Question("Which?", ROWS[:3]), "7") is NOTHING


async def test_escape_leaves_every_dialog_with_none() -> None:
    screens: list[Screen[Any]] = [
        Question("Which?", ROWS[:2]),
        TextField("Name", "old"),
        TextBox("Focus", "old"),
        PickList("Pick", ROWS),
        Panel("Facts", [Fact("a", "b")]),
    ]
    for screen in screens:
        assert await result_of(screen, "escape") is None


async def test_confirm_is_no_unless_yes_was_meant() -> None:
    assert await result_of(confirm("Delete it?", "Yes"), "enter") is False
    assert await result_of(confirm("Delete it?", "Yes"), "down", "enter") is True


async def test_text_field_gives_the_line() -> None:
    assert await result_of(TextField("Name", "old"), "end", "e", "r", "enter") == "older"


async def test_secret_is_not_shown() -> None:
    app = Host(TextField("Key", secret=True))
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot, *"s3cret")
        assert "s3cret" not in app.text
        await press(pilot, "enter")
    assert app.result == "s3cret"


async def test_text_box_takes_several_lines() -> None:
    assert await result_of(TextBox("Focus"), "a", "ctrl+j", "b", "enter") == "a\nb"


async def test_pick_list_searches_what_is_shown_by_all_words() -> None:
    app = Host(PickList("Pick", ROWS))
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot, *"odd", "space", "3")
        assert "8 of 40" in app.text
        await press(pilot, "down", "enter")
    assert app.result == 13


async def test_pick_list_without_a_match_says_so_and_chooses_nothing() -> None:
    app = Host(PickList("Pick", ROWS))
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot, *"zzz", "enter")
        assert "Nothing fits" in app.text
        assert app.result is NOTHING


async def test_selection_stays_on_its_row_while_searching() -> None:
    app = Host(PickList("Pick", ROWS))
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot, *["down"] * 12, *"even")
        assert app.screen.query_one(Rows).row == ROWS[12]
        await press(pilot, *["backspace"] * 4, "pagedown", "enter")
    assert app.result == 25


async def test_rows_can_be_clicked() -> None:
    app = Host(Question("Which?", ROWS[:5]))
    async with app.run_test(size=(60, 24)) as pilot:
        await pilot.pause()
        await pilot.click(Rows, offset=(3, 2))
        await pilot.pause()
    assert app.result == 2


async def test_panel_shows_facts_in_columns() -> None:
    facts = [Fact("File"), Fact("Path", "/tmp/x"), Fact("Id", "123"), Fact("", "a line of text")]
    app = Host(Panel("About", facts))
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot)
        assert " File\n Path  /tmp/x\n Id    123\n a line of text" in app.text
        await press(pilot, "q")
    assert app.result is None


async def test_long_panel_scrolls() -> None:
    facts = [Fact(f"label {number}", f"value {number}") for number in range(100)]
    app = Host(Panel("Long", facts))
    async with app.run_test(size=(60, 24)) as pilot:
        await press(pilot)
        assert "value 99" not in app.text
        await press(pilot, "end")
        await pilot.pause(0.3)
        assert "value 99" in app.text


EVIL = "x\x1b[31m\x1b]0;title\x07\u202e[bold]y[/bold]\r\nz"


async def test_hostile_text_stays_text() -> None:
    screens: list[Screen[Any]] = [
        Question(EVIL, [Row(0, EVIL, EVIL)], EVIL),
        PickList(EVIL, [Row(0, EVIL, EVIL)], text=EVIL),
        Panel(EVIL, [Fact(EVIL), Fact(EVIL, EVIL)], text=EVIL),
        TextField(EVIL, "v", text=EVIL, placeholder="p"),
    ]
    for screen in screens:
        app = Host(screen)
        async with app.run_test(size=(60, 24)) as pilot:
            await press(pilot)
            assert not {"\x1b", "\x07", "\u202e", "\r"} & set(app.text)
            assert "[bold]y[/bold]" in app.text
