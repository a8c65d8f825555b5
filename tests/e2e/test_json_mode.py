"""``sapwood --mode json``: one record per line, in the documented order, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from support.command import sapwood, start_sapwood, wait_until

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


def records(stage: Stage, *arguments: str) -> tuple[int, list[dict[str, Any]], bytes]:
    done = sapwood(["--mode", "json", *arguments], cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.stdout.endswith(b"\n")
    assert b"\r" not in done.stdout
    lines = done.stdout.decode().split("\n")[:-1]
    return done.returncode, [json.loads(line) for line in lines], done.stderr


def test_the_header_comes_first_and_records_end_in_lf_only(stage_with: Build) -> None:
    stage = stage_with([{"text": "line\u2028separator\r\nand more"}])
    status, found, errors = records(stage, "hello")
    assert (status, errors) == (0, b"")
    assert found[0]["type"] == "session"
    assert found[0]["cwd"] == str(stage.project)
    assert found[-1] == {"type": "agent_settled", "aborted": False}
    ended = [r["message"] for r in found if r["type"] == "message_end"]
    assert ended[-1]["content"] == [{"type": "text", "text": "line\u2028separator\r\nand more"}]


def test_the_text_is_the_sum_of_its_deltas(stage_with: Build) -> None:
    stage = stage_with([{"text": "word " * 300, "thinking": "hm"}])
    _, found, _ = records(stage, "hello")
    updates = [r["assistantMessageEvent"] for r in found if r["type"] == "message_update"]
    deltas = [u["delta"] for u in updates if u["type"] == "text_delta"]
    assert len(deltas) > 1
    assert "".join(deltas) == "word " * 300
    assert next(u for u in updates if u["type"] == "text_end")["content"] == "word " * 300


def test_tools_and_recovery_in_order(stage_with: Build) -> None:
    call = {"name": "bash", "arguments": {"command": "echo hi"}}
    stage = stage_with(
        [{"error": "500"}, {"tools": [call]}, {"text": "done"}],
        settings={"retry": {"baseDelayMs": 1}},
    )
    _, found, _ = records(stage, "hello")
    kinds = [
        record["type"]
        for record in found
        if record["type"] not in ("message_update", "tool_execution_update")
    ]
    start = kinds.index("agent_end")
    assert kinds[start : start + 6] == [
        "agent_end",
        "auto_retry_start",
        "entry_appended",
        "agent_start",
        "turn_start",
        "message_start",
    ]
    assert found[[r["type"] for r in found].index("agent_end")]["willRetry"] is True
    assert kinds[-7:] == [
        "turn_end",
        "turn_start",
        "message_start",
        "message_end",
        "turn_end",
        "agent_end",
        "agent_settled",
    ]
    executed = next(record for record in found if record["type"] == "tool_execution_end")
    assert executed["result"]["content"][0]["text"].startswith("hi")
    assert executed["isError"] is False
    assert executed["durationMs"] >= 0


def test_a_failed_run_is_status_1_with_the_reason_on_standard_error(stage_with: Build) -> None:
    bad = {"error": {"status": 400, "body": {"error": {"message": "no such thing"}}}}
    status, found, errors = records(stage_with([bad]), "hello")
    assert status == 1
    assert b"no such thing" in errors
    assert found[-1]["type"] == "agent_settled"


def test_two_compactions_with_one_summary_are_told_apart(stage_with: Build) -> None:
    """B73: the record names the entry just appended."""
    from support.stage import words

    stage = stage_with(
        [
            {"text": words("a", 400), "usage": {"prompt": 7000, "completion": 20}},
            {"text": words("b", 400), "usage": {"prompt": 7000, "completion": 20}},
            {"text": words("c", 400), "usage": {"prompt": 7000, "completion": 20}},
        ],
        settings={"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}},
    )
    _, found, _ = records(stage, *(words(f"q{number}", 400) for number in range(3)))
    ends = [record for record in found if record["type"] == "compaction_end" and "result" in record]
    stored = [
        record["entry"]["id"]
        for record in found
        if record["type"] == "entry_appended" and record["entry"]["type"] == "compaction"
    ]
    assert len(ends) >= 2
    assert [end["result"]["entryId"] for end in ends] == stored


def test_a_reader_that_leaves_stops_the_run(stage_with: Build) -> None:
    stage = stage_with([{"text": "slow " * 100, "delay": 1}])
    process = start_sapwood(
        ["--mode", "json", "hello", "again"], cwd=stage.project, agent_dir=stage.agent_dir
    )
    assert process.stdout is not None
    assert process.stderr is not None
    wait_until(lambda: bool(stage.requests))
    process.stdout.close()
    stage.push({"text": "never asked for"})
    assert process.wait(60) == 1
    assert b"Nobody reads the records" in process.stderr.read()
    assert len(stage.requests) == 1
