"""Two processes at one session: shared, nothing is lost; exclusive, the second is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from sapwood.session import SessionManager
from support.message_makers import user

WRITER = """
import sys
from sapwood.session import SessionManager
path, name = sys.argv[1:]
manager = SessionManager.open(path, writer="shared")
print("ready", flush=True)
sys.stdin.readline()
for number in range(500):
    manager.append_message({"role": "user", "content": f"{name} {number}", "timestamp": number})
print("done", flush=True)
sys.stdin.readline()
manager.append_session_info(name)
seen = [e.message["content"] for e in manager.get_entries() if e.message]
print(sum(text.startswith("one ") for text in seen), sum(text.startswith("two ") for text in seen))
manager.close()
"""

SECOND = """
import sys
from sapwood.errors import SessionLockedError
from sapwood.session import SessionManager
try:
    SessionManager.open(sys.argv[1])
except SessionLockedError as error:
    print(error)
"""


def start(path: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def new_session(folder: Path) -> Path:
    with SessionManager.create("/work", folder) as manager:
        manager.append_message(user("start"))
        assert manager.path is not None
        return manager.path


def test_two_times_500_shared_appends_are_all_there_and_both_see_them(tmp_path: Path) -> None:
    path = new_session(tmp_path)
    writers = [start(path, "one"), start(path, "two")]
    assert [hear(writer) for writer in writers] == ["ready", "ready"]
    for writer in writers:
        tell(writer)
    assert [hear(writer) for writer in writers] == ["done", "done"]
    for writer in writers:
        tell(writer)
    assert [writer.communicate()[0].strip() for writer in writers] == ["500 500", "500 500"]

    lines = path.read_bytes().split(b"\n")
    assert len([json.loads(line) for line in lines if line]) == 1 + 1 + 1000 + 2
    with SessionManager.open(path) as manager:
        assert manager.diagnostics == []
        for name in ("one", "two"):
            own = [
                entry
                for entry in manager.get_entries()
                if entry.message and entry.message["content"].startswith(name)
            ]
            assert [entry.message["content"] for entry in own if entry.message] == [
                f"{name} {number}" for number in range(500)
            ]
            assert [entry.parent_id for entry in own[1:]] == [entry.id for entry in own[:-1]]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_second_exclusive_writer_is_refused_and_told(tmp_path: Path) -> None:
    path = new_session(tmp_path)
    with SessionManager.open(path) as manager:
        second = subprocess.run(
            [sys.executable, "-c", SECOND, str(path)], capture_output=True, text=True, check=True
        )
        manager.append_message(user("undisturbed"))
    assert "open for writing by pid" in second.stdout
    assert "read-only or fork" in second.stdout
