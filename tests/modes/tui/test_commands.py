"""Every slash command as a person uses it, on the scripted model and real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.agent.activity import Activity
from sapwood.modes.tui.commands.registry import COMMANDS
from support.tui import Ui, make_place, running_ui

OK = {"text": "ok"}


def add_models(agent_dir: Path) -> None:
    """Two models of a made-up provider that needs no key."""
    models = [
        {"id": "small", "contextWindow": 8000, "maxTokens": 1000},
        {"id": "large", "contextWindow": 200000, "maxTokens": 8000, "reasoning": True},
    ]
    provider = {"baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "models": models}
    text = json.dumps({"providers": {"local": provider}})
    (agent_dir / "models.json").write_text(text, "utf-8")


async def run(ui: Ui, command: str) -> None:
    """Send a command and let it get to its first question or its end."""
    await ui.type(command)
    await ui.press("escape") if ui.chat.menu.is_open else None
    await ui.press("enter")
    await ui.pilot.pause(0.1)


async def in_dialog(ui: Ui) -> None:
    await ui.until(lambda: ui.app.screen is not ui.chat, "a dialog")


async def in_chat(ui: Ui) -> None:
    await ui.until(lambda: ui.app.screen is ui.chat, "the chat")


def test_all_commands_of_the_surface_are_there() -> None:
    surface = (
        "model thinking settings new resume name session tree fork clone compact retain import "
        "export share copy reload hotkeys trust login logout quit"
    )
    assert " ".join(command.name for command in COMMANDS) == surface


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_command_has_a_function(command: Any) -> None:
    assert callable(command.run)
    assert command.arguments is None or callable(command.arguments)


async def test_menu_lists_commands_and_runs_one(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.press("/")
        assert "/model" in ui.screen_text
        assert "1 of 22" in ui.screen_text
        await ui.press(*"hotk", "enter")
        await in_dialog(ui)
        assert "Keys" in ui.screen_text


async def test_model_is_chosen_from_the_list(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    add_models(place.agent_dir)
    async with running_ui(place) as ui:
        await run(ui, "/model")
        await in_dialog(ui)
        assert "200k window · thinks" in ui.screen_text
        await ui.press(*"large", "enter")
        await in_chat(ui)
        assert ui.session.model is not None
        assert ui.session.model.ref == "local/large"
        assert "local/large" in ui.screen_text
        assert ui.notice.startswith("Model: local/large")


async def test_model_by_name_needs_no_list(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    add_models(place.agent_dir)
    async with running_ui(place) as ui:
        await run(ui, "/model small")
        await ui.until(lambda: ui.session.model_name == "local/small")
        assert ui.app.screen is ui.chat


async def test_ctrl_p_steps_through_models_and_ctrl_l_lists_them(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    add_models(place.agent_dir)
    async with running_ui(place) as ui:
        await ui.press("ctrl+p")
        await ui.until(lambda: ui.session.model_name == "local/small")
        await ui.press("ctrl+p")
        await ui.until(lambda: ui.session.model_name == "local/large")
        await ui.press("ctrl+shift+p")
        await ui.until(lambda: ui.session.model_name == "local/small")
        await ui.press("ctrl+l")
        await in_dialog(ui)
        await ui.press("escape")
        await in_chat(ui)


async def test_no_models_is_said_kindly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MINIMAX_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    async with running_ui(make_place(tmp_path)) as ui:
        await run(ui, "/model")
        await ui.until(lambda: "No provider has a key yet" in ui.notice)


async def test_thinking_level_by_name_list_and_key(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK], reasoning=True)
    async with running_ui(place) as ui:
        await run(ui, "/thinking high")
        assert ui.session.thinking_level == "high"
        assert "· high" in ui.screen_text
        await run(ui, "/thinking")
        await in_dialog(ui)
        await ui.press("1")
        await in_chat(ui)
        assert ui.session.thinking_level == "off"
        await ui.press("shift+tab")
        assert ui.session.thinking_level != "off"


async def test_unknown_thinking_level_is_refused(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK], reasoning=True)) as ui:
        await run(ui, "/thinking sideways")
        assert "no thinking level sideways" in ui.notice


async def test_new_session_is_empty_and_the_old_one_stays(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("hello there")
        before = ui.session.manager.path
        await run(ui, "/new")
        await ui.until(lambda: ui.session.manager.path != before)
        assert "hello there" not in ui.screen_text
        assert before is not None
        assert before.exists()
        await ui.send("again")
        assert "▌ again" in ui.screen_text


async def test_name_is_set_asked_and_taken_away(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("hi")
        await run(ui, "/name Parser work")
        assert ui.session.session_name == "Parser work"
        assert "· Parser work" in ui.screen_text
        await run(ui, "/name")
        await in_dialog(ui)
        await ui.press("ctrl+u", *"Other", "enter")
        await in_chat(ui)
        assert ui.session.session_name == "Other"
        await run(ui, "/name")
        await in_dialog(ui)
        await ui.press("ctrl+u", "enter")
        await in_chat(ui)
        assert ui.session.session_name is None


async def test_session_panel_tells_file_counts_and_cost(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "ok", "usage": {"input": 1200, "output": 30}}])
    async with running_ui(place, size=(100, 50)) as ui:
        await ui.send("hi")
        await run(ui, "/session")
        await in_dialog(ui)
        text = ui.screen_text
        assert str(ui.session.manager.path)[:40] in text
        assert "1 prompt, 1 answer, 0 tool results" in text
        assert "1 request · 1.2k in, 30 out" in text
        await ui.press("escape")
        await in_chat(ui)


async def test_fork_goes_on_before_a_message_with_its_text(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("first")
        await ui.send("second")
        before = ui.session.session_id
        await run(ui, "/fork")
        await in_dialog(ui)
        assert "2 of 2" in ui.screen_text
        await ui.press("enter")
        await in_chat(ui)
        await ui.until(lambda: ui.session.session_id != before)
        assert ui.chat.editor.text == "second"
        assert "▌ first" in ui.screen_text
        assert "▌ second" not in ui.screen_text


async def test_fork_and_clone_of_nothing_say_so(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await run(ui, "/fork")
        await ui.until(lambda: "no message to fork from" in ui.notice)
        await run(ui, "/clone")
        await ui.until(lambda: "nothing to clone" in ui.notice)


async def test_clone_copies_the_branch(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("first")
        before = ui.session.session_id
        await run(ui, "/clone")
        await ui.until(lambda: ui.session.session_id != before)
        assert "▌ first" in ui.screen_text
        assert ui.session.manager.header["parentSession"]


async def test_compact_says_what_it_saved(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "word " * 3000}], contextWindow=100_000)
    settings = {"compaction": {"keepRecentTokens": 500}}
    (place.agent_dir / "settings.json").write_text(json.dumps(settings), "utf-8")
    async with running_ui(place) as ui:
        await ui.send("one")
        await ui.send("two")
        await run(ui, "/compact keep the numbers")
        await ui.settled()
        assert ui.notice.startswith("Compacted: ")
        assert "saved" in ui.notice
        assert "── Compacted ·" in ui.screen_text
        assert "Summary" not in ui.screen_text


async def test_compact_works_without_a_model(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "word " * 3000}])
    settings = {"compaction": {"keepRecentTokens": 500}}
    (place.agent_dir / "settings.json").write_text(json.dumps(settings), "utf-8")
    async with running_ui(place) as ui:
        await ui.send("one")
        await ui.send("two")
        path = ui.session.manager.path
    from sapwood.session.manager import SessionManager

    place.script = None
    async with running_ui(place, SessionManager.open(path)) as ui:
        await run(ui, "/compact")
        await ui.settled()
        assert "── Compacted ·" in ui.screen_text


async def test_compact_of_little_is_no_failure(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("hi")
        await run(ui, "/compact")
        await ui.settled()
        assert ui.notice
        assert ui.chat.status.status.kind == "warn"
        assert ui.session.is_idle
        assert ui.chat.status.status.doing == ""


async def test_escape_cancels_a_compaction_and_text_stays(tmp_path: Path) -> None:
    slow = [{"text": "## Goal\nx", "delay": 8}]
    place = make_place(tmp_path, [{"text": "word " * 3000}], contextWindow=100_000, summaries=slow)
    settings = {"compaction": {"keepRecentTokens": 500}}
    (place.agent_dir / "settings.json").write_text(json.dumps(settings), "utf-8")
    async with running_ui(place) as ui:
        await ui.send("one")
        await ui.send("two")
        await run(ui, "/compact")
        await ui.until(lambda: ui.session.activity is Activity.COMPACTING)
        assert "Compacting" in ui.screen_text
        await ui.type("typed meanwhile")
        await ui.press("escape")
        await ui.settled()
        assert "cancelled" in ui.notice.lower()
        assert ui.chat.editor.text == "typed meanwhile"


async def test_retain_pins_and_unpins(tmp_path: Path) -> None:
    from sapwood.compaction.retain import pin_states

    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await ui.send("the port is 4711")
        await run(ui, "/retain")
        await in_dialog(ui)
        await ui.press(*"4711", "enter")
        await in_chat(ui)
        assert list(pin_states(ui.session.manager.tree.path()).values()) == [True]
        await run(ui, "/retain")
        await in_dialog(ui)
        assert "pinned" in ui.screen_text
        await ui.press(*"4711", "enter")
        await in_chat(ui)
        assert list(pin_states(ui.session.manager.tree.path()).values()) == [False]


async def test_copy_takes_the_last_answer_of_this_branch(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [{"text": "copy me"}])) as ui:
        await run(ui, "/copy")
        assert "no answer to copy" in ui.notice
        await ui.send("hi")
        await run(ui, "/copy")
        await ui.until(lambda: "Copied 7 characters" in ui.notice)
        assert ui.app.clipboard == "copy me"


async def test_hotkeys_lists_the_keys_in_force(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    (place.agent_dir / "keybindings.json").write_text('{"app.model.select": "f7"}', "utf-8")
    async with running_ui(place, size=(100, 60)) as ui:
        await run(ui, "/hotkeys")
        await in_dialog(ui)
        assert "F7" in ui.screen_text
        assert "Ctrl+L " not in ui.screen_text
        assert "Alt+Enter" in ui.screen_text


async def test_login_saves_a_key_unseen_and_logout_removes_it(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await run(ui, "/login openai")
        await in_dialog(ui)
        await ui.press(*"sk-secret")
        assert "sk-secret" not in ui.screen_text
        await ui.press("enter")
        await in_chat(ui)
        assert ui.session.catalogue.auth.saved("openai") == "sk-secret"
        assert (place.agent_dir / "auth.json").stat().st_mode & 0o777 == 0o600
        await run(ui, "/logout openai")
        await ui.until(lambda: ui.session.catalogue.auth.saved("openai") is None)
        await run(ui, "/logout")
        await ui.until(lambda: "No key is saved" in ui.notice)


async def test_trust_is_asked_and_kept(tmp_path: Path) -> None:
    from sapwood.agent.trust import saved_decision

    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await run(ui, "/trust")
        await in_dialog(ui)
        await ui.press("escape")
        await in_chat(ui)
        assert saved_decision(place.agent_dir, place.project) is None
        await run(ui, "/trust")
        await in_dialog(ui)
        await ui.press("1")
        await in_chat(ui)
        await ui.until(lambda: saved_decision(place.agent_dir, place.project) is True)


async def test_quit_leaves(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, [OK])) as ui:
        await run(ui, "/quit")
        await ui.until(lambda: not ui.app.is_running)


async def test_extension_command_is_in_the_menu_and_runs(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    folder = place.agent_dir / "extensions"
    folder.mkdir()
    source = """
