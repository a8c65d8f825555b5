"""Import: looked at first, nothing replaced, nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sapwood.errors import SapwoodError
from sapwood.library.importing import import_session
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, session, user

HEADLESS = b'{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}\n'
"""A line of a session, but no session: its header is gone."""


def written(path: Path) -> Path:
    manager = session(user("one"), assistant("two"))
    path.write_bytes(b"".join(line + b"\n" for line in manager.lines()) + b"torn {\n")
    return path


def test_a_session_comes_in_byte_for_byte_under_its_id(tmp_path: Path) -> None:
    source = written(tmp_path / "foreign.jsonl")
    folder = tmp_path / "sessions"
    path = import_session(source, tmp_path, folder)
    assert path.parent == folder
    assert path.read_bytes().splitlines()[1:] == source.read_bytes().splitlines()[1:]
    header = json.loads(path.read_bytes().splitlines()[0])
    assert header["id"] == json.loads(source.read_bytes().splitlines()[0])["id"]
    assert header["cwd"] == str(tmp_path)
    with SessionManager.open(path) as manager:
        assert len(manager.get_entries()) == 2


def test_a_second_import_gets_an_id_of_its_own(tmp_path: Path) -> None:
    source = written(tmp_path / "foreign.jsonl")
    folder = tmp_path / "sessions"
    first = import_session(source, tmp_path, folder)
    before = first.read_bytes()
    second = import_session(source, tmp_path, folder)
    assert first.read_bytes() == before
    ids = {SessionManager.open(path, writer="none").session_id for path in (first, second)}
    assert len(ids) == 2


def test_a_taken_file_name_is_left_alone(tmp_path: Path) -> None:
    source = written(tmp_path / "foreign.jsonl")
    folder = tmp_path / "sessions"
    first = import_session(source, tmp_path, folder)
    first.write_bytes(b"something else\n")
    second = import_session(source, tmp_path, folder)
    assert second != first
    assert first.read_bytes() == b"something else\n"


@pytest.mark.parametrize("content", [b"", b"hello\n", b"{}\n", b'{"type":"session"}\n', HEADLESS])
def test_what_is_no_session_leaves_nothing_behind(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "bad.jsonl"
    source.write_bytes(content)
    folder = tmp_path / "sessions"
    with pytest.raises(SapwoodError):
        import_session(source, tmp_path, folder)
    assert not folder.exists()
    assert source.read_bytes() == content


def test_a_session_of_the_first_version_comes_in(tmp_path: Path) -> None:
    source = tmp_path / "old.jsonl"
    lines = [
        {"type": "session", "id": "old-one", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/x"},
        {"type": "message", "timestamp": "2025-01-01T00:00:01.000Z", "message": user("one")},
        {"type": "message", "timestamp": "2025-01-01T00:00:02.000Z", "message": assistant("two")},
    ]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    path = import_session(source, tmp_path, tmp_path / "sessions")
    with SessionManager.open(path, writer="none") as manager:
        roles = [entry.message["role"] for entry in manager.get_branch() if entry.message]
        assert roles == ["user", "assistant"]
        assert manager.session_id == "old-one"
        assert manager.header.get("cwd") == str(tmp_path)


@pytest.mark.parametrize("name", ["../../outside", "a/b", "..", "x" * 300])
def test_an_id_is_never_a_path(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in" / "foreign.jsonl"
    source.parent.mkdir()
    header = {"type": "session", "version": 3, "id": name, "timestamp": "2025-01-01T00:00:00.000Z"}
    entry = {
        "type": "message", "id": "e", "parentId": None, "timestamp": "../../up",
        "message": user("one"),
    }  # fmt: skip
    source.write_text(f"{json.dumps(header)}\n{json.dumps(entry)}\n", "utf-8")
    path = import_session(source, tmp_path, tmp_path / "in" / "sessions")
    assert path.parent == tmp_path / "in" / "sessions"
    assert SessionManager.open(path, writer="none").session_id != name


def test_a_time_is_never_a_path(tmp_path: Path) -> None:
    source = written(tmp_path / "foreign.jsonl")
    lines = source.read_bytes().splitlines(keepends=True)
    header = {**json.loads(lines[0]), "timestamp": "../../x"}
    source.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(lines[1:]))
    path = import_session(source, tmp_path, tmp_path / "sessions")
    assert path.resolve().parent == tmp_path / "sessions"
    assert ".." not in path.name
