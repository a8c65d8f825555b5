"""``sapwood session import`` and the kinds of ``sapwood session export``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.session.manager import SessionManager
from support.foreign_logs import ClaudeLog, CodexLog, said, tool_use, write_log

KEY = "sk-ant-" + "api03-" + "a1B2c3D4" * 8


Run = Any


def test_import_prints_the_file_and_counts(run: Run, tmp_path: Path) -> None:
    log = ClaudeLog()
    log.user("look")
    log.assistant("m", tool_use("a", "Read", file_path="x"), tool_use("b", "Read", file_path="y"))
    log.result("b", "y")
    log.result("a", "x")
    source = write_log(tmp_path / "log.jsonl", log.records, torn='{"type":')
    before = source.read_bytes()
    path, counts = run("import", source).splitlines()
    assert Path(path).parent.parent == tmp_path / "agent" / "sessions"
    assert counts == "1 user, 1 assistant, 2 toolResult"
    assert run.err == "sapwood: damaged line: 1\n"
    assert source.read_bytes() == before
    assert "look" in run("tree", path)


def test_import_for_a_program(run: Run, tmp_path: Path) -> None:
    log = CodexLog()
    log.user("hi")
    log.assistant("hello")
    source = write_log(tmp_path / "rollout.jsonl", log.records)
    told = json.loads(run("import", source, "--json", "--session-dir", tmp_path / "kept"))
    path = Path(told.pop("path"))
    assert path.parent == tmp_path / "kept"
    assert told == {"format": "codex", "messages": {"user": 1, "assistant": 1}, "oddities": {}}


def test_import_says_in_a_line_what_it_cannot_take(run: Run, tmp_path: Path) -> None:
    other = write_log(tmp_path / "other.jsonl", [{"type": "user", "message": {"parts": []}}])
    for source in (other, tmp_path / "missing.jsonl", tmp_path):
        assert run("import", source, status=1) == ""
        assert run.err.count("\n") == 1
    assert not (tmp_path / "agent" / "sessions").exists()


@pytest.fixture
def session() -> Path:
    """question → first answer, and question → second answer; a key in the question."""
    with SessionManager.create(Path.cwd()) as manager:
        start = manager.append_message(
            {"role": "user", "content": f"question with {KEY}", "timestamp": 1}
        )
        for words in ("first answer", "second answer"):
            manager.branch(start)
            manager.append_message({"role": "assistant", "content": [said(words)], "timestamp": 1})
        assert manager.path is not None
        return manager.path


def entry_of(path: Path, text: str) -> str:
    with SessionManager.open(path, writer="none") as manager:
        return next(e.id for e in manager.get_entries() if text.encode() in e.raw)


def test_export_of_the_whole_tree_as_a_page(run: Run, session: Path) -> None:
    page = run("export", session, "--html")
    assert page.lower().startswith("<!doctype html>")
    assert "first answer" in page
    assert "second answer" in page
    assert run("export", session, "page.html") == "page.html\n"
    assert Path("page.html").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["--html", "--markdown"])
def test_export_of_one_path(run: Run, session: Path, kind: str) -> None:
    told = run("export", session, kind, "--at", entry_of(session, "first answer"))
    assert "first answer" in told
    assert "second answer" not in told
    active = run("export", session, kind, "--path-only")
    assert "second answer" in active
    assert "first answer" not in active


@pytest.mark.parametrize("kind", ["--html", "--markdown", "--jsonl"])
def test_export_masks_keys_and_says_how_many(run: Run, session: Path, kind: str) -> None:
    assert KEY in run("export", session, kind)
    masked = run("export", session, kind, "--mask")
    assert KEY not in masked
    assert "[masked]" in masked
    assert run.err.startswith("sapwood: ")
    assert KEY in session.read_text("utf-8")


def test_export_into_a_folder_takes_free_names(run: Run, session: Path) -> None:
    Path("out").mkdir()
    named = [run("export", session, "out", *kind).strip() for kind in ((), (), ("--markdown",))]
    assert [Path(name).suffix for name in named] == [".html", ".html", ".md"]
    assert len(set(named)) == len(list(Path("out").iterdir())) == 3


def test_export_kind_beside_the_name(run: Run, session: Path) -> None:
    run("export", session, "notes.txt", status=2)
    run("export", session, "notes.txt", "--markdown")
    assert "second answer" in Path("notes.txt").read_text("utf-8")
    run("export", session, "notes.txt", "--markdown", status=1)
    assert "--force" in run.err
    run("export", session, "notes.txt", "--html", "--force")
    assert Path("notes.txt").read_text("utf-8").lower().startswith("<!doctype html>")