def extension(api):
    def greet(arguments):
        api.notify(f"hello {arguments}", "info")
    api.command("greet", "Say hello", greet)
"""
    (folder / "greet.py").write_text(source, "utf-8")
    async with running_ui(place) as ui:
        assert [str(problem) for problem in ui.session.extensions.problems] == []
        await ui.press("/", *"gre")
        assert "Say hello" in ui.screen_text
        await ui.press("enter")
        await ui.until(lambda: "hello" in ui.notice)


async def test_settings_are_shown_changed_and_kept(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await ui.send("hi")
        await run(ui, "/settings")
        await in_dialog(ui)
        assert "auto  ·  theme" in ui.screen_text
        await ui.press(*"colours", "enter")
        await ui.until(lambda: "terminal" in ui.screen_text, "the values")
        await ui.press("2")
        await ui.until(lambda: "light  ·  theme" in ui.screen_text)
        await ui.press("escape")
        await in_chat(ui)
        await ui.until(lambda: ui.app.palette.name == "light")
        saved = json.loads((place.agent_dir / "settings.json").read_text("utf-8"))
        assert saved == {"theme": "light"}
        assert "▌ hi" in ui.screen_text


async def test_settings_refuse_text_for_a_number(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await run(ui, "/settings")
        await in_dialog(ui)
        await ui.press(*"reserveTokens", "enter")
        await ui.until(lambda: "16384" in ui.screen_text)
        await ui.press("ctrl+u", *"many", "enter")
        await ui.until(lambda: "needs a whole number" in ui.notice)
        assert not (place.agent_dir / "settings.json").exists()


async def test_templates_and_skills_are_in_the_menu_and_are_sent(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    prompts, skill = place.agent_dir / "prompts", place.agent_dir / "skills" / "count"
    prompts.mkdir()
    skill.mkdir(parents=True)
    (prompts / "greet.md").write_text("---\ndescription: Say hello\n---\nGreet $1.", "utf-8")
    (skill / "SKILL.md").write_text("---\ndescription: Count things\n---\nTwice.", "utf-8")
    async with running_ui(place) as ui:
        await ui.type("/gre")
        await ui.until(lambda: "Say hello" in ui.screen_text)
        await ui.press("tab")
        await ui.send("Ada")
        await ui.type("/skill")
        await ui.until(lambda: "Count things" in ui.screen_text)
        await ui.press("tab")
        await ui.send("sheep")
        sent = [
            entry.message["content"][0]["text"]
            for entry in ui.session.manager.get_branch()
            if entry.message and entry.message["role"] == "user"
        ]
        assert sent[0] == "Greet Ada."
        assert "Twice." in sent[1]
        assert sent[1].endswith("sheep")


async def test_reload_takes_in_new_keys_and_extensions(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await ui.send("hi")
        (place.agent_dir / "keybindings.json").write_text('{"app.thinking.toggle": "f6"}', "utf-8")
        (place.agent_dir / "extensions").mkdir()
        source = "def extension(api):\n    api.command('later', 'Came later', lambda text: None)\n"
        (place.agent_dir / "extensions" / "later.py").write_text(source, "utf-8")
        before = ui.session
        await run(ui, "/reload")
        await ui.until(lambda: ui.chat.session not in (None, before))
        assert "later" in ui.session.extensions.commands
        assert "▌ hi" in ui.screen_text
        await ui.press("f6")
        assert ui.notice == "Thinking is shown"


async def test_reload_with_broken_settings_changes_nothing(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await ui.send("hi")
        (place.agent_dir / "settings.json").write_text('{"retry": 7}', "utf-8")
        await run(ui, "/reload")
        await ui.until(lambda: "settings.json" in ui.notice)
        assert ui.chat.status.status.kind == "error"
        await ui.send("still here")
        assert "▌ still here" in ui.screen_text


async def test_export_writes_by_the_name_and_never_over_a_file(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "the answer"}])
    async with running_ui(place) as ui:
        await ui.send("the question")
        await run(ui, "/export out.md")
        await ui.until(lambda: "Exported to" in ui.notice)
        assert "the question" in (place.project / "out.md").read_text("utf-8")
        await run(ui, "/export out.md")
        await ui.until(lambda: ui.chat.status.status.kind == "error")
        assert "out.md" in ui.notice
        await run(ui, "/export page.html")
        await ui.until(lambda: (place.project / "page.html").exists())
        assert "the answer" in (place.project / "page.html").read_text("utf-8")
        await run(ui, "/export")
        await ui.until(lambda: len(list(place.project.glob("*.html"))) == 2)


async def test_import_takes_a_session_in_and_opens_it(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await ui.send("from elsewhere")
        copied = ui.session.manager.path
        assert copied is not None
        source = place.project / "copy.jsonl"
        source.write_bytes(copied.read_bytes())
        await run(ui, "/new")
        await ui.until(lambda: "from elsewhere" not in ui.screen_text)
        before = ui.session.session_id
        await run(ui, "/import copy.jsonl")
        await ui.until(lambda: ui.notice.startswith("Imported"))
        assert ui.session.session_id != before
        assert ui.session.manager.path not in (source, copied)
        assert "▌ from elsewhere" in ui.screen_text


async def test_import_takes_in_the_log_of_another_program(tmp_path: Path) -> None:
    from support.foreign_logs import ClaudeLog, said, tool_use, write_log

    place = make_place(tmp_path, [OK])
    log = ClaudeLog()
    log.user("asked of another")
    log.assistant("m", said("I look"), tool_use("a", "Read", file_path="x.py"))
    log.result("a", "text of x")
    write_log(place.project / "log.jsonl", log.records)
    async with running_ui(place) as ui:
        await run(ui, "/import log.jsonl")
        await ui.until(lambda: ui.notice.startswith("Imported"))
        assert "▌ asked of another" in ui.screen_text
        await ui.send("and now")
        assert "and now" in ui.screen_text


async def test_import_of_no_session_leaves_everything(tmp_path: Path) -> None:
    place = make_place(tmp_path, [OK])
    async with running_ui(place) as ui:
        await ui.send("hi")
        (place.project / "bad.jsonl").write_text("not a session\n", "utf-8")
        before = sorted(place.session_dir.rglob("*"))
        await run(ui, "/import bad.jsonl")
        await ui.until(lambda: ui.chat.status.status.kind == "error")
        await run(ui, "/import")
        await ui.until(lambda: "Name a file" in ui.notice)
        assert sorted(place.session_dir.rglob("*")) == before
        assert "▌ hi" in ui.screen_text


async def test_share_asks_with_a_count_and_refuses_politely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    place = make_place(tmp_path, [OK])
    key = "sk-" + "proj-" + "a1B2c3D4" * 6
    async with running_ui(place) as ui:
        await ui.send(f"my key is {key}")
        await run(ui, "/share")
        await in_dialog(ui)
        assert "secret gist" in ui.screen_text
        assert "1" in ui.screen_text
        assert key not in ui.screen_text.split("secret gist")[1]
        await ui.press("enter")
        await in_chat(ui)
        await run(ui, "/share")
        await in_dialog(ui)
        await ui.press("2")
        await ui.until(lambda: ui.chat.status.status.kind == "error")
        assert "gh" in ui.notice
