"""One writer at a time: who is refused, what it is told, and that dead holders are no obstacle."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sapwood.errors import SessionLockedError
from sapwood.session import SessionManager
from support.message_makers import user

HOLDER = """
import sys
from sapwood.session import SessionManager
manager = SessionManager.open(sys.argv[1], writer=sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with SessionManager.create("/work", tmp_path / "s") as manager:
        manager.append_message(user("one"))
        assert manager.path is not None
        return manager.path


def holder(path: Path, writer: str = "exclusive") -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), writer],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    return process


def lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def test_a_second_opener_is_refused_and_told_who_holds_the_session(path: Path) -> None:
    with holder(path) as process:
        with pytest.raises(SessionLockedError) as refused:
            SessionManager.open(path)
        assert re.search(
            rf"pid {process.pid} on host {re.escape(socket.gethostname())} since \d\d:\d\d;",
            str(refused.value),
        )
        with SessionManager.open(path, writer="none") as viewer:
            assert len(viewer.get_entries()) == 1
        process.communicate(b"")


def test_the_same_process_is_refused_too(path: Path) -> None:
    with SessionManager.open(path):
        with pytest.raises(SessionLockedError, match=f"pid {os.getpid()}"):
            SessionManager.open(path)
        link = path.with_name("link.jsonl")
        link.symlink_to(path)
        with pytest.raises(SessionLockedError):
            SessionManager.open(link)


def test_the_lock_of_a_killed_holder_is_free(path: Path) -> None:
    process = holder(path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert lock_file(path).exists()
    with SessionManager.open(path) as manager:
        manager.append_message(user("two"))
        with pytest.raises(SessionLockedError, match=f"pid {os.getpid()}"):
            SessionManager.open(path)


def test_closing_frees_the_lock_and_leaves_no_file(path: Path) -> None:
    manager = SessionManager.open(path)
    manager.append_message(user("two"))
    assert lock_file(path).exists()
    manager.close()
    manager.close()
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]
    SessionManager.open(path).close()


def test_what_is_no_session_is_not_left_locked(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"no session\n")
    for _ in range(2):
        with pytest.raises(Exception, match="not a session file"):
            SessionManager.open(other)
    assert [each.name for each in tmp_path.iterdir()] == ["other.jsonl"]


def test_a_new_session_is_locked_as_soon_as_it_has_a_file(tmp_path: Path) -> None:
    with SessionManager.create("/work", tmp_path) as manager:
        manager.append_message(user("one"))
        assert manager.path is not None
        with pytest.raises(SessionLockedError):
            SessionManager.open(manager.path)


def test_shared_writers_take_turns_and_see_each_other(path: Path) -> None:
    with (
        SessionManager.open(path, writer="shared") as one,
        SessionManager.open(path, writer="shared") as two,
    ):
        for number in range(5):
            one.append_message(user(f"one {number}"))
            two.append_message(user(f"two {number}"))
        last = one.append_message(user("last"))
        two.append_session_info("end")
        assert two.get_entry(last) is not None
        assert [entry.id for entry in two.get_entries()][:-1] == [
            entry.id for entry in one.get_entries()
        ]
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]


def test_a_shared_append_is_refused_while_another_holds_the_session(path: Path) -> None:
    with SessionManager.open(path, writer="shared") as shared:
        with holder(path) as process:
            with pytest.raises(SessionLockedError, match=f"pid {process.pid}"):
                shared.append_message(user("two"))
            process.communicate(b"")
        shared.append_message(user("three"))
        assert len(shared.get_entries()) == 2


def test_a_branch_frees_the_old_session_and_holds_the_new(path: Path) -> None:
    with SessionManager.open(path) as manager:
        new = manager.create_branched_session(manager.get_leaf() or "")
        assert new is not None
        SessionManager.open(path).close()
        with pytest.raises(SessionLockedError):
            SessionManager.open(new)
