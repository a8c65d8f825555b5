"""A disk that is full for a while: said, kept in view, saved later, at the latest on leaving."""

from __future__ import annotations

from pathlib import Path

from sapwood.session.manager import SessionManager
from support.limits import file_size_limit
from support.tui import Ui, make_place, running_ui

REASON = "Not saved: File too large"


async def refused(ui: Ui) -> None:
    await ui.until(lambda: ui.notice.startswith(REASON))
    await ui.settled()


def texts(path: Path) -> list[str]:
    with SessionManager.open(path, writer="none") as manager:
        messages = [entry.message for entry in manager.get_branch() if entry.message]
    return [str(message["content"]) for message in messages if message["role"] != "system"]


async def test_an_answer_is_kept_in_view_and_saved_with_the_next_message(tmp_path: Path) -> None:
    long = "a long answer " * 1_000
    place = make_place(tmp_path, [{"text": "short"}, {"text": long}, {"text": "last"}])
    async with running_ui(place) as ui:
        await ui.send("one")
        path = ui.session.manager.path
        assert path is not None
        with file_size_limit(path.stat().st_size + 1_000):
            await ui.send("two")
            await refused(ui)
            assert "The next message and leaving try again" in ui.notice
            assert "! not saved yet" in ui.screen_text
            assert "a long answer" in ui.screen_text
            assert "not saved" in ui.screen_text.split("\n")[-2]
            assert ui.chat.editor.text == "", "the question is stored"
            await ui.send("three")
            await refused(ui)
            assert ui.chat.editor.text == "three", "this one is not"
        await ui.press("enter")
        await ui.until(lambda: "  last" in ui.screen_text)
        await ui.settled()
        assert "not saved" not in ui.screen_text
        said = texts(path)
    assert [text[:40] for text in said] == [
        text[:40]
        for text in (
            "[{'type': 'text', 'text': 'one'}]",
            "[{'type': 'text', 'text': 'short'}]",
            "[{'type': 'text', 'text': 'two'}]",
            f"[{{'type': 'text', 'text': '{long}'}}]",
            "[{'type': 'text', 'text': 'three'}]",
            "[{'type': 'text', 'text': 'last'}]",
        )
    ]


async def test_output_of_a_command_is_kept_too(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "short"}])) as ui:
        await ui.send("one")
        path = ui.session.manager.path
        assert path is not None
        with file_size_limit(path.stat().st_size + 500):
            await ui.send("!seq 100 900")
            await refused(ui)
            assert ui.chat.editor.text == "", "the command has run"
            assert "! not saved yet" in ui.screen_text
        ui.chat.run_command("tree", "", "/tree")
        await ui.until(lambda: ui.app.screen is not ui.chat)
        await ui.press("home", "enter")
        await ui.until(lambda: "Summarize the branch" in ui.screen_text)
        await ui.press("enter")
        await ui.until(lambda: ui.app.screen is ui.chat and "Continues" in ui.notice)
        assert not ui.session.unsaved, "a move leaves nothing behind"
        assert "seq 100 900" in path.read_text("utf-8")


async def test_other_sessions_are_not_opened_while_something_is_unsaved(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "short"}, {"text": "a long answer " * 1_000}])
    async with running_ui(place) as ui:
        await ui.send("one")
        path = ui.session.manager.path
        assert path is not None
        with file_size_limit(path.stat().st_size + 1_000):
            await ui.send("two")
            await refused(ui)
            for command in ("new", "fork", "clone", "reload"):
                ui.chat.status.notice("")
                ui.chat.run_command(command, "", f"/{command}")
                if command == "fork":
                    await ui.until(lambda: ui.app.screen is not ui.chat)
                    await ui.press("enter")
                await refused(ui)
                assert ui.session.manager.path == path, command
