"""The real program and the terminal around it: pastes, colours, other programs, the shell."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from support.tmux import PROGRAM, Terminal, have_tmux, terminal
from support.tui import Place, make_place

pytestmark = pytest.mark.skipif(not have_tmux(), reason="needs tmux")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path, [{"text": "noted"}])


@pytest.fixture
def shell(place: Place) -> Iterator[Terminal]:
    with terminal(place.agent_dir) as own:
        yield own


def start(shell: Terminal, place: Place, *arguments: str) -> None:
    shell.start(place.project, "--model", f"scripted/{place.script}", *arguments)
    shell.until("/hotkeys", "scripted")


def prompts(place: Place) -> list[str]:
    """The user's messages in the one session file there is."""
    (file,) = place.agent_dir.rglob("*.jsonl")
    entries = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    found = [message["content"] for message in messages if message["role"] == "user"]
    return [
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        for content in found
    ]


def test_escape_sequences_in_a_paste_are_text(place: Place, shell: Terminal) -> None:
    start(shell, place)
    shell.paste("a \x1b[31mred\x1b[0m log\x1b]52;c;eA==\x07\x1b\rend")
    shell.until("a �[31mred�[0m log�]52;c;eA==��", "end")
    assert "noted" not in shell.screen
    shell.keys("Enter")
    shell.until("noted", gone="Esc stops")
    assert prompts(place) == ["a �[31mred�[0m log�]52;c;eA==��\nend"]


def test_a_long_paste_is_sent_in_full(place: Place, shell: Terminal) -> None:
    lines = [f"line {number} \x1b[1m of a long log" for number in range(3_000)]
    start(shell, place)
    shell.paste("\n".join(lines))
    shell.until("[paste 1: 3,000 lines]")
    shell.keys("Enter")
    shell.until("noted", gone="Esc stops")
    assert prompts(place) == ["\n".join(lines).replace("\x1b", "�")]


@pytest.mark.parametrize(
    "environ", [{"NO_COLOR": "1", "COLORTERM": "truecolor"}, {"TERM": "dumb"}], ids=str
)
def test_no_colour_anywhere(place: Place, shell: Terminal, environ: dict[str, str]) -> None:
    """Chat with code, tree, picker, dialogs; the cursor and the chosen row can still be seen."""
    answer = "# Head\n\n`code` [link](https://example.org)\n\n```python\nprint('x')  # 1\n```"
    steps = [{"tools": [{"name": "bash", "arguments": {"command": "echo x"}}]}, {"text": answer}]
    make_place(place.root, steps)
    shell.environ.update(environ)
    start(shell, place)
    assert not shell.colours
    shell.type("hello")
    shell.keys("Enter")
    shell.until("print('x')", "● $ echo x", gone="Esc stops")
    assert not shell.colours
    shell.type("wrong")
    shell.until("wrong", gone="Esc stops")
    assert "\x1b[7m" in shell._tmux("capture-pane", "-p", "-e"), "the cursor"
    shell.keys("C-c")
    shell.type("/")
    shell.until("Choose the model")
    assert not shell.colours
    shell.keys("C-c")
    for command, text in (
        ("/tree", "user: hello"),
        ("/resume", "forks under their parent"),
        ("/settings", "Colours"),
        ("/hotkeys", "Queue the text"),
        ("/thinking", "Thinking of"),
        ("/name", "Name of this session"),
        ("/session", "This session"),
    ):
        shell.type(command)
        shell.keys("Enter")
        shell.until(text)
        assert not shell.colours, command
        shell.keys("Escape")
        shell.until(gone=text)
    shell.type("!false")
    shell.keys("Enter")
    shell.until("✗ ! false")
    assert not shell.colours


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TERM": "xterm"}, {32, 90, 35}),
        ({"TERM": "xterm-256color"}, {38, 48}),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;15"}, {38, 48}),
    ],
    ids=str,
)
def test_as_many_colours_as_the_terminal_has(
    place: Place, shell: Terminal, environ: dict[str, str], expected: set[int]
) -> None:
    make_place(place.root, [{"text": "some `code`"}])
    shell.environ.pop("COLORTERM", None)
    shell.environ.update(environ)
    start(shell, place)
    shell.type("hello")
    shell.keys("Enter")
    shell.until("some code", gone="Esc stops")
    assert expected <= shell.colours
    if len(expected) > 2:
        assert not {38, 48} & shell.colours


def program(place: Place, name: str, *lines: str) -> Path:
    """A shell script on a path of its own."""
    folder = place.root / "bin"
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("\n".join(("#!/bin/sh", *lines)) + "\n", "utf-8")
    file.chmod(0o755)
    return file


def test_the_own_editor_has_the_terminal_and_gives_the_text_back(
    place: Place, shell: Terminal
) -> None:
    log = place.root / "log"
    editor = program(
        place,
        "my-editor",
        f"""printf '%s|' "$1" "$2" > {log}; cat "$3" >> {log}""",
        "trap '' INT; printf 'the editor is here\\n'; read line",
        """printf 'first %s\nsecond \\033[1m\n\n' "$line" > "$3" """,
    )
    shell.environ["VISUAL"] = f"{editor} --wait 'two words'"
    start(shell, place)
    shell.type("half a thought")
    shell.until("half a thought")
    shell.keys("C-g")
    shell.until("the editor is here", gone="/hotkeys")
    shell.keys("C-c")
    shell.type("typed in it")
    shell.keys("Enter")
    shell.until("first typed in it", "second �[1m", "/hotkeys")
    assert log.read_text("utf-8") == "--wait|two words|half a thought"
    shell.keys("Enter")
    shell.until("noted", gone="Esc stops")
    assert prompts(place) == ["first typed in it\nsecond �[1m"]


