"""The real program and the terminal around it: pastes, colours, other programs, the shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.tmux import Terminal, have_tmux, terminal
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
        content if isinstance(content, str) else "".join(part["text"] for part in content)
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
