"""``sapwood demo`` shows what it promises, without a key and without the network."""

from __future__ import annotations

from pathlib import Path

from sapwood import SessionManager
from sapwood.modes.cli.demo import run_demo
from support.command import sapwood


def test_the_story_is_told_and_the_record_is_whole(tmp_path: Path) -> None:
    said: list[str] = []
    path = run_demo(said.append, tmp_path)
    told = "\n".join(said)
    for part in (
        "bash failed",
        "open for editing again",
        "kept of the other branch: Tried to wrap the text",
        "bash done: HELLO, ADA.",
        "compacted:",
        "Closed and opened again",
        "◀ here",
        str(path),
    ):
        assert part in told
    with SessionManager.open(path) as manager:
        kinds = [entry.type for entry in manager.get_entries()]
        assert kinds.count("compaction") == 1
        assert kinds.count("branch_summary") == 1
        assert manager.diagnostics == []


def test_the_command_needs_no_key(tmp_path: Path) -> None:
    done = sapwood(["demo"], cwd=tmp_path, agent_dir=tmp_path / "agent")
    assert done.returncode == 0
    assert b"HELLO, ADA." in done.stdout
    assert not (tmp_path / "agent").exists()
