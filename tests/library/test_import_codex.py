"""Rollouts of Codex come in whole: answers, calls, usage, rollbacks, compactions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sapwood.context.projection import project
from sapwood.context.request import build_request
from sapwood.library.importing import import_session
from sapwood.session.manager import SessionManager
from support.foreign_logs import PIXEL, CodexLog, stamp, write_log
from support.request_checker import faults


@pytest.fixture
def log() -> CodexLog:
    return CodexLog()


def imported(records: list[Any], folder: Path, torn: str = "") -> SessionManager:
    source = write_log(folder / "rollout.jsonl", records, torn)
    return SessionManager.open(import_session(source, folder, folder / "sessions"), writer="none")


def roles(manager: SessionManager) -> Counter[str]:
    return Counter(entry.message["role"] for entry in manager.get_entries() if entry.message)


def messages(manager: SessionManager) -> list[dict[str, Any]]:
    return [entry.message for entry in manager.get_branch() if entry.message]


def request(manager: SessionManager) -> list[Any]:
    found = list(build_request(project(manager.tree)).messages)
    assert faults(found) == []
    return found


def test_parallel_calls_usage_and_failures(log: CodexLog, tmp_path: Path) -> None:
    log.user("<environment_context>cwd</environment_context>")
    log.user("list both")
    log.event("user_message", message="list both")
    log.item("reasoning", summary=[{"type": "summary_text", "text": "why"}], encrypted_content="Z")
    log.assistant("I look")
    log.call("c1", "shell", command=["ls", "a"])
    log.call("c2", "shell", command=["ls", "b"])
    used = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 9}
    for _ in range(2):
        log.event("token_count", info={"total_token_usage": used, "last_token_usage": used})
    log.output("c1", json.dumps({"output": "a.py", "metadata": {"exit_code": 0}}))
    log.output("c2", "Exit code: 2\nWall time: 1\nOutput:\nno b")
    log.assistant("b is missing")
    manager = imported(log.records, tmp_path, torn='{"timestamp":')
    assert roles(manager) == {"user": 1, "assistant": 2, "toolResult": 2}
    answer = messages(manager)[1]
    assert [block["type"] for block in answer["content"]] == [
        "thinking", "text", "toolCall", "toolCall",
    ]  # fmt: skip
    assert answer["content"][0] == {"type": "thinking", "thinking": "why"}
    assert (answer["provider"], answer["model"]) == ("openai", "gpt-5-codex")
    assert answer["stopReason"] == "toolUse"
    kept = {k: answer["usage"][k] for k in ("input", "output", "cacheRead", "cacheWrite")}
    assert kept == {"input": 40, "output": 9, "cacheRead": 60, "cacheWrite": 0}
    assert messages(manager)[4]["usage"]["totalTokens"] == 0
    first, second = messages(manager)[2:4]
    assert (first["toolName"], first["content"][0]["text"], first["isError"]) == (
        "shell", "a.py", False,
    )  # fmt: skip
    assert second["isError"]
    assert [m["role"] for m in request(manager)].count("toolResult") == 2
    data = manager.get_entries()[0].data["data"]
    assert data["format"] == "codex"
    assert data["oddities"] == {"damaged line": 1}
    assert data["recorded"] == {"id": "../0199", "cwd": "/elsewhere", "version": "0.58.0"}
    assert manager.get_entries()[-1].timestamp == stamp(len(log.records) - 1)


def test_a_rollback_makes_a_branch(log: CodexLog, tmp_path: Path) -> None:
    log.user("one")
    log.assistant("first")
    log.user("two")
    log.assistant("second")
    log.event("thread_rolled_back", num_turns=1)
    log.user("two again")
    log.event("thread_name_updated", thread_name="Counting")
    manager = imported(log.records, tmp_path)
    assert roles(manager) == {"user": 3, "assistant": 2}
    assert [m["content"][0]["text"] for m in messages(manager)] == ["one", "first", "two again"]
    assert manager.get_session_name() == "Counting"


def test_a_rollback_at_the_end_is_where_the_session_stands(log: CodexLog, tmp_path: Path) -> None:
    log.user("one")
    log.assistant("first")
    log.user("two")
    log.event("thread_rolled_back", num_turns=1)
    manager = imported(log.records, tmp_path)
    assert [m["content"][0]["text"] for m in messages(manager)] == ["one", "first"]


def test_a_compaction_keeps_summary_and_the_users_words(log: CodexLog, tmp_path: Path) -> None:
    log.user("remember the milk")
    log.assistant("an answer that goes")
    kept = [{"type": "message", "role": "user", "content": [{"text": "remember the milk"}]}]
    log.add("compacted", {"message": "SUMMARY", "replacement_history": kept})
    log.user("go on")
    manager = imported(log.records, tmp_path)
    words = str(request(manager))
    assert "SUMMARY" in words
    assert "milk" in words
    assert "answer that goes" not in words


def test_images_custom_tools_and_unknown_items(log: CodexLog, tmp_path: Path) -> None:
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}
    log.item("message", role="user", content=[{"type": "input_text", "text": "see"}, image])
    log.item("custom_tool_call", call_id="p", name="apply_patch", input="*** Begin Patch")
    log.item("custom_tool_call_output", call_id="p", output=[image])
    log.item("web_search_call", action={"query": "weather"})
    log.item("telepathy", thought="?")
    log.event("turn_aborted", reason="interrupted")
    manager = imported(log.records, tmp_path)
    assert roles(manager) == {"user": 1, "assistant": 2, "toolResult": 1}
    first, call, result, last = messages(manager)
    pixel = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    assert first["content"][1] == pixel
    assert call["content"][0]["arguments"] == {"input": "*** Begin Patch"}
    assert result["content"] == [pixel]
    assert ["web_search_call" in last["content"][0]["text"], "telepathy" in str(last)] == [True] * 2
    assert last["stopReason"] == "aborted"
    request(manager)


def test_the_bare_lines_of_2025(tmp_path: Path) -> None:
    records = [
        {"id": "x", "timestamp": stamp(5), "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "not JSON", "call_id": "c"},
    ]
    manager = imported(records, tmp_path)
    assert roles(manager) == {"user": 1, "assistant": 1}
    assert {entry.timestamp for entry in manager.get_entries()} == {stamp(5)}
    assert messages(manager)[1]["content"][0]["arguments"] == {"input": "not JSON"}
    assert [m["role"] for m in request(manager)] == ["user", "assistant", "toolResult"]


def test_an_aborted_turn_keeps_what_has_results(log: CodexLog, tmp_path: Path) -> None:
    log.user("go")
    log.call("c", "shell", command="ls")
    log.output("c", "a.py")
    log.event("turn_aborted", reason="interrupted")
    log.user("go on")
    words = str(request(imported(log.records, tmp_path)))
    assert "a.py" in words
    assert "go on" in words


def test_fields_of_the_wrong_type_are_no_failure(log: CodexLog, tmp_path: Path) -> None:
    log.user("one")
    kinds = ("message", "reasoning", "function_call", "function_call_output", "local_shell_call")
    names = ("role", "content", "summary", "arguments", "output", "call_id", "name", "action")
    for wrong in (None, 7, [], {}, "x", [None], [{"type": 5}], {"id": []}, "[" * 5000):
        for kind in kinds:
            log.item(kind, **dict.fromkeys(names, wrong))
        for event in ("token_count", "thread_rolled_back", "thread_name_updated"):
            log.event(event, **dict.fromkeys(("info", "num_turns", "thread_name"), wrong))
        log.add("compacted", {"message": wrong, "replacement_history": wrong})
        log.add("turn_context", {"model": wrong})
    log.user("last")
    assert "last" in str(request(imported(log.records, tmp_path)))
