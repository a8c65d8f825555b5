"""Writers killed with SIGKILL at random moments lose nothing that was acknowledged."""

from __future__ import annotations

import json
import os
import random
import select
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from sapwood.session import SessionManager
from support.message_makers import assistant, user

TEXT = "ä 日本 👩‍👩‍👧 "


def killed_while(work: Callable[[int], None], moment: float) -> list[str]:
    """Fork a child, kill it after ``moment`` seconds; the ids it acknowledged until then."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(send)
        finally:
            os._exit(1)
    os.close(send)
    acknowledged = b""
    select.select([receive], [], [], 10)  # it is at work
    select.select([], [], [], moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(receive, 1 << 16):
        acknowledged += piece
    os.close(receive)
    return acknowledged.decode().split("\n")[:-1]


def appending(path: Path, seed: int) -> Callable[[int], None]:
    def work(out: int) -> None:
        chance = random.Random(seed)
        manager = SessionManager.open(path)
        while True:
            text = TEXT * chance.choice([1, 1, 20, 2_000])
            message = user(text) if chance.random() < 0.5 else assistant(text)
            os.write(out, manager.append_message(message).encode() + b"\n")

    return work


def unreadable(path: Path) -> int:
    count = 0
    for line in path.read_bytes().split(b"\n"):
        try:
            json.loads(line or b"0")
        except ValueError:
            count += 1
    return count


@pytest.mark.parametrize("kills", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)
    acknowledged: list[str] = []
    torn = 0
    path = tmp_path / "none"
    for kill in range(kills):
        if kill % 20 == 0:
            acknowledged, torn = [], 0
            with SessionManager.create("/work", tmp_path) as manager:
                acknowledged.append(manager.append_message(user("start")))
                assert manager.path is not None
                path = manager.path
        acknowledged += killed_while(appending(path, kill), chance.uniform(0, 0.01))
        with SessionManager.open(path) as manager:
            present = {entry.id for entry in manager.get_entries()}
            assert present.issuperset(acknowledged)
            assert unreadable(path) - torn in (0, 1)
            acknowledged.append(manager.append_message(user("after the kill")))
            assert manager.get_branch()[-1].id == acknowledged[-1]
        torn = unreadable(path)
        with SessionManager.open(path, writer="none") as manager:
            assert manager.get_leaf() == acknowledged[-1]
            assert {found.kind for found in manager.diagnostics} <= {"unreadable-line"}
            assert len(manager.get_branch()) == len(manager.get_entries())


@pytest.mark.parametrize(
    "megabytes", [pytest.param(4, id="4MB"), pytest.param(50, marks=pytest.mark.slow)]
)
def test_a_killed_fork_leaves_no_half_file(tmp_path: Path, megabytes: int) -> None:
    source_dir, fork_dir = tmp_path / "source", tmp_path / "forks"
    with SessionManager.create("/work", source_dir) as manager:
        manager.append_message(user("start"))
        for _ in range(megabytes * 10):
            manager.append_message(assistant("x" * 100_000))
        leaf, source = manager.get_leaf(), manager.path
    assert leaf is not None
    assert source is not None
    before = source.read_bytes()

    def work(out: int) -> None:
        with SessionManager.open(source, fork_dir, writer="none") as manager:
            os.write(out, b"started\n")
            while True:
                manager.branched(leaf).close()

    chance = random.Random(3)
    for _ in range(30):
        killed_while(work, chance.uniform(0, 0.02 * megabytes))
        for path in fork_dir.glob("*.jsonl") if fork_dir.exists() else ():
            with SessionManager.open(path) as fork:
                assert fork.get_leaf() == leaf
                assert fork.diagnostics == []
            path.unlink()
        assert list(fork_dir.glob(".*")) == []  # no temporary file either
    assert source.read_bytes() == before
