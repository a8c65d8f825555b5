"""A session that is open for reading only: what works, what is refused, how to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.session.manager import SessionManager
from support.tui import Place, Ui, make_place, running_ui

REFUSED = "This session is open read only; /fork or /clone goes on in a copy"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path, [{"text": "a new answer"}])


@pytest.fixture
def record(place: Place) -> Path:
    """Two prompts and two answers, in a file."""
    with SessionManager.create(place.project, place.session_dir) as manager:
        for number in ("one", "two"):
            manager.append_message({"role": "user", "content": f"question {number}"})
            answer = [{"type": "text", "text": f"answer {number}"}]
            manager.append_message({"role": "assistant", "content": answer, "stopReason": "stop"})
        assert manager.path is not None
        return manager.path


def only_read(path: Path) -> SessionManager:
    return SessionManager.open(path, writer="none")


async def command(ui: Ui, text: str) -> None:
    await ui.type(text)
    await ui.press("enter")


async def test_what_would_write_is_refused_in_one_line(place: Place, record: Path) -> None:
    before = record.read_bytes()
    async with running_ui(place, only_read(record)) as ui:
        assert "answer two" in ui.screen_text
        assert "read only" in ui.screen_text
        for text in ("go on", "!echo x", "!!echo x", "/name other", "/compact", "/retain"):
            ui.chat.status.notice("")
            ui.chat.editor.set_text("")
            await command(ui, text)
            assert ui.notice == REFUSED, text
        for key in ("ctrl+p", "shift+tab"):
            ui.chat.status.notice("")
            await ui.press(key)
            assert ui.notice == REFUSED, key
    assert record.read_bytes() == before


async def test_a_refused_message_stays_in_the_editor(place: Place, record: Path) -> None:
    async with running_ui(place, only_read(record)) as ui:
        await command(ui, "a long thought")
        assert ui.chat.editor.text == "a long thought"
        assert "▌ a long thought" not in ui.screen_text


async def test_the_view_moves_in_the_tree_and_nothing_is_written(
    place: Place, record: Path
) -> None:
    before = record.read_bytes()
    async with running_ui(place, only_read(record)) as ui:
        await command(ui, "/tree")
        await ui.until(lambda: "user: question one" in ui.screen_text)
        await ui.press("L")
        assert "No labels here: the session is open read only" in ui.screen_text
        await ui.press("home", "down", "enter")
        await ui.until(lambda: "opens where it stood" in ui.notice)
        assert "answer one" in ui.screen_text
        assert "answer two" not in ui.screen_text
    assert record.read_bytes() == before


async def test_clone_and_fork_go_on_in_a_copy(place: Place, record: Path) -> None:
    before = record.read_bytes()
    async with running_ui(place, only_read(record)) as ui:
        ui.chat.editor.set_text("kept")
        ui.chat.run_command("clone", "", "/clone")
        await ui.until(lambda: "A copy of this branch" in ui.notice)
        assert ui.session.manager.path != record
        assert ui.chat.editor.text == "kept"
        assert "read only" not in ui.screen_text
        await ui.press("enter")
        await ui.settled()
        assert "a new answer" in ui.screen_text
    assert record.read_bytes() == before


async def test_copy_and_export_work(place: Place, record: Path) -> None:
    async with running_ui(place, only_read(record)) as ui:
        await command(ui, "/copy")
        await ui.until(lambda: "Copied" in ui.notice)
        assert ui.app.clipboard == "answer two"
        await command(ui, "/export out.md")
        await ui.until(lambda: "Exported to" in ui.notice)
        assert "answer two" in (place.project / "out.md").read_text("utf-8")


async def test_its_draft_is_not_that_of_the_writer(place: Place, record: Path) -> None:
    with SessionManager.open(record) as writer:
        async with running_ui(place, writer) as ui:
            await ui.type("the writer's draft")
            ui.chat.save_draft()
    async with running_ui(place, only_read(record)) as ui:
        assert ui.chat.editor.text == ""
        await ui.type("the reader's draft")
        ui.chat.save_draft()
    async with running_ui(place, SessionManager.open(record)) as ui:
        assert ui.chat.editor.text == "the writer's draft"
