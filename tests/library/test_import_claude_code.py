"""Logs of Claude Code come in whole: counts, calls, branches, compactions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sapwood.context.projection import project
from sapwood.context.request import build_request
from sapwood.library.importing import IMPORT_TYPE, import_session
from sapwood.session.manager import SessionManager
from support.foreign_logs import PIXEL, ClaudeLog, said, stamp, tool_use, write_log
from support.request_checker import faults


@pytest.fixture
def log() -> ClaudeLog:
    return ClaudeLog()


def imported(log: ClaudeLog, folder: Path, torn: str = "") -> SessionManager:
    source = write_log(folder / "log.jsonl", log.records, torn)
    path = import_session(source, folder, folder / "sessions")
    assert path.parent == folder / "sessions"
    assert path.stat().st_mode & 0o777 == 0o600
    return SessionManager.open(path, writer="none")


def roles(manager: SessionManager) -> Counter[str]:
    return Counter(entry.message["role"] for entry in manager.get_entries() if entry.message)


def request(manager: SessionManager) -> list[Any]:
    messages = build_request(project(manager.tree)).messages
    assert faults(messages) == []
    return list(messages)


def about(manager: SessionManager) -> dict[str, Any]:
    data = manager.get_entries()[0].data
    assert data["customType"] == IMPORT_TYPE
    found: dict[str, Any] = data["data"]
    return found


def test_parallel_calls_of_one_answer_keep_all_results(log: ClaudeLog, tmp_path: Path) -> None:
    log.user("look at both")
    log.assistant("m1", {"type": "thinking", "thinking": "hm", "signature": "foreign"})
    first = log.assistant("m1", tool_use("a", "Read", file_path="a.py"))
    log.add("progress", data={"type": "hook_progress"}, parent=first)
    log.last = first
    second = log.assistant("m1", tool_use("b", "Read", file_path="b.py"))
    log.result("b", "text of b", parent=second)
    log.result("a", [said("text of a")], parent=first, error=True)
    log.assistant("m2", said("done"))
    manager = imported(log, tmp_path)
    assert roles(manager) == {"user": 1, "assistant": 2, "toolResult": 2}
    path = [entry.message for entry in manager.get_branch() if entry.message]
    assert [message["role"] for message in path] == [
        "user", "assistant", "toolResult", "toolResult", "assistant",
    ]  # fmt: skip
    answer = path[1]
    assert answer["content"][0] == {"type": "thinking", "thinking": "hm"}
    assert [block["name"] for block in answer["content"][1:]] == ["Read", "Read"]
    assert (answer["model"], answer["stopReason"]) == ("claude-opus-4-5", "toolUse")
    usage = {k: v for k, v in answer["usage"].items() if k != "cost"}
    assert usage == {
        "input": 3, "output": 11, "cacheRead": 100, "cacheWrite": 20, "totalTokens": 134,
    }  # fmt: skip
    results = {m["toolCallId"]: (m["toolName"], m["isError"]) for m in path[2:4]}
    assert results == {"a": ("Read", True), "b": ("Read", False)}
    messages = request(manager)
    assert [m["toolCallId"] for m in messages if m["role"] == "toolResult"] == ["a", "b"]
    assert about(manager)["skipped"] == {"progress": 1}


def test_times_name_and_provenance(log: ClaudeLog, tmp_path: Path) -> None:
    log.user("hello")
    log.assistant("m1", said("hi"))
    log.records.append({"type": "ai-title", "aiTitle": "A greeting\nagain"})
    log.records.append({"type": "summary", "summary": "not this", "leafUuid": "uuid-1"})
    manager = imported(log, tmp_path)
    entries = [entry for entry in manager.get_entries() if entry.message]
    assert [entry.timestamp for entry in entries] == [stamp(0), stamp(1)]
    assert manager.header["timestamp"] == stamp(0)
    assert manager.header.get("cwd") == str(tmp_path)
    assert manager.get_session_name() == "A greeting again"
    data = about(manager)
    assert data["source"] == str(tmp_path / "log.jsonl")
    assert data["format"] == "claude-code"
    assert data["recorded"]["id"] == "../../etc/passwd"
    assert data["recorded"]["cwd"] == "/elsewhere"
    assert list((tmp_path / "sessions").iterdir()) == [manager.path]


def test_a_call_without_result_stays_open_and_is_answered_in_requests(
    log: ClaudeLog, tmp_path: Path
) -> None:
    log.user("run it")
    log.assistant("m1", tool_use("a", "Bash", command="sleep 9"))
    log.user([said("[Request interrupted by user]")])
    manager = imported(log, tmp_path)
    assert roles(manager) == {"user": 2, "assistant": 1}
    assert [m["role"] for m in request(manager)][:3] == ["user", "assistant", "toolResult"]


def test_a_rewind_and_a_sidechain_are_branches(log: ClaudeLog, tmp_path: Path) -> None:
    log.user("start")
    base = log.assistant("m1", said("ready"))
    log.user("the wrong way")
    log.assistant("m2", said("lost"))
    log.user("the right way", parent=base)
    log.assistant("m3", tool_use("t", "Task", prompt="count files"))
    main = log.result("t", "7 files")
    log.user("count files", parent=None, isSidechain=True)
    log.assistant("s1", said("seven"), isSidechain=True)
    log.assistant("m4", said("found"), parent=main)
    log.user("and a late sidechain", parent=None, isSidechain=True)
    manager = imported(log, tmp_path)
    assert roles(manager) == {"user": 5, "assistant": 5, "toolResult": 1}
    words = [str(m["content"]) for m in request(manager)]
    assert any("right way" in each for each in words)
    assert any("found" in each for each in words)
    assert not any("wrong way" in each or "seven" in each for each in words)


def test_a_compaction_keeps_its_summary_alone(log: ClaudeLog, tmp_path: Path) -> None:
    log.user("long ago")
    before = log.assistant("m1", said("old answer"))
    log.add(
        "system", subtype="compact_boundary", parent=None, logicalParentUuid=before,
        compactMetadata={"trigger": "auto", "preTokens": 150_000}, content="Conversation compacted",
    )  # fmt: skip
    log.user("This session is being continued: SUMMARY", isCompactSummary=True)
    log.user("go on")
    manager = imported(log, tmp_path)
    compaction = next(e for e in manager.get_entries() if e.type == "compaction")
    assert compaction.data["tokensBefore"] == 150_000
    assert compaction.data["firstKeptEntryId"] == compaction.id
    words = str(request(manager))
    assert "SUMMARY" in words
    assert "go on" in words
    assert "old answer" not in words
    assert manager.diagnostics == []
    assert roles(manager) == {"user": 2, "assistant": 1}


def test_images_unknown_parts_and_what_was_not_typed(log: ClaudeLog, tmp_path: Path) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    log.user([said("see"), {"type": "image", "source": source}, {"type": "hologram", "x": 1}])
    log.user("<command-name>/clear</command-name>")
    log.assistant("m1", said("ok"), {"type": "server_thing", "deep": {"a": [1]}})
    log.add("brand-new-record", data=1)
    manager = imported(log, tmp_path)
    assert roles(manager) == {"user": 1, "assistant": 1}
    first = next(e.message for e in manager.get_entries() if e.message)
    assert first is not None
    assert first["content"][1] == {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    assert "hologram" in first["content"][2]["text"]
    assert "Claude Code" in first["content"][2]["text"]
    assert "server_thing" in str(request(manager))
    assert about(manager)["skipped"] == {"brand-new-record": 1}


def test_damage_is_counted_and_nothing_else_is_lost(log: ClaudeLog, tmp_path: Path) -> None:
    log.user("one")
    log.assistant("m1", said("two"))
    log.records.append(log.records[0])
    log.user("three", parent="gone")
    log.records.insert(1, ["no", "record"])  # type: ignore[arg-type]
    deep = "[" * 500 + "]" * 500
    manager = imported(log, tmp_path, torn=f'{{"type":"user","x":{deep}}}\n{{"type":"user","mess')
    assert roles(manager) == {"user": 2, "assistant": 1}
    assert about(manager)["oddities"] == {
        "not an object": 1, "record twice": 1, "parent missing": 1, "nested too deeply": 1,
        "damaged line": 1,
    }  # fmt: skip


def test_fields_of_the_wrong_type_are_no_failure(log: ClaudeLog, tmp_path: Path) -> None:
    log.user("one")
    for wrong in (None, 7, [], {}, "x", [None], [{"type": 5}], {"id": [], "content": 3}):
        log.add("assistant", message=wrong, timestamp=wrong)
        log.add("user", message={"content": wrong}, sessionId=wrong)
        log.add("system", subtype="compact_boundary", compactMetadata=wrong, content=wrong)
        log.add("assistant", message={"content": [{"type": "tool_use", "input": wrong}]})
        log.records.append({"type": wrong, "uuid": wrong, "parentUuid": wrong})
    log.user("last")
    manager = imported(log, tmp_path)
    assert "last" in str(request(manager))
