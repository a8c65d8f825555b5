"""Import: looked at first, nothing replaced, nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sapwood.errors import SapwoodError
from sapwood.library.importing import import_session
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, session, user


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


@pytest.mark.parametrize("content", [b"", b"hello\n", b"{}\n", b'{"type":"session"}\n'])
def test_what_is_no_session_leaves_nothing_behind(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "bad.jsonl"
    source.write_bytes(content)
    folder = tmp_path / "sessions"
    with pytest.raises(SapwoodError):
        import_session(source, tmp_path, folder)
    assert not folder.exists()
    assert source.read_bytes() == content
