"""Import: looked at first, nothing replaced, nothing left behind."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sapwood.errors import SapwoodError
from sapwood.library.importing import import_session
from sapwood.session.manager import SessionManager
from support.limits import file_size_limit, unwritable
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


def test_what_is_no_file_is_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    (tmp_path / "noise.jsonl").write_bytes(os.urandom(100_000))
    for source in ("pipe.jsonl", "loop.jsonl", "missing.jsonl", "noise.jsonl", ".", "/dev/zero"):
        with pytest.raises(SapwoodError) as failure:
            import_session(tmp_path / source, tmp_path, tmp_path / "sessions")
        assert str(failure.value).isprintable()
    assert not (tmp_path / "sessions").exists()


def test_a_place_that_takes_nothing_is_one_line_and_stays_empty(tmp_path: Path) -> None:
    source = tmp_path / "long.jsonl"
    source.write_bytes(
        b"".join(line + b"\n" for line in session(user("long " * 5000), assistant("x")).lines())
    )
    (tmp_path / "file").touch()
    with pytest.raises(SapwoodError, match="not made"):
        import_session(source, tmp_path, tmp_path / "file" / "sessions")
    folder = tmp_path / "sessions"
    folder.mkdir()
    with file_size_limit(4096), pytest.raises(SapwoodError, match="not written"):
        import_session(source, tmp_path, folder)
    with unwritable(folder), pytest.raises(SapwoodError, match="not written"):
        import_session(source, tmp_path, folder)
    assert list(folder.iterdir()) == []


def test_imports_at_once_are_as_many_whole_sessions(tmp_path: Path) -> None:
    source = written(tmp_path / "foreign.jsonl")
    folder = tmp_path / "sessions"
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: import_session(source, tmp_path, folder), range(8)))
    assert sorted(folder.iterdir()) == sorted(set(paths))
    assert len(paths) == len(set(paths))
    for path in paths:
        assert path.read_bytes().splitlines()[1:] == source.read_bytes().splitlines()[1:]


def test_a_link_to_a_session_comes_in_as_what_it_leads_to(tmp_path: Path) -> None:
    source = written(tmp_path / "foreign.jsonl")
    (tmp_path / "link.jsonl").symlink_to(source)
    path = import_session(tmp_path / "link.jsonl", tmp_path, tmp_path / "sessions")
    assert not path.is_symlink()
    assert path.read_bytes().splitlines()[1:] == source.read_bytes().splitlines()[1:]


def test_a_session_of_this_folder_comes_in_as_another(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    first = import_session(written(tmp_path / "foreign.jsonl"), tmp_path, folder)
    before = first.read_bytes()
    second = import_session(first, tmp_path, folder)
    assert second != first
    assert first.read_bytes() == before
