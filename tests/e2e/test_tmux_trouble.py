"""The real program when the world around it fails: the disk, the server, the terminal itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sapwood.session.manager import SessionManager
from support.sse_server import Reply, Request, SseServer, serving
from support.tmux import PROGRAM, TIMEOUT, Terminal, have_tmux, terminal
from support.tui import Place, make_place

pytestmark = pytest.mark.skipif(not have_tmux(), reason="needs tmux")

LONG = "a long answer " * 2_000


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path, [{"text": "short"}, {"text": LONG}, {"text": "third"}])


@pytest.fixture
def shell(place: Place) -> Iterator[Terminal]:
    with terminal(place.agent_dir) as own:
        yield own


def send(shell: Terminal, text: str) -> None:
    shell.type(text)
    shell.until(text)
    shell.keys("Enter")


def said(place: Place) -> list[str]:
    """What is on the active path of the one session, by role and start; the file must be valid."""
    (file,) = place.agent_dir.rglob("*.jsonl")
    for line in file.read_text("utf-8").splitlines():
        json.loads(line)
    with SessionManager.open(file, writer="none") as manager:
        assert not manager.diagnostics
        messages = [entry.message for entry in manager.get_branch() if entry.message]
    texts = []
    for message in messages:
        content = message["content"]
        text = content if isinstance(content, str) else "".join(b.get("text", "") for b in content)
        texts.append(f"{message['role']}: {text[:20]}")
    return [text for text in texts if not text.startswith("system")]


def small_files(place: Place, shell: Terminal) -> None:
    """Start with files that cannot grow beyond 10 × 1,024 bytes."""
    command = f"ulimit -S -f 10; {PROGRAM} --model scripted/{place.script}"
    shell.run(place.project, f"bash -c '{command}; echo ended with $?; sleep 60'")
    shell.until("/hotkeys", "scripted")


def pid_of_program(place: Place) -> int:
    """The process that has the session open."""
    (lock,) = place.agent_dir.rglob("*.lock")
    return int(json.loads(lock.read_bytes())["pid"])


def test_a_disk_that_stays_full_ends_with_a_message(place: Place, shell: Terminal) -> None:
    small_files(place, shell)
    send(shell, "one")
    shell.until("short", gone="Esc stops")
    send(shell, "two")
    shell.until("Not saved: File too large", "! not saved yet", "a long answer")
    send(shell, "three")
    shell.until("Not saved: File too large", "three")
    shell.keys("C-c")
    shell.keys("C-d")
    shell.until("1 message could not be saved", "To come back", "ended with 1")
    assert said(place) == ["user: one", "assistant: short", "user: two"]


def test_a_disk_with_room_again_gets_everything(place: Place, shell: Terminal) -> None:
    small_files(place, shell)
    send(shell, "one")
    shell.until("short", gone="Esc stops")
    send(shell, "two")
    shell.until("Not saved: File too large")
    subprocess.run(
        ["prlimit", "--pid", str(pid_of_program(place)), "--fsize=unlimited"], check=True
    )
    shell.keys("C-d")
    shell.until("To come back", "ended with 0")
    assert said(place) == [
        "user: one",
        "assistant: short",
        "user: two",
        "assistant: a long answer a long",
    ]


def chunk(text: str) -> tuple[None, Any]:
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    return None, {"id": "c", "object": "chat.completion.chunk", "choices": [delta]}


def start_at(server: SseServer, place: Place, shell: Terminal) -> None:
    """The program with the model of this server, once for each request."""
    provider = {
        "baseUrl": f"{server.url}/v1",
        "api": "openai-completions",
        "apiKey": "x",
        "models": [{"id": "m", "contextWindow": 100_000}],
    }
    (place.agent_dir / "models.json").write_text(json.dumps({"providers": {"p": provider}}))
    settings = {"retry": {"enabled": False}, "defaultProvider": "p", "defaultModel": "m"}
    (place.agent_dir / "settings.json").write_text(json.dumps(settings))
    shell.start(place.project)
    shell.until("/hotkeys", "p/m")


def test_a_server_that_goes_away_in_mid_answer(place: Place, shell: Terminal) -> None:
    """What came is kept and marked, what was typed meanwhile stays, the next prompt works."""

    def answer(request: Request) -> Reply:
        if "once more" in json.dumps(request.body["messages"]):
            end = {"index": 0, "delta": {}, "finish_reason": "stop"}
            done = (None, {"id": "c", "object": "chat.completion.chunk", "choices": [end]})
            return Reply(events=[chunk("it is back"), done, (None, "[DONE]")])
        return Reply(events=[chunk("half an ans")] * 2, cut=True, pause=0.5)

    with serving(answer) as server:
        start_at(server, place, shell)
        send(shell, "hello")
        shell.until("half an ans")
        shell.type("typed meanwhile")
        shell.until("half an anshalf an ans", "✗", "typed meanwhile", gone="Esc stops")
        shell.keys("C-c")
        send(shell, "once more")
        shell.until("it is back", gone="Esc stops")
    assert said(place) == [
        "user: hello",
        "assistant: half an anshalf an a",
        "user: once more",
        "assistant: it is back",
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_kill_while_it_answers(place: Place, shell: Terminal, number: signal.Signals) -> None:
    slow = Reply(events=[chunk("word ")] * 200, pause=0.1)
    with serving(lambda _: slow) as server:
        start_at(server, place, shell)
        send(shell, "hello")
        shell.until("word word", "Esc stops")
        shell.type("half a thought")
        shell.until("half a thought")
        os.kill(pid_of_program(place), number)
        shell.until("To come back", "ended with")
        flags = shell._tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag}")
        assert flags.split() == ["0", "0"]
        assert server.hung_up.wait(10)
    shell.stop()
    assert said(place)[0] == "user: hello"
    assert said(place)[1].startswith("assistant: word")
    shell.start(place.project, "-c")
    shell.until("word word", "Stopped", "half a thought")


def test_a_terminal_that_is_closed(place: Place, shell: Terminal) -> None:
    shell.start(place.project, "--model", f"scripted/{place.script}")
    shell.until("/hotkeys", "scripted")
    send(shell, "hello")
    shell.until("short", gone="Esc stops")
    shell.type("half a thought")
    shell.until("half a thought")
    pid = pid_of_program(place)
    shell.stop()
    deadline = time.monotonic() + TIMEOUT
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "it did not end with its terminal"
        time.sleep(0.05)
    assert not list(place.agent_dir.rglob("*.lock"))
    assert said(place) == ["user: hello", "assistant: short"]
    shell.start(place.project, "-c", "--model", f"scripted/{place.script}")
    shell.until("short", "half a thought")
