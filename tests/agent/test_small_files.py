"""Files that several programs share: locked as the reference does, replaced at once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sapwood.files import FileLockedError, folder_lock, write_atomic

_ADD_ONES = """
import sys
from pathlib import Path
from sapwood.files import folder_lock, write_atomic
file = Path(sys.argv[1])
for _ in range(20):
    with folder_lock(file):
        write_atomic(file, str(int(file.read_text()) + 1).encode())
"""


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "count"
    file.write_text("0")
    writers = [subprocess.Popen([sys.executable, "-c", _ADD_ONES, str(file)]) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert file.read_text() == "60"
    assert os.listdir(tmp_path) == ["count"]


def test_the_lock_is_a_folder_beside_the_file(tmp_path: Path) -> None:
    with folder_lock(tmp_path / "a.json"):
        assert (tmp_path / "a.json.lock").is_dir()
    assert os.listdir(tmp_path) == []


def test_a_lock_left_by_a_crash_is_taken_over(tmp_path: Path) -> None:
    lock = tmp_path / "a.json.lock"
    lock.mkdir()
    os.utime(lock, (1, 1))
    with folder_lock(tmp_path / "a.json"):
        assert lock.stat().st_mtime > 1


def test_a_holder_that_does_not_let_go_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "a.json.lock"
    lock.mkdir()
    now = [lock.stat().st_mtime]

    def wait(seconds: float) -> None:
        now[0] += 1
        os.utime(lock, (now[0], now[0]))

    with (
        pytest.raises(FileLockedError, match=r"a\.json\.lock is held by another program"),
        folder_lock(tmp_path / "a.json", clock=lambda: now[0], wait=wait),
    ):
        pytest.fail("the lock was taken")
    assert lock.is_dir()


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    folder = tmp_path / "is-a-folder"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomic(folder, b"x")
    assert sorted(os.listdir(tmp_path)) == ["is-a-folder"]


_WRITE_TOO_MUCH = """
import resource, sys
from pathlib import Path
from sapwood.files import write_atomic
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_atomic(Path(sys.argv[1]), b"x" * 5000)
"""


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("precious")
    done = subprocess.run([sys.executable, "-c", _WRITE_TOO_MUCH, file], capture_output=True)
    assert b"File too large" in done.stderr
    assert file.read_text() == "precious"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.touch()
    os.chown(file, 1234, 1235)
    file.chmod(0o664)
    write_atomic(file, b"x")
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 1235, 0o664)


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a"
    versions = [bytes([letter]) * 1_000_000 for letter in b"ab"]
    file.write_bytes(versions[0])

    def write() -> None:
        for turn in range(30):
            write_atomic(file, versions[turn % 2])

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        assert file.read_bytes() in versions
    assert os.listdir(tmp_path) == ["a"]
    assert file.read_bytes() == versions[1]
