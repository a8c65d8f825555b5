"""The mouse in the transcript: wheel, folding by click, selecting and copying."""

from __future__ import annotations

from pathlib import Path

from textual import events

from support.tui import Ui, make_place, running_ui

TOOL = {"name": "bash", "arguments": {"command": "seq 30"}}


def row_of(ui: Ui, text: str) -> int:
    """The row of the screen that shows a text."""
    return next(y for y, line in enumerate(ui.screen_text.split("\n")) if text in line)


async def drag(ui: Ui, start: tuple[int, int], *moves: tuple[int, int]) -> None:
    await ui.pilot.mouse_down(offset=start)
    for x, y in moves:
        await ui.pilot.hover(offset=(x, y))
    await ui.pilot.mouse_up(offset=moves[-1])
    await ui.pilot.pause()


async def test_a_click_unfolds_one_message_and_folds_it_again(tmp_path: Path) -> None:
    steps = [{"tools": [TOOL]}, {"text": "done"}]
    async with running_ui(make_place(tmp_path, [*steps, *steps]), size=(100, 50)) as ui:
        await ui.send("one")
        await ui.send("two")
        assert ui.screen_text.count("24 earlier lines") == 2
        await ui.pilot.click(offset=(8, row_of(ui, "● $ seq 30")))
        await ui.settled()
        assert ui.screen_text.count("24 earlier lines") == 1
        assert "│ 7 " in ui.screen_text
        await ui.pilot.click(offset=(8, row_of(ui, "│ 7")))
        await ui.settled()
        assert ui.screen_text.count("24 earlier lines") == 2


async def test_a_click_on_a_card(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "long " * 2000}])
    (place.agent_dir / "settings.json").write_text('{"compaction": {"keepRecentTokens": 100}}')
    async with running_ui(place) as ui:
        await ui.send("one")
        await ui.send("two")
        ui.chat.run_command("compact", "", "/compact")
        await ui.until(lambda: "── Compacted" in ui.screen_text)
        await ui.settled()
        assert "Goal" not in ui.screen_text
        await ui.pilot.click(offset=(8, row_of(ui, "── Compacted")))
        await ui.until(lambda: "Goal" in ui.screen_text)


async def test_a_click_on_plain_text_changes_nothing_and_the_editor_keeps_the_focus(
    tmp_path: Path,
) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}])) as ui:
        await ui.send("hello")
        before = ui.screen_text
        await ui.pilot.click(offset=(5, row_of(ui, "an answer")))
        await ui.settled()
        assert ui.screen_text == before
        await ui.press("x")
        assert ui.chat.editor.text == "x"


async def test_dragging_copies_without_margins(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "first line\n\nsecond 日本 line"}])) as ui:
        await ui.send("hello there")
        top, bottom = row_of(ui, "▌ hello"), row_of(ui, "second")
        await drag(ui, (0, top), (40, bottom))
        await ui.until(lambda: ui.app.clipboard != "")
        assert ui.app.clipboard == "hello there\n\nfirst line\n\nsecond 日本 line"
        assert ui.notice == "Copied 39 characters"
        await drag(ui, (9, bottom), (12, bottom))
        await ui.until(lambda: ui.app.clipboard == "日本")


async def test_dragging_upwards_and_beyond_the_edge_scrolls(tmp_path: Path) -> None:
    long = "\n\n".join(f"paragraph {number}" for number in range(60))
    async with running_ui(make_place(tmp_path, [{"text": long}])) as ui:
        await ui.send("hello")
        end = row_of(ui, "paragraph 59")
        await ui.pilot.mouse_down(offset=(13, end))
        for _ in range(60):
            ui.chat.transcript.post_message(move(ui, 2, -1))
        await ui.pilot.pause()
        await ui.pilot.mouse_up(offset=(2, 0))
        await ui.until(lambda: ui.app.clipboard != "")
        copied = ui.app.clipboard.split("\n")
        assert copied[-1] == "paragraph 59"
        assert len(copied) > 60


def move(ui: Ui, x: int, y: int) -> events.MouseMove:
    return events.MouseMove(ui.chat.transcript, x, y, 0, 0, 1, False, False, False, x, y)


async def test_escape_lets_go_of_what_is_selected(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}])) as ui:
        await ui.send("hello")
        row = row_of(ui, "an answer")
        await drag(ui, (2, row), (8, row))
        assert reversed_text(ui) == "an answ"
        await ui.press("escape")
        assert reversed_text(ui) == ""


def reversed_text(ui: Ui) -> str:
    strips = [ui.chat.transcript.render_line(y) for y in range(ui.chat.transcript.size.height)]
    return "".join(s.text for strip in strips for s in strip if s.style and s.style.reverse)


async def test_the_wheel_scrolls(tmp_path: Path) -> None:
    long = "\n\n".join(f"paragraph {number}" for number in range(60))
    async with running_ui(make_place(tmp_path, [{"text": long}])) as ui:
        await ui.send("hello")
        for _ in range(3):
            scroll = events.MouseScrollUp(
                ui.chat.transcript, 5, 5, 0, -1, 0, False, False, False, 5, 5
            )
            ui.chat.transcript.post_message(scroll)
        await ui.settled()
        assert "paragraph 59" not in ui.screen_text


async def test_ctrl_c_copies_what_is_selected_in_the_editor(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}])) as ui:
        await ui.type("half a thought")
        await ui.press(*["shift+left"] * 7, "ctrl+c")
        await ui.until(lambda: ui.app.clipboard == "thought")
        assert ui.chat.editor.text == "half a thought"
        await ui.press("right", "ctrl+c")
        assert ui.chat.editor.text == ""
