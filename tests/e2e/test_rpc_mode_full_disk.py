"""``sapwood --mode rpc`` on a full disk: told, stored as soon as it can be, not lost in silence."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood import SessionManager
from support.command import COMMAND
from support.stage import entries_of

if TYPE_CHECKING:
    from support.rpc import Rpc
    from support.stage import Stage

Build = Callable[..., "Stage"]
Start = Callable[..., "Rpc"]
ANSWERS = [{"text": "short"}, {"text": "a long answer " * 1000}, {"text": "last"}]


def filled(rpc: Rpc) -> Path:
    """Prompt twice; the second answer does not fit on the disk any more. The session's file."""
    rpc.prompt("one")
    path = Path(rpc.data("get_state")["sessionFile"])
    limit(rpc, path.stat().st_size + 1000)
    rpc.prompt("two")
    assert "File too large" in rpc.event("notice")["message"]
    return path


def limit(rpc: Rpc, size: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(rpc.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def answers(path: Path) -> list[str]:
    messages = [entry.get("message", {}) for entry in entries_of(path)]
    return [m["content"][0]["text"][:6] for m in messages if m.get("role") == "assistant"]


def test_what_did_not_fit_is_stored_with_the_next_message(stage_with: Build, start: Start) -> None:
    stage = stage_with(ANSWERS)
    with SessionManager.create(stage.project, stage.session_dir) as other:
        other.append_message({"role": "user", "content": "elsewhere", "timestamp": 1})
    rpc = start(stage)
    path = filled(rpc)
    assert answers(path) == ["short"]
    assert "File too large" in rpc.error("new_session")
    assert "File too large" in rpc.error("switch_session", sessionPath=str(other.path))
    limit(rpc, resource.RLIM_INFINITY)
    rpc.prompt("three")
    assert answers(path) == ["short", "a long", "last"]
    assert rpc.close() == 0


def test_what_is_lost_at_the_end_is_said(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with(ANSWERS), command=COMMAND)
    path = filled(rpc)
    assert rpc.close() == 1
    assert b"they are lost" in rpc.errors
    assert answers(path) == ["short"]
