"""The real program in tmux on the scripted model: a day's work, from first prompt to resuming."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.limits import unwritable
from support.tmux import Terminal, have_tmux, terminal
from support.tui import Place, Steps, make_place

pytestmark = pytest.mark.skipif(not have_tmux(), reason="needs tmux")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


@pytest.fixture
def shell(place: Place) -> Iterator[Terminal]:
    with terminal(place.agent_dir) as own:
        yield own


def script(place: Place, steps: Steps, **more: object) -> str:
    """The model that answers with these steps."""
    file = place.root / "script.json"
    file.write_text(json.dumps({"steps": list(steps), **more}), "utf-8")
    return f"scripted/{file}"


def say(shell: Terminal, text: str) -> None:
    shell.type(text)
    shell.until(text[-20:])
    shell.keys("Enter")


def test_a_conversation_with_tools_that_is_resumed(place: Place, shell: Terminal) -> None:
    count = {"name": "bash", "arguments": {"command": "seq 3"}}
    model = script(
        place, [{"text": "Let me count.", "tools": [count]}, {"text": "There are three."}]
    )
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "count to three")
    screen = shell.until("There are three.", "● $ seq 3", gone="Esc stops")
    assert "▌ count to three" in screen
    shell.keys("C-d")
    screen = shell.until("To come back: sapwood --session", "ended with 0")
    session_id = screen.split("--session ")[1].split()[0]
    shell.stop()
    shell.start(place.project, "--session", session_id)
    screen = shell.until("There are three.", "▌ count to three")
    shell.keys("Up")
    shell.until("count to three")


def test_what_is_typed_at_once_is_kept(place: Place, shell: Terminal) -> None:
    shell.start(place.project)
    shell.type("typed before there was an editor")
    screen = shell.until("typed before there was an editor", "/hotkeys")
    assert screen.count("typed before") == 1


def test_steering_follow_up_and_escape(place: Place, shell: Terminal) -> None:
    model = script(place, [{"text": "never seen", "delay": 30}])
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "go")
    shell.until("Esc stops")
    say(shell, "use tabs")
    shell.until("steers use tabs")
    shell.type("then commit")
    shell.until("then commit")
    shell.keys("M-Enter")
    shell.until("then   then commit")
    shell.keys("Escape")
    screen = shell.until("Stopped", "use tabs", "then commit", gone="Alt+Up")
    assert "never seen" not in screen


def test_continue_takes_the_last_session(place: Place, shell: Terminal) -> None:
    model = script(place, [{"text": "noted"}])
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "remember this")
    shell.until("noted", gone="Esc stops")
    shell.keys("C-d")
    shell.until("ended with 0")
    shell.stop()
    shell.start(place.project, "-c", "--model", model)
    shell.until("remember this", "noted")


def test_compact_tells_what_it_saved(place: Place, shell: Terminal) -> None:
    settings = {"compaction": {"keepRecentTokens": 300}}
    (place.agent_dir / "settings.json").write_text(json.dumps(settings), "utf-8")
    model = script(place, [{"text": "word " * 2000}], contextWindow=100_000)
    shell.start(place.project, "--model", model, "first", "second")
    shell.until("word", "▰", gone="Esc stops")
    shell.until(gone="Waiting")
    say(shell, "/compact")
    shell.until("Compacted: ", "saved", "── Compacted ·")


def test_first_run_without_anything_is_friendly(place: Place, shell: Terminal) -> None:
    keys = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MINIMAX_API_KEY")
    for name in keys:
        shell.environ.pop(name, None)
    shell.start(place.project)
    shell.until("No model yet, and that is fine", "sapwood demo", "no model")
    shell.keys("C-d")
    screen = shell.until("ended with 0")
    assert "To come back" not in screen
    assert not list(place.agent_dir.rglob("*.jsonl"))


def test_vanished_folder_asks_and_cancel_changes_nothing(place: Place, shell: Terminal) -> None:
    model = script(place, [{"text": "noted"}])
    gone = place.root / "gone"
    gone.mkdir()
    shell.start(gone, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "remember this")
    shell.until("noted", gone="Esc stops")
    shell.keys("C-d")
    shell.until("ended with 0")
    shell.stop()
    (file,) = place.agent_dir.rglob("*.jsonl")
    before = file.read_bytes()
    gone.rename(place.root / "renamed")

    shell.start(place.project, "--session", str(file))
    shell.until("does not exist any more", "Continue here", "Fork here", "Cancel")
    shell.keys("Escape")
    shell.until("ended with 0")
    assert list(place.agent_dir.rglob("*.jsonl")) == [file]
    assert file.read_bytes() == before
    shell.stop()

    shell.start(place.project, "--session", str(file), "--model", model)
    shell.until("does not exist any more")
    shell.keys("2")
    shell.until("remember this", "noted")
    assert file.read_bytes() == before
    assert len(list(place.agent_dir.rglob("*.jsonl"))) == 2


def test_a_session_that_is_open_elsewhere(place: Place, shell: Terminal) -> None:
    """It can be left, looked at, and copied; the writer goes on undisturbed."""
    model = script(place, [{"text": "noted"}])
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "remember this")
    shell.until("noted", gone="Esc stops")
    (file,) = place.agent_dir.rglob("*.jsonl")
    before = file.read_bytes()
    with terminal(place.agent_dir) as second:
        second.start(place.project, "--continue")
        second.until("Another program has this session open", "Fork here", "by pid")
        second.keys("Escape")
        second.until("ended with 0")
        second.stop()
        second.start(place.project, "--session", str(file), "--model", model)
        second.until("Another program has this session open", "Read only")
        second.keys("Enter")
        second.until("remember this", "noted", "read only")
        say(second, "may I write here")
        second.until("open read only; /fork or /clone goes on in a copy", "may I write here")
        second.keys("C-c")
        second.keys("C-d")
        second.until("ended with 0")
        second.stop()
        assert file.read_bytes() == before
        second.start(place.project, "--session", str(file), "--model", model)
        second.until("Another program has this session open")
        second.keys("2")
        second.until("remember this", "noted", "scripted", gone="read only")
    say(shell, "and this")
    shell.until("and this", gone="Esc stops")
    assert file.read_bytes().startswith(before)
    assert len(list(place.agent_dir.rglob("*.jsonl"))) == 2


def test_a_file_that_cannot_be_written_opens_read_only(place: Place, shell: Terminal) -> None:
    model = script(place, [{"text": "noted"}])
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "remember this")
    shell.until("noted", gone="Esc stops")
    shell.keys("C-d")
    shell.until("ended with 0")
    shell.stop()
    (made,) = place.agent_dir.rglob("*.jsonl")
    archive = place.root / "archive"
    archive.mkdir()
    file = archive / made.name
    file.write_bytes(made.read_bytes())
    with unwritable(archive):
        shell.start(place.project, "--session", str(file), "--model", model)
        shell.until("remember this", "noted", "read only")
        say(shell, "may I write here")
        shell.until("open read only; /fork or /clone goes on in a copy")
        shell.keys("C-c")
        say(shell, "/clone")
        shell.until("A copy of this branch", gone="read only")
        say(shell, "now I may")
        shell.until("now I may", gone="Esc stops")
        shell.keys("C-d")
        shell.until("ended with 0")
        assert file.read_bytes() == made.read_bytes()
    assert len(list(place.agent_dir.rglob("*.jsonl"))) == 2


def test_resize_no_colour_and_few_colours(place: Place, shell: Terminal) -> None:
    shell.environ.update(NO_COLOR="1", TERM="vt220")
    model = script(place, [{"text": "日本語 **bold** 👍 answer"}])
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "hello")
    shell.until("日本語 bold", gone="Esc stops")
    for width, height in ((20, 5), (3, 2), (120, 40)):
        shell.resize(width, height)
    screen = shell.until("▌ hello", "日本語 bold")
    assert max(map(len, screen.split("\n"))) <= 120


def test_hostile_output_is_shown_as_text(place: Place, shell: Terminal) -> None:
    evil = {
        "name": "bash",
        "arguments": {"command": r"printf '\033]0;owned\007\033[2Jstill here\n'"},
    }
    model = script(place, [{"tools": [evil]}, {"text": "\x1b[2J\x1b[31mcalm\x1b[0m"}])
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "do it")
    shell.until("still here", "calm", "▌ do it", gone="Esc stops")
    title = shell._tmux("display-message", "-p", "#{pane_title}")
    assert "owned" not in title


def test_terminal_is_as_before_after_leaving(place: Place, shell: Terminal) -> None:
    shell.start(place.project)
    shell.until("/hotkeys")
    shell.keys("C-c")
    shell.until("Ctrl+C again")
    shell.keys("C-c")
    shell.until("ended with 0")
    flags = shell._tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag}")
    assert flags.split() == ["0", "0"]


def test_tree_goes_back_with_a_summary_and_another_branch(place: Place, shell: Terminal) -> None:
    model = script(
        place, [{"text": "answer one"}, {"text": "answer two"}, {"text": "answer three"}]
    )
    shell.start(place.project, "--model", model)
    shell.until("/hotkeys", "scripted")
    say(shell, "question one")
    shell.until("answer one", gone="Esc stops")
    say(shell, "question two")
    shell.until("answer two", gone="Esc stops")
    shell.keys("Escape")
    shell.keys("Escape")
    shell.until("question one", "question two", "answer two", "Enter go on")
    shell.keys("Up")
    shell.keys("Enter")
    shell.until("Edit this message", "Continue exactly here")
    shell.keys("Enter")
    shell.until("No summary", "Summarize")
    shell.keys("2")
    shell.until("Summary of the branch left behind", gone="Esc cancels")
    shell.keys("Enter")
    shell.until("answer three", "2 branches", gone="Esc stops")


def test_polite_kill_keeps_the_draft_and_the_terminal(place: Place, shell: Terminal) -> None:
    shell.start(place.project)
    shell.until("/hotkeys")
    shell.type("half a thought")
    shell.until("half a thought")
    child = shell._tmux("display-message", "-p", "#{pane_pid}").strip()
    found = subprocess.run(["pgrep", "-P", child], capture_output=True, check=True, text=True)
    os.kill(int(found.stdout.split()[0]), signal.SIGTERM)
    shell.until("ended with")
    shell.stop()
    shell.start(place.project)
    shell.until("half a thought")
