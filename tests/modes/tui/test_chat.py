"""The chat screen on the scripted model: prompts, steering, Escape, shell, drafts, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sapwood.agent.activity import Activity
from sapwood.session.manager import SessionManager
from support.tui import Ui, make_place, running_ui

SLOW = {"text": "slow answer", "delay": 5}


def roles(ui: Ui) -> list[str]:
    """The messages of the active path, without the system prompt."""
    path = ui.session.manager.tree.path()
    found = [entry.message["role"] for entry in path if entry.message]
    return [role for role in found if role != "system"]


def user_texts(ui: Ui) -> list[str]:
    texts = []
    for entry in ui.session.manager.tree.path():
        if entry.message and entry.message["role"] == "user":
            content = entry.message["content"]
            texts.append(content if isinstance(content, str) else content[0]["text"])
    return texts


async def test_prompt_streams_and_is_stored(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "Hello **you**", "thinking": "hm"}], chunk=3)
    async with running_ui(place) as ui:
        await ui.send("hi")
        assert "▌ hi" in ui.screen_text
        assert "Hello you" in ui.screen_text
        assert "∴ Thought · 1 line" in ui.screen_text
        assert roles(ui) == ["user", "assistant"]
        assert ui.chat.editor.text == ""


async def test_tool_call_is_shown_with_its_output(tmp_path: Path) -> None:
    call = {"name": "bash", "arguments": {"command": "echo from-the-tool"}}
    place = make_place(tmp_path, [{"tools": [call]}, {"text": "done"}])
    async with running_ui(place) as ui:
        await ui.send("run it")
        assert "● $ echo from-the-tool" in ui.screen_text
        assert "│ from-the-tool" in ui.screen_text


async def test_first_prompts_of_the_command_line_are_sent(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "first"}, {"text": "second"}])
    async with running_ui(place, prompts=[("one", ()), ("two", ())]) as ui:
        await ui.until(lambda: ui.session.is_idle and len(roles(ui)) == 4)
        assert user_texts(ui) == ["one", "two"]


async def test_enter_while_busy_steers_and_alt_enter_follows_up(tmp_path: Path) -> None:
    wait = {"name": "bash", "arguments": {"command": "sleep 1"}}
    place = make_place(tmp_path, [{"tools": [wait]}, {"text": "b"}, {"text": "c"}])
    async with running_ui(place) as ui:
        await ui.type("go")
        await ui.press("enter")
        await ui.until(lambda: ui.session.activity is Activity.RUNNING)
        await ui.type("use tabs")
        await ui.press("enter")
        await ui.type("then commit")
        await ui.press("alt+enter")
        assert "steers use tabs" in ui.screen_text
        assert "then   then commit" in ui.screen_text
        await ui.settled()
        assert user_texts(ui) == ["go", "use tabs", "then commit"]
        assert "Alt+Up" not in ui.screen_text


async def test_escape_stops_and_gives_queued_text_back(tmp_path: Path) -> None:
    place = make_place(tmp_path, [SLOW])
    async with running_ui(place) as ui:
        await ui.type("go")
        await ui.press("enter")
        await ui.until(lambda: ui.session.activity is Activity.RUNNING)
        await ui.type("steer me")
        await ui.press("enter")
        await ui.type("later")
        await ui.press("alt+enter")
        await ui.type("being written")
        await ui.press("escape")
        await ui.settled()
        assert ui.chat.editor.text == "steer me\n\nlater\n\nbeing written"
        assert "Stopped" in ui.screen_text
        assert user_texts(ui) == ["go"]


async def test_alt_up_takes_queued_text_back_and_the_run_goes_on(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "slow", "delay": 1}])
    async with running_ui(place) as ui:
        await ui.type("go")
        await ui.press("enter")
        await ui.until(lambda: ui.session.activity is Activity.RUNNING)
        await ui.type("queued")
        await ui.press("enter", "alt+up")
        assert ui.chat.editor.text == "queued"
        assert ui.session.activity is Activity.RUNNING
        await ui.settled()
        assert user_texts(ui) == ["go"]


async def test_prompt_without_a_model_is_not_lost(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path)) as ui:
        assert "No model yet, and that is fine" in ui.screen_text
        await ui.send("my long thought")
        assert ui.chat.editor.text == "my long thought"
        assert "No model is set" in ui.notice


async def test_provider_failure_is_shown_and_the_next_prompt_works(tmp_path: Path) -> None:
    failure = {"error": {"message": "invalid key", "status": 401}}
    place = make_place(tmp_path, [failure, {"text": "fine now"}])
    async with running_ui(place) as ui:
        await ui.send("one")
        assert "✗" in ui.screen_text
        assert "invalid key" in ui.screen_text
        await ui.send("two")
        assert "fine now" in ui.screen_text


async def test_retry_is_announced(tmp_path: Path) -> None:
    busy = {"error": {"message": "overloaded", "status": 529, "retryAfterMs": 900}}
    place = make_place(tmp_path, [busy, {"text": "fine now"}])
    async with running_ui(place) as ui:
        await ui.type("one")
        await ui.press("enter")
        await ui.until(lambda: "Retry 1 of 3" in ui.screen_text)
        await ui.settled()
        assert "fine now" in ui.screen_text
        assert "left out of the context" in ui.screen_text


async def test_shell_command_goes_into_the_context_and_double_does_not(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "ok"}])
    async with running_ui(place) as ui:
        await ui.type("!echo one")
        assert ui.chat.editor.border_title == "shell"
        await ui.press("enter")
        await ui.until(lambda: "│ one" in ui.screen_text)
        await ui.type("!!echo two")
        assert ui.chat.editor.border_title == "shell, kept out of the context"
        await ui.press("enter")
        await ui.until(lambda: "not in the context" in ui.screen_text)
        kept = [entry.message for entry in ui.session.manager.tree.path() if entry.message]
        flags = [m.get("excludeFromContext") for m in kept if m["role"] == "bashExecution"]
        assert flags in ([None, True], [False, True])


async def test_escape_stops_a_shell_command(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}])) as ui:
        await ui.type("!echo begun; sleep 30")
        await ui.press("enter")
        await ui.until(lambda: "begun" in ui.screen_text)
        await ui.press("escape")
        await ui.until(lambda: "stopped" in ui.screen_text)


async def test_unknown_command_keeps_its_text(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}])) as ui:
        await ui.send("/nonsense at all")
        assert "There is no command /nonsense" in ui.notice
        assert ui.chat.editor.text == "/nonsense at all"


async def test_path_is_a_prompt_and_no_command(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}])) as ui:
        await ui.send("/usr/bin/env is what?")
        assert user_texts(ui) == ["/usr/bin/env is what?"]


async def test_ctrl_c_clears_then_leaves(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path)) as ui:
        await ui.type("draft")
        await ui.press("ctrl+c")
        assert ui.chat.editor.text == ""
        await ui.press("ctrl+underscore")
        assert ui.chat.editor.text == "draft"
        await ui.press("ctrl+c", "ctrl+c")
        assert "Ctrl+C again" in ui.notice
        await ui.press("ctrl+c")
        await ui.until(lambda: not ui.app.is_running)


async def test_ctrl_d_leaves_only_when_empty(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path)) as ui:
        await ui.type("ab")
        await ui.press("home", "ctrl+d")
        assert ui.chat.editor.text == "b"
        assert ui.app.is_running
        await ui.press("ctrl+d", "ctrl+d")
        await ui.until(lambda: not ui.app.is_running)


async def test_leaving_tells_how_to_come_back(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "ok"}])) as ui:
        await ui.send("hi")
        session_id = ui.session.session_id
        await ui.press("ctrl+d")
        await ui.until(lambda: not ui.app.is_running)
        assert ui.app.farewell == f"To come back: sapwood --session {session_id}"


async def test_leaving_an_empty_session_tells_nothing(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path)) as ui:
        await ui.press("ctrl+d")
        await ui.until(lambda: not ui.app.is_running)
        assert ui.app.farewell == ""


async def test_draft_comes_back_in_the_next_start(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    async with running_ui(place) as ui:
        ui.chat.editor.paste("not sent yet\nsecond line")
        await ui.pilot.pause(0.7)
    (draft,) = (place.agent_dir / "drafts").iterdir()
    assert draft.stat().st_mode & 0o777 == 0o600
    assert draft.parent.stat().st_mode & 0o777 == 0o700
    async with running_ui(place) as ui:
        assert ui.chat.editor.text == "not sent yet\nsecond line"
        await ui.press("ctrl+c")
        await ui.pilot.pause(0.7)
    assert not draft.exists()


async def test_history_reaches_back_into_the_session(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "ok"}])
    manager = SessionManager.create(place.project, place.session_dir)
    async with running_ui(place, manager) as ui:
        await ui.send("first question")
        await ui.send("second question")
    async with running_ui(place, SessionManager.open(manager.path)) as ui:
        await ui.press("up")
        assert ui.chat.editor.text == "second question"
        await ui.press("up")
        assert ui.chat.editor.text == "first question"


async def test_keys_fold_and_unfold(tmp_path: Path) -> None:
    call = {"name": "bash", "arguments": {"command": "seq 30"}}
    steps = [{"tools": [call], "thinking": "a deep thought"}, {"text": "done"}]
    async with running_ui(make_place(tmp_path, steps), size=(100, 60)) as ui:
        await ui.send("go")
        assert "24 earlier lines" in ui.screen_text
        assert "a deep thought" not in ui.screen_text
        await ui.press("ctrl+o")
        assert "24 earlier lines" not in ui.screen_text
        await ui.press("ctrl+t")
        assert "a deep thought" in ui.screen_text
        await ui.press("ctrl+o", "ctrl+t")
        assert "24 earlier lines" in ui.screen_text
        assert "a deep thought" not in ui.screen_text


async def test_page_keys_scroll_the_transcript(tmp_path: Path) -> None:
    long = "\n\n".join(f"paragraph {number}" for number in range(100))
    async with running_ui(make_place(tmp_path, [{"text": long}])) as ui:
        await ui.send("go")
        assert "paragraph 99" in ui.screen_text
        await ui.press("pageup")
        assert "paragraph 99" not in ui.screen_text
        await ui.press("ctrl+home")
        assert "sapwood" in ui.screen_text
        await ui.press("ctrl+end")
        assert "paragraph 99" in ui.screen_text
        await ui.press("ctrl+up")
        assert ui.screen_text.lstrip("\n").startswith("▌ go")


async def test_keybindings_file_changes_keys(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "ok"}])
    (place.agent_dir / "keybindings.json").write_text('{"app.thinking.toggle": "f6"}', "utf-8")
    async with running_ui(place) as ui:
        await ui.press("ctrl+t")
        assert ui.notice == ""
        await ui.press("f6")
        assert ui.notice == "Thinking is shown"


async def test_damaged_keybindings_are_told(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "ok"}])
    (place.agent_dir / "keybindings.json").write_text("{", "utf-8")
    async with running_ui(place) as ui:
        assert "keybindings.json cannot be read" in ui.notice


@pytest.mark.parametrize("size", [(1, 1), (10, 4), (20, 6), (40, 12), (200, 70)])
async def test_any_size_of_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "an answer"}]), size=(80, 24)) as ui:
        await ui.send("hello 日本語 👩‍👩‍👧")
        await ui.pilot.resize_terminal(*size)
        await ui.pilot.pause()
        await ui.type("x" * 300)
        await ui.pilot.resize_terminal(80, 24)
        await ui.pilot.pause()
        assert "▌ hello 日本語" in ui.screen_text
        assert ui.chat.editor.text == "x" * 300


async def test_hostile_answer_does_not_reach_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u202eevil [bold]x[/bold]"
    steps: list[dict[str, Any]] = [
        {"tools": [{"name": "bash", "arguments": {"command": f"printf '{evil}'"}}], "text": evil},
        {"text": f"```{evil}\n{evil}\n```"},
    ]
    async with running_ui(make_place(tmp_path, steps)) as ui:
        await ui.send(evil)
        ui.session.set_session_name(evil)
        ui.chat.view.refresh_footer()
        await ui.pilot.pause()
        assert not {"\x1b", "\x07", "\u202e"} & set(ui.screen_text)
        assert "[bold]x[/bold]" in ui.screen_text
