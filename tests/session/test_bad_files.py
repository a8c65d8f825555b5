"""What is no session gives one clear line and stays as it is; oddities inside are diagnostics."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sapwood.context.projection import project
from sapwood.errors import NotASessionError, ReadOnlySessionError, SessionError
from sapwood.session import SessionManager
from sapwood.session.info import session_info
from support.message_makers import user

HEADER = (
    b'{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'
)


def message(entry_id: str, parent: str | None) -> bytes:
    entry = {
        "type": "message", "id": entry_id, "parentId": parent,
        "timestamp": "2026-01-01T00:00:00.000Z", "message": user("x"),
    }  # fmt: skip
    return json.dumps(entry).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"\n \n\t",
        b"hello\n",
        b"5\n" + HEADER,
        b'{"type":"message","id":"a"}\n' + HEADER,
        b'{"type":"session","version":3,"id":7}\n',
        b'{"type":"session","version":3}\n' + message("a", None),
        HEADER[:-5] + b"\n" + message("a", None),
        b"\x00" * 100,
        bytes(range(256)),
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("writer", ["exclusive", "none"])
def test_a_damaged_header_is_refused_and_untouched(
    data: bytes, writer: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    with pytest.raises(NotASessionError) as refused:
        SessionManager.open(path, writer=writer)  # type: ignore[arg-type]
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["s.jsonl"]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotASessionError, match="no such file"):
        SessionManager.open(tmp_path / "nothing.jsonl")
    with pytest.raises(NotASessionError, match="folder"):
        SessionManager.open(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotASessionError, match="not a regular file"):
        SessionManager.open(tmp_path / "pipe")
    assert sorted(os.listdir(tmp_path)) == ["pipe"]


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read anything")
    with pytest.raises(NotASessionError, match="permission"):
        SessionManager.open(path)


def test_a_newer_version_is_opened_for_reading_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    data = HEADER.replace(b'"version":3', b'"version":99') + b"\n" + message("a", None) + b"\n"
    path.write_bytes(data)
    with SessionManager.open(path) as manager:
        assert [found.kind for found in manager.diagnostics] == ["newer-version"]
        with pytest.raises(ReadOnlySessionError, match="newer version"):
            manager.append_message(user("x"))
        SessionManager.open(path).close()
    assert path.read_bytes() == data


def test_an_empty_file_becomes_a_session_with_the_first_message(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    with SessionManager.open(path, cwd="/w") as manager:
        manager.append_model_change("openai", "gpt")
        assert path.read_bytes() == b""
        manager.append_message(user("one"))
    with SessionManager.open(path) as again:
        assert again.header["cwd"] == "/w"
        assert [entry.type for entry in again.get_entries()] == ["model_change", "message"]


def test_oddities_are_counted_and_stay_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [
        b"\xef\xbb\xbf" + HEADER + b"\r", b"", b"  \t", message("a", None) + b"\r", b"{torn", b"5",
        b"null", b"[1]", b"{}", b'{"id":5}', HEADER, b"NaN", message("b", "a"), b"\xff\xfe",
        message("a", "b"), message("c", "gone"),
    ]  # fmt: skip
    path.write_bytes(b"\n".join(lines))
    with SessionManager.open(path) as manager:
        kinds = {found.kind: (found.count, found.line) for found in manager.diagnostics}
        assert kinds == {
            "byte-order-mark": (1, 1),
            "unreadable-line": (3, 5),
            "not-an-entry": (2, 6),
            "no-id": (2, 9),
            "torn-tail": (1, 16),
            "duplicate-id": (1, 4),
            "missing-parent": (1, 16),
            "cycle": (1, 13),
        }
        assert [entry.id for entry in manager.get_entries()] == ["a", "b", "a", "c"]
        manager.append_message(user("x"))
    assert path.read_bytes().startswith(b"\n".join(lines) + b"\n")


def test_a_file_cut_short_under_an_open_session_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([HEADER, message("a", None), message("b", "a"), b""]))
    with SessionManager.open(path, writer="none") as manager:
        os.truncate(path, len(HEADER) + 10)
        with pytest.raises(SessionError, match="cut short"):
            _ = manager.get_entries()[1].data


def test_deep_nesting_is_a_diagnostic(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    deep = b'{"type":"custom","id":"deep","parentId":null,"data":' + b"[" * 50_000 + b"]" * 50_000
    path.write_bytes(b"\n".join([HEADER, deep + b"}", message("a", None), b""]))
    with SessionManager.open(path, writer="none") as manager:
        assert [entry.id for entry in manager.get_entries()] == ["a"]
        assert [found.kind for found in manager.diagnostics] == ["unreadable-line"]


def test_a_line_changed_in_place_under_an_open_session_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [HEADER, message("a", None), message("b", "a"), message("c", "b"), b""]
    path.write_bytes(b"\n".join(lines))
    for other in (message("x", "a"), b"x" * len(lines[2]), b"[5]".ljust(len(lines[2]))):
        with SessionManager.open(path, writer="none") as manager:
            path.write_bytes(b"\n".join([*lines[:2], other, *lines[3:]]))
            with pytest.raises(SessionError, match="changed by another program"):
                project(manager.tree)
            with pytest.raises(SessionError, match="changed by another program"):
                _ = manager.get_entries()[1].data
            assert manager.get_entries()[2].data["id"] == "c"
        path.write_bytes(b"\n".join(lines))


def test_fields_of_our_own_in_a_line_are_data_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    names = {"_data": {"id": "x"}, "_raw": "eA==", "_page": None, "_place": 7, "line": 9}
    entries = [
        {"type": "custom", "id": name, "parentId": None, "timestamp": "", name: value}
        for name, value in names.items()
    ]
    path.write_bytes(b"\n".join([HEADER, *(json.dumps(each).encode() for each in entries), b""]))
    with SessionManager.open(path, writer="none") as manager:
        assert [entry.data for entry in manager.get_entries()] == entries
        assert [entry.line for entry in manager.get_entries()] == [2, 3, 4, 5, 6]


def test_an_endless_line_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + b"\n" + message("a", None) + b"\n")
    os.truncate(path, 300 * 1024 * 1024)  # a hole, as a crash of the system can leave it
    with pytest.raises(SessionError, match="a line of more than 256 MiB"):
        SessionManager.open(path, writer="none")


@pytest.mark.parametrize("time", [b"1e400", b"-1e400", b"9e15", b'"soon"', b"null"])
def test_a_message_time_that_is_no_date_gives_way_to_that_of_its_entry(
    time: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    odd = message("a", None).replace(b'"timestamp": 0', b'"timestamp": ' + time)
    assert time in odd
    path.write_bytes(HEADER + b"\n" + odd + b"\n")
    info = session_info(path)
    assert info is not None
    assert info.modified == 1767225600000
