"""Standard streams that are closed, full or left, and ``@files`` that are none."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command import COMMAND, environment, sapwood
from support.stage import request_texts

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]
FULL = b"sapwood: No space left on device\n"


def run(stage: Stage, *arguments: str, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    """The command in a process that starts afresh, with its streams as given."""
    streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE} | streams
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=stage.project,
        env=environment(stage.agent_dir),
        timeout=60,
        check=False,
        **streams,
    )


@pytest.mark.parametrize(
    "arguments",
    [["-p", "hi"], ["--list-models"], ["--help"], ["--version"], ["completion", "bash"]],
)
def test_a_full_disk_behind_the_output_is_one_line(stage_with: Build, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = run(stage_with([{"text": "answer"}]), *arguments, stdout=full)
    assert (done.returncode, done.stderr) == (1, FULL)


def test_records_that_cannot_be_written_stop_the_run(stage_with: Build) -> None:
    stage = stage_with([{"text": "answer"}])
    with open("/dev/full", "wb") as full:
        done = run(stage, "--mode", "json", "hi", stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith(b"sapwood: The records cannot be written (No space left")
    assert done.stderr.count(b"\n") == 1
    assert stage.requests == []


@pytest.mark.parametrize("arguments", [["-p", "hi"], ["--list-models"], ["completion", "bash"]])
def test_a_reader_that_leaves_is_no_failure(stage_with: Build, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(stage_with([{"text": "answer"}]), *arguments, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_closed_stream_is_nobody_there(stage_with: Build, number: int) -> None:
    """The session's file must not get the number of the closed stream."""
    stage = stage_with([{"tools": [{"name": "bash", "arguments": {"command": "echo x"}}]}, {}])
    script = f'exec "$@" {number}>&-'
    done = subprocess.run(
        ["bash", "-c", script, "bash", *COMMAND, "-p", "hi"],
        cwd=stage.project,
        env=environment(stage.agent_dir),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    (path,) = (stage.agent_dir / "sessions").rglob("*.jsonl")
    assert all(line.startswith(b"{") for line in path.read_bytes().splitlines())
    assert request_texts(stage.bodies()[-1])[-1] == ("tool", "x")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pipe", "pipe is not a regular file; pipe its content in instead."),
        ("/dev/zero", "/dev/zero is not a regular file; pipe its content in instead."),
        (".", ". is a folder; name the files in it."),
        ("large", "large is too large for a prompt; let the agent read it instead."),
        ("bytes", "bytes is neither text nor an image that can be shown to a model."),
        ("broken.png", "broken.png: the image is damaged."),
        ("loop", "loop cannot be read: Too many levels of symbolic links."),
        ("notes/x", "notes/x cannot be read: Not a directory."),
    ],
)
def test_what_is_no_file_for_a_prompt_is_one_line(stage_with: Build, name: str, told: str) -> None:
    stage = stage_with()
    folder = stage.project
    os.mkfifo(folder / "pipe")
    with (folder / "large").open("wb") as file:
        file.truncate(11 * 1024 * 1024)
    (folder / "bytes").write_bytes(b"\0" * 10)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nxxxx")
    (folder / "loop").symlink_to("loop")
    (folder / "notes").write_text("x")
    done = sapwood(["-p", f"@{name}", "hi"], cwd=folder, agent_dir=stage.agent_dir)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"sapwood: {told}\n"


def test_a_thousand_files_are_one_prompt(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}], window=1_000_000)
    names = [f"f{number}.txt" for number in range(1000)]
    for name in names:
        (stage.project / name).write_text(f"content of {name}")
    words = ["-p", *(f"@{name}" for name in names), "hi"]
    done = sapwood(words, cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.returncode == 0
    ((_, said),) = request_texts(stage.bodies()[-1])
    assert all(f"content of {name}" in said for name in names)


def test_binary_input_is_refused(stage_with: Build) -> None:
    stage = stage_with()
    done = sapwood(["-p", "hi"], cwd=stage.project, agent_dir=stage.agent_dir, stdin=b"\0\1\2")
    assert done.returncode == 1
    assert done.stderr == b"sapwood: The piped input is not text; name the file with @ instead.\n"


def test_ten_megabytes_of_input_are_sent(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}], window=10_000_000)
    text = "a line of text\n" * 700_000
    done = sapwood(["-p", "hi"], cwd=stage.project, agent_dir=stage.agent_dir, stdin=text)
    assert (done.returncode, done.stdout) == (0, b"ok\n")
    ((_, said),) = request_texts(stage.bodies()[-1])
    assert said == text.strip("\n") + "\n\nhi"


