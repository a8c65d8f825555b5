"""`sapwood session compact --model` and `goto --summarize --model` against a real HTTP server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sapwood.session import SessionManager
from support.command import sapwood
from support.fake_llm import SUMMARY
from support.stage import PROVIDER, Stage

MODEL = f"{PROVIDER}/fake-large"


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    stage = Stage(tmp_path, [{"text": "unused"}])
    yield stage
    stage.server.shutdown()
    stage.server.server_close()


def _say(manager: SessionManager, role: str, text: str) -> str:
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return manager.append_message({"role": role, "content": content, "timestamp": 1})


@pytest.fixture
def session(stage: Stage) -> Path:
    """Ten long turns, then a branch from the second one."""
    with SessionManager.create(stage.project, stage.session_dir) as manager:
        for turn in range(10):
            _say(manager, "user", f"Step {turn}: " + "look at the importer. " * 60)
            _say(manager, "assistant", f"Done with step {turn}. " + "It reads the file. " * 60)
        assert manager.path is not None
        return manager.path


def _run(stage: Stage, *arguments: str) -> str:
    done = sapwood(["session", *arguments], cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_a_model_writes_the_summary(stage: Stage, session: Path) -> None:
    before = session.read_bytes()
    printed = _run(
        stage, "compact", str(session), "keep the paths", "--model", MODEL, "--keep", "500"
    )
    assert "Afterwards" in printed
    assert session.read_bytes().startswith(before)
    (request,) = stage.requests
    assert request["kind"] == "summary"
    assert not request["body"].get("tools")
    assert "keep the paths" in str(request["body"])
    with SessionManager.open(session, writer="none") as manager:
        entry = manager.get_leaf_entry()
        assert entry is not None
        assert entry.type == "compaction"
        assert "Finish the scripted task." in entry.data["summary"]
        assert entry.data["fromHook"] is False
        assert entry.data["usage"]["output"] > 0


def test_a_model_summarizes_the_branch_that_is_left(stage: Stage, session: Path) -> None:
    before = session.read_bytes()
    with SessionManager.open(session, writer="none") as manager:
        target, left = manager.get_branch()[3].id, manager.get_leaf()
    _run(stage, "goto", str(session), target, "--summarize", "the importer", "--model", MODEL)
    assert session.read_bytes().startswith(before)
    assert [request["kind"] for request in stage.requests] == ["summary"]
    assert "the importer" in str(stage.requests[0]["body"])
    with SessionManager.open(session, writer="none") as manager:
        entry = manager.get_leaf_entry()
        assert entry is not None
        assert (entry.type, entry.parent_id) == ("branch_summary", target)
        assert entry.data["fromId"] == left
        assert SUMMARY.splitlines()[1] in entry.data["summary"]


def test_an_unknown_model_changes_nothing(stage: Stage, session: Path) -> None:
    before = session.read_bytes()
    done = sapwood(
        ["session", "compact", str(session), "--model", "nobody/none", "--keep", "500"],
        cwd=stage.project,
        agent_dir=stage.agent_dir,
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert session.read_bytes() == before
