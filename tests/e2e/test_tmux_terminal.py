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
