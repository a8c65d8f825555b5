"""Bad input: one clear line on standard error, status 1, and the file as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sapwood.modes.main import main
from sapwood.session.manager import SessionManager

HEADER = (
    b'{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'
)
MESSAGE = (
    b'{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z",'
    b'"message":{"role":"user","content":"hello","timestamp":1}}\n'
)
SECOND = MESSAGE.replace(b"aaaa0001", b"aaaa0002")

Fail = Any


@pytest.fixture
def fail(capfdbinary: pytest.CaptureFixture[bytes]) -> Fail:
    """Run a command that must fail with one line; gives that line."""

    def fail(*args: str | Path) -> str:
        assert main(["session", *map(str, args)]) == 1
        out, err = capfdbinary.readouterr()
        assert out == b""
        lines = err.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("sapwood: ")
        return lines[0]

    return fail


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


COMMANDS = (
    ("tree",),
    ("context",),
    ("check",),
    ("show", "aaaa0001"),
    ("goto", "aaaa0001"),
    ("label", "aaaa0001", "x"),
    ("name", "x"),
    ("fork", "aaaa0001"),
    ("clone",),
    ("clone", "--all-branches"),
    ("export", "--jsonl"),
    ("compact",),
)


def on(path: Path | str, command: tuple[str, ...]) -> list[str]:
    return [command[0], str(path), *command[1:]]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"hello\n", "not a session"),
        (b"", "empty"),
        (b"\n\n", "not a session"),
        (b'{"type":"session","version":3,"id":5}\n' + MESSAGE, "not a session"),
        (b'{"type":"sess' + HEADER + MESSAGE, "not a session"),
        (MESSAGE + HEADER, "not a session"),
        (b"\x00" * 4096, "not a session"),
    ],
)
def test_what_is_no_session_is_refused_and_left_alone(
    fail: Fail, command: tuple[str, ...], data: bytes, says: str
) -> None:
    path = write(Path.cwd() / "s.jsonl", data)
    line = fail(*on(path, command))
    assert says in line
    assert str(path) in line
    assert path.read_bytes() == data
    assert [each.name for each in Path.cwd().iterdir()] == ["s.jsonl"]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_such_file_and_a_folder(fail: Fail, tmp_path: Path, command: tuple[str, ...]) -> None:
    assert "no such file" in fail(*on(tmp_path / "missing.jsonl", command))
    (tmp_path / "folder.jsonl").mkdir()
    assert "folder" in fail(*on(tmp_path / "folder.jsonl", command))
    assert "folder" in fail(*on("./folder.jsonl", command))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(fail: Fail, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE)
    path.chmod(0)
    assert "permission" in fail("tree", path)


def test_ids_that_match_none_or_several(fail: Fail, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    write(folder / "a.jsonl", HEADER.replace(b'"s1"', b'"abc1"') + MESSAGE)
    write(folder / "b.jsonl", HEADER.replace(b'"s1"', b'"abc2"') + MESSAGE)
    assert "abc1, abc2" in fail("tree", "abc", "--session-dir", folder)
    assert "No session" in fail("tree", "xyz", "--session-dir", folder)
    assert "No session" in fail("tree", "..%2f..", "--session-dir", folder)
    assert main(["session", "tree", "abc1", "--session-dir", str(folder)]) == 0


def test_entries_that_match_none_or_several(fail: Fail, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE + SECOND)
    before = path.read_bytes()
    for command in ("show", "goto", "fork"):
        assert "aaaa0001, aaaa0002" in fail(command, path, "aaaa")
        assert "no entry 'zzzz'" in fail(command, path, "zzzz")
        assert "no entry ''" in fail(command, path, "")
    assert "no entry" in fail("context", path, "--at", "z\x1b]0;x\x07")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "command", [("goto", "aaaa0001"), ("label", "aaaa0001", "x"), ("name", "x")]
)
def test_a_session_held_by_another_process(
    fail: Fail, tmp_path: Path, command: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE)
    program = (
        "import sys; from sapwood.session.manager import SessionManager\n"
        f"with SessionManager.open({str(path)!r}):\n"
        "    print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        assert str(holder.pid) in fail(*on(path, command))
        assert main(["session", "tree", str(path)]) == 0
        assert path.read_bytes() == HEADER + MESSAGE
        capfdbinary.readouterr()
        holder.communicate(b"")
    assert main(["session", *on(path, command)]) == 0


def test_a_newer_version_is_read_with_a_notice_and_never_written(
    fail: Fail, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = HEADER.replace(b'"version":3', b'"version":4') + MESSAGE
    path = write(tmp_path / "s.jsonl", data)
    assert main(["session", "tree", str(path)]) == 0
    out, err = capfdbinary.readouterr()
    assert b"hello" in out
    assert b"newer" in err
    assert "newer version" in fail("name", path, "x")
    assert path.read_bytes() == data


def test_nothing_to_fork(fail: Fail) -> None:
    entry = b'{"type":"model_change","id":"m1","parentId":null,"timestamp":"","provider":"p"}\n'
    path = write(Path.cwd() / "s.jsonl", HEADER + entry)
    assert "nothing to copy" in fail("fork", path, "m1")
    assert [each.name for each in Path.cwd().iterdir()] == ["s.jsonl"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["session"],
        ["session", "nothing-like-it"],
        ["session", "tree"],
        ["session", "tree", "x.jsonl", "--filter", "green"],
        ["session", "context", "x.jsonl", "--json", "--text"],
        ["session", "list", "--session-dir", __file__],
        ["session", "label", "x.jsonl", "a"],
        ["session", "label", "x.jsonl", "a", "b", "--remove"],
        ["session", "goto", "x.jsonl", "a", "the focus"],
        ["session", "compact", "x.jsonl", "--offline", "--model", "m"],
        ["session", "export", "x.jsonl", "out.docx"],
        ["completion", "tcsh"],
    ],
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    assert main(arguments) == 2


def test_oddities_are_noted_but_no_failure(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE + b"garbage\n" + SECOND)
    assert main(["session", "tree", str(path)]) == 0
    out, err = capfdbinary.readouterr()
    assert out.count(b"hello") == 2
    assert b"session check" in err


def test_a_failure_is_one_line_in_an_odd_file_too(fail: Fail, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE + b"garbage\n" + SECOND)
    assert "no entry" in fail("show", path, "cccc")


def test_writing_to_a_full_disk_is_one_line(fail: Fail, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE)
    assert "not written" in fail("export", path, tmp_path / "missing" / "out.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sapwood", "session", "tree", path],
            stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"sapwood: No space left on device\n"


def test_a_session_is_not_exported_onto_itself(fail: Fail, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE)
    assert "itself" in fail("export", "--force", path, path)
    assert path.read_bytes() == HEADER + MESSAGE


def test_a_manager_left_open_here_is_a_lock_too(fail: Fail, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER + MESSAGE)
    with SessionManager.open(path):
        assert str(os.getpid()) in fail("name", path, "x")
