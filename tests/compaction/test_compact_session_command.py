"""The functions behind `sapwood session compact` and `goto --summarize`, on real files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sapwood.context.projection import project
from sapwood.errors import CompactionError
from sapwood.modes.cli.compact_session import compact_session, summarize_and_go
from sapwood.session.manager import SessionManager

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions" / "18-mixed-3000.jsonl"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    return Path(shutil.copy(GOLDEN, tmp_path / "session.jsonl"))


def run(path: Path, *, dry_run: bool = False, as_json: bool = False) -> str:
    lines: list[str] = []
    compact_session(
        path, None, model=None, keep=500, dry_run=dry_run, as_json=as_json, echo=lines.append
    )
    return "\n".join(lines)


def test_a_dry_run_shows_the_plan_and_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    text = run(path, dry_run=True)
    assert path.read_bytes() == before
    assert "23 messages" in text
    assert "1,200 tokens" in text
    assert "## Goal" in text
    assert text.endswith("Nothing was written.")


def test_the_file_before_is_a_prefix_of_the_file_after(path: Path) -> None:
    before = path.read_bytes()
    run(path)
    after = path.read_bytes()
    assert after.startswith(before)
    added = after[len(before) :].splitlines()
    assert [json.loads(line)["type"] for line in added] == ["compaction"]


def test_the_dry_run_tells_what_then_happens(path: Path) -> None:
    planned = json.loads(run(path, dry_run=True, as_json=True))
    done = json.loads(run(path, as_json=True))
    assert planned["entryId"] is None
    assert {**planned, "entryId": done["entryId"]} == done
    with SessionManager.open(path, writer="none") as manager:
        compaction = project(manager.tree).compaction
    assert compaction is not None
    assert compaction.id == done["entryId"]
    assert compaction.data["summary"] == planned["summary"]


def test_nothing_to_gain_is_an_error_and_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(CompactionError, match="nothing to gain"):
        compact_session(path, None, model=None, keep=None, dry_run=False, as_json=False, echo=print)
    assert path.read_bytes() == before


def test_going_elsewhere_leaves_a_summary_there(path: Path) -> None:
    with SessionManager.open(path) as manager:
        left = manager.get_leaf()
        target = manager.get_branch()[5].id
        entry_id = summarize_and_go(manager, target, None)
        assert entry_id is not None
        entry = manager.tree.require(entry_id)
    assert (entry.parent_id, entry.data["fromId"]) == (target, left)
    assert "## Progress" in entry.data["summary"]


def test_nothing_to_compact_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report B79: told apart from a compaction that failed."""
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    with SessionManager.create(tmp_path, tmp_path) as manager:
        manager.append_message({"role": "user", "content": "hello", "timestamp": 1})
    assert manager.path is not None
    before = manager.path.read_bytes()
    assert run(manager.path) == ""
    assert run(manager.path, as_json=True) == "null"
    assert "nothing to compact" in capsys.readouterr().err
    assert manager.path.read_bytes() == before