@pytest.mark.parametrize(
    ("editor", "notice"),
    [
        ("exit 3", "The editor ended with status 3; the text is as it was"),
        ('rm "$1"', "The editor left nothing to read"),
        (None, "no-such-editor cannot be started: No such file or directory"),
    ],
)
def test_an_editor_that_fails_leaves_the_text(
    place: Place, shell: Terminal, editor: str | None, notice: str
) -> None:
    shell.environ.pop("VISUAL", None)
    shell.environ["EDITOR"] = str(program(place, "ed", editor)) if editor else "no-such-editor -x"
    start(shell, place)
    shell.type("half a thought")
    shell.until("half a thought")
    shell.keys("C-g")
    shell.until(notice, "half a thought", "/hotkeys")
    shell.type(" goes on")
    shell.until("half a thought goes on")


def test_sleeping_and_waking_in_a_shell(place: Place, shell: Terminal) -> None:
    shell.run(place.project, "env PS1='$ ' bash --norc --noprofile -i")
    shell.until("$")
    shell.type(f"{PROGRAM} --model scripted/{place.script}")
    shell.keys("Enter")
    shell.until("/hotkeys", "scripted")
    shell.type("half a thought")
    shell.until("half a thought")
    for _ in range(2):
        shell.keys("C-z")
        shell.until("Stopped", gone="/hotkeys")
        assert shell._tmux("display-message", "-p", "#{alternate_on}").strip() == "0"
        shell.type("echo $((6 * 7)) from the shell")
        shell.keys("Enter")
        shell.until("42 from the shell")
        shell.type("clear; fg")
        shell.keys("Enter")
        shell.until("half a thought", "/hotkeys", gone="from the shell")
    shell.type(" goes on")
    shell.until("half a thought goes on")
    shell.keys("Enter")
    shell.until("noted", gone="Esc stops")
    shell.keys("C-d")
    shell.until("To come back", "$")
    assert prompts(place) == ["half a thought goes on"]


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(out, "png")
    return out.getvalue()


def only_path(place: Place, shell: Terminal) -> None:
    """No clipboard tool of this machine comes between."""
    shell.environ["PATH"] = f"{place.root / 'bin'}:{os.environ['PATH']}"


def test_pasting_with_no_tool(place: Place, shell: Terminal) -> None:
    start(shell, place)
    shell.keys("C-v")
    shell.until("Ctrl+V needs wl-paste, xclip or pngpaste")


@pytest.mark.parametrize("tool", ["wl-paste", "xclip"])
def test_pasting_an_image_or_text(place: Place, shell: Terminal, tool: str) -> None:
    picture = place.root / "picture.png"
    picture.write_bytes(png())
    program(
        place,
        tool,
        f"""case "$*" in *image/png*) [ -s {picture} ] && exec cat {picture}; exit 1;; esac""",
        "printf 'text of\\nthe clipboard'",
    )
    only_path(place, shell)
    start(shell, place)
    shell.keys("C-v")
    shell.until("[image 1: png")
    picture.write_bytes(b"")
    shell.keys("C-v")
    shell.until("text of", "the clipboard")
    shell.keys("Enter")
    shell.until("noted", gone="Esc stops")
    assert prompts(place)[0].endswith("text of\nthe clipboard")


def test_copying_through_the_terminal_and_a_tool(place: Place, shell: Terminal) -> None:
    copied = place.root / "copied"
    # xclip stays behind with what it was given, to serve it.
    program(place, "xclip", f"cat > {copied}.part; mv {copied}.part {copied}; sleep 30 &")
    only_path(place, shell)
    make_place(place.root, [{"text": "an **answer** é"}])
    start(shell, place)
    shell._tmux("set-option", "-g", "set-clipboard", "on")
    shell.type("hello")
    shell.keys("Enter")
    shell.until("an answer", gone="Esc stops")
    shell.keys("C-x")
    shell.until("Copied 15 characters of the last answer")
    assert copied.read_text("utf-8") == "an **answer** é"
    assert shell._tmux("show-buffer") == "an **answer** é"


def test_searching_by_alt_slash(place: Place, shell: Terminal) -> None:
    tool = {"name": "bash", "arguments": {"command": "seq 30; echo needle; seq 30"}}
    make_place(place.root, [{"tools": [tool]}, {"text": "done"}])
    start(shell, place)
    shell.type("hello")
    shell.keys("Enter")
    shell.until("done", gone="Esc stops")
    shell.keys("M-/")
    shell.until("Search ", "Esc back")
    shell.type("needle")
    shell.until("1 of 2", "│ needle")
    shell.keys("Enter")
    shell.until("2 of 2")
    shell.keys("Escape")
    shell.until("▌ hello", gone="Esc back")


def test_the_mouse_in_a_real_terminal(place: Place, shell: Terminal) -> None:
    tool = {"name": "bash", "arguments": {"command": "seq 30"}}
    make_place(place.root, [{"tools": [tool]}, {"text": "done"}])
    start(shell, place)
    shell.type("hello")
    shell.keys("Enter")
    screen = shell.until("24 earlier lines", "done", gone="Esc stops")
    row = next(y for y, line in enumerate(screen.split("\n"), 1) if "● $ seq 30" in line)
    for end in ("M", "m"):
        shell.type(f"\x1b[<0;9;{row}{end}")
    shell.until("│ 7", gone="24 earlier lines")