def test_an_image_setting_counts_for_files_of_a_prompt(stage_with: Build, tmp_path: Path) -> None:
    from PIL import Image

    stage = stage_with(settings={"images": {"autoResize": False}})
    Image.new("RGB", (2500, 10)).save(stage.project / "wide.png")
    done = sapwood(["-p", "@wide.png", "hi"], cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.returncode == 1
    assert b"setting images.autoResize is off" in done.stderr


def test_resume_without_the_ui_is_wrong_usage(stage_with: Build) -> None:
    stage = stage_with()
    done = sapwood(["-r", "-p", "hi"], cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.returncode == 2
    assert b"-r opens the picker" in done.stderr


def test_signals_are_not_taken_over_for_tools(stage_with: Build) -> None:
    """A command that writes into a pipe nobody reads ends by SIGPIPE, as in any shell."""
    stage = stage_with([{"tools": [{"name": "bash", "arguments": {"command": PIPE}}]}, {}])
    sapwood(["-p", "hi"], cwd=stage.project, agent_dir=stage.agent_dir)
    (_, said) = request_texts(stage.bodies()[-1])[-1]
    assert said == f"{128 + signal.SIGPIPE} 0"


PIPE = "yes | head -n 1 > /dev/null; echo ${PIPESTATUS[@]}"


PRINTING = """
import os
print("while loading")
def extension(api):
    def chatter(event):
        print("from a handler")
        os.write(1, b"past Python\\n")
        os.system("echo from a child")
    api.on("turn_end", chatter)
"""


@pytest.mark.parametrize("mode", ["text", "json"])
def test_an_extension_that_prints_does_not_get_between(stage_with: Build, mode: str) -> None:
    stage = stage_with([{"text": "answer"}])
    (stage.project / "chatter.py").write_text(PRINTING)
    words = ["-p", "--mode", mode, "-e", "chatter.py", "hi"]
    done = sapwood(words, cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.returncode == 0
    if mode == "text":
        assert done.stdout == b"answer\n"
    else:
        assert all(line.startswith(b'{"type":') for line in done.stdout.splitlines())
    for text in (b"while loading", b"from a handler", b"past Python", b"from a child"):
        assert text in done.stderr


def test_an_error_of_ours_is_one_line_and_verbose_shows_where(stage_with: Build) -> None:
    stage = stage_with([{"text": "answer"}])
    (stage.project / "break.py").write_text(
        "import sapwood.agent.run as run\ndef extension(api):\n    run.build_request = None\n"
    )
    words = ["-p", "-e", "break.py", "hi"]
    done = sapwood(words, cwd=stage.project, agent_dir=stage.agent_dir)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert done.stderr.startswith(b"sapwood: Something went wrong inside Sapwood: TypeError")
    told = run(stage, "--verbose", *words, stdout=subprocess.PIPE)
    assert told.returncode == 1
    assert b"Traceback" in told.stderr
    assert b"TypeError" in told.stderr


def test_verbose_says_what_is_loaded(stage_with: Build) -> None:
    stage = stage_with([{"text": "answer"}])
    (stage.project / "AGENTS.md").write_text("Be brief.")
    (stage.agent_dir / "extensions").mkdir()
    (stage.agent_dir / "extensions" / "quiet.py").write_text("def extension(api): pass")
    words = ["-p", "--verbose", "-t", "read,ls", "hi"]
    done = sapwood(words, cwd=stage.project, agent_dir=stage.agent_dir)
    (path,) = (stage.agent_dir / "sessions").rglob("*.jsonl")
    assert done.stdout == b"answer\n"
    assert done.stderr.decode().splitlines() == [
        f"sapwood: session: {path}",
        "sapwood: model: fake/fake-1, thinking off, window of 8,000 tokens",
        "sapwood: tools: read, ls",
        f"sapwood: instructions: {stage.project / 'AGENTS.md'}",
        "sapwood: extensions: quiet",
    ]
