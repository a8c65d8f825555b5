"""``sapwood --mode rpc`` as a line protocol: bad lines, long lines, odd readers, and the end."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import wait_until
from support.stage import entries_of

if TYPE_CHECKING:
    from support.rpc import Rpc
    from support.stage import Stage

Build = Callable[..., "Stage"]
Start = Callable[..., "Rpc"]

BAD_LINES = {
    b"not json": "not valid JSON",
    b"": "not valid JSON",
    b"[1]": "not a JSON object",
    b"null": "not a JSON object",
    b"\xff\xfe": "not valid JSON",
    b'{"type": "get_state"': "not valid JSON",
}


def test_a_bad_line_gets_an_error_and_the_next_one_is_taken(
    stage_with: Build, start: Start
) -> None:
    rpc = start(stage_with())
    for line in BAD_LINES:
        rpc.send_bytes(line + b"\n")
    rpc.data("abort")
    refused = rpc.find(lambda r: r.get("command") == "parse")
    assert len(refused) == len(BAD_LINES)
    for response, reason in zip(refused, BAD_LINES.values(), strict=True):
        assert response.keys() == {"type", "command", "success", "error"}
        assert (response["type"], response["success"]) == ("response", False)
        assert reason in response["error"]


def test_an_unknown_command_is_refused_with_its_id(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with())
    assert rpc.error("dance") == "There is no command dance."
    rpc.send_bytes(b'{"id": {"odd": [1]}, "type": 5}\n{"id": "none"}\n')
    assert rpc.response({"odd": [1]})["error"] == "There is no command 5."
    assert rpc.response("none") == {
        "id": "none",
        "type": "response",
        "success": False,
        "error": "The line names no command in type.",
    }


def test_fields_of_another_kind_are_refused(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with())
    assert rpc.error("prompt") == "prompt needs a text in message."
    assert rpc.error("steer", message=" \n") == "The message is empty."
    assert rpc.error("set_auto_retry", enabled="yes") == (
        "set_auto_retry needs true or false in enabled."
    )
    assert rpc.error("bash", command="true", excludeFromContext=1) == (
        "bash needs true or false in excludeFromContext."
    )
    assert rpc.error("set_steering_mode", mode="some").startswith("There is no mode some")
    assert rpc.error("set_thinking_level", level="deep") == "There is no thinking level deep."


def test_lines_end_in_lf_only_and_may_be_torn_anywhere(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "out\u2028side\r\nin\u0085"}])
    rpc = start(stage)
    line = json.dumps({"type": "prompt", "message": "in\u2028side\u2029"}, ensure_ascii=False)
    data = line.encode() + b"\r\n"
    middle = data.index("\u2028".encode()) + 1
    rpc.send_bytes(data[:middle])
    rpc.send_bytes(data[middle:])
    rpc.event("agent_settled")
    assert rpc.data("get_last_assistant_text") == {"text": "out\u2028side\r\nin\u0085"}
    assert stage.bodies()[0]["messages"][-1]["content"] == "in\u2028side\u2029"


def test_a_very_long_line_is_taken_whole(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with())
    name = "long " * 2_000_000
    rpc.send(id="n", type="set_session_name", name=name)
    rpc.data("abort")
    assert rpc.response("n")["success"]
    assert rpc.data("get_state")["sessionName"] == name.strip()


def test_nobody_needs_to_wait_until_the_session_is_ready(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with([{"text": "quick"}]))
    rpc.send_bytes(b'{"type":"prompt","message":"go"}\n{"id":"s","type":"get_state"}')
    assert rpc.process.stdin is not None
    rpc.process.stdin.close()  # the last line need not be ended
    assert rpc.end() == 0
    assert rpc.response("s")["data"]["isStreaming"] is True


def test_the_end_of_input_ends_what_runs_in_order(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "never seen", "delay": 30}])
    rpc = start(stage)
    rpc.send(id="p", type="prompt", message="go")
    rpc.send(id="b", type="bash", command="echo begun; sleep 60")
    rpc.data("follow_up", message="never sent")
    wait_until(lambda: bool(stage.requests))
    rpc.event("bash_execution_update")
    path = Path(rpc.data("get_state")["sessionFile"])
    assert rpc.close() == 0
    assert rpc.all("agent_settled") == [{"type": "agent_settled", "aborted": True}]
    assert rpc.response("b")["data"]["cancelled"] is True
    roles = [e["message"]["role"] for e in entries_of(path) if e["type"] == "message"]
    assert sorted(roles) == ["assistant", "bashExecution", "system", "user"]
    again = start(stage, "--session", str(path))
    assert again.data("get_state")["messageCount"] == 4


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order(stage_with: Build, start: Start, number: int) -> None:
    stage = stage_with([{"text": "never seen", "delay": 30}])
    rpc = start(stage)
    rpc.send(type="prompt", message="go")
    wait_until(lambda: bool(stage.requests))
    path = Path(rpc.data("get_state")["sessionFile"])
    rpc.process.send_signal(number)
    assert rpc.end() == 128 + number
    assert rpc.all("agent_settled") == [{"type": "agent_settled", "aborted": True}]
    assert entries_of(path)[-1]["message"]["stopReason"] == "aborted"


def test_a_reader_that_leaves_ends_it(stage_with: Build) -> None:
    from support.command import start_sapwood

    stage = stage_with([{"text": "slow", "delay": 30}])
    process = start_sapwood(
        ["--mode", "rpc"], cwd=stage.project, agent_dir=stage.agent_dir, stdin=-1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b'{"type":"prompt","message":"go"}\n')
    process.stdin.flush()
    wait_until(lambda: bool(stage.requests))
    process.stdout.close()
    process.stdin.write(b'{"type":"get_state"}\n')
    process.stdin.flush()
    assert process.wait(60) == 1
    assert b"Nobody reads the records any more" in process.stderr.read()
    (path,) = (stage.agent_dir / "sessions").rglob("*.jsonl")
    assert entries_of(path)[-1]["message"]["stopReason"] == "aborted"


def test_a_reader_that_does_not_read_holds_up_nothing(stage_with: Build) -> None:
    """Megabytes wait to be read; the command is still run, aborted and stored."""
    from support.command import start_sapwood

    stage = stage_with()
    process = start_sapwood(
        ["--mode", "rpc"], cwd=stage.project, agent_dir=stage.agent_dir, stdin=-1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    marker = stage.project / "done"
    command = f"seq 1 3000000; touch {marker}; sleep 60"
    process.stdin.write(json.dumps({"id": "b", "type": "bash", "command": command}).encode())
    process.stdin.write(b"\n")
    process.stdin.flush()
    wait_until(marker.exists)
    process.stdin.write(b'{"id":"a","type":"abort_bash"}\n')
    process.stdin.close()
    records = [json.loads(line) for line in process.stdout]
    assert process.wait(60) == 0
    updates = [r for r in records if r["type"] == "bash_execution_update"]
    told = sum(len(update["delta"]) for update in updates)
    left_out = sum(update.get("skipped", 0) for update in updates)
    assert told + left_out == sum(len(f"{number}\n") for number in range(1, 3_000_001))
    assert left_out > 0
    (response,) = [r for r in records if r.get("id") == "b" and r["type"] == "response"]
    assert response["data"]["cancelled"] is True
    assert response["data"]["output"].endswith("2999999\n3000000")


def test_output_into_a_file_and_commands_from_one(stage_with: Build, tmp_path: Path) -> None:
    from support.command import start_sapwood

    stage = stage_with()
    commands, records = tmp_path / "commands", tmp_path / "records"
    commands.write_bytes(b'{"id":"1","type":"get_state"}\n{"id":"2","type":"get_tree"}\n')
    with commands.open("rb") as source, records.open("wb") as target:
        process = start_sapwood(
            ["--mode", "rpc", "--no-session"],
            cwd=stage.project,
            agent_dir=stage.agent_dir,
            stdin=source,
            stdout=target,
        )
        assert process.wait(60) == 0
    found = [json.loads(line) for line in records.read_text().split("\n") if line]
    assert [record["id"] for record in found] == ["1", "2"]
    assert "sessionFile" not in found[0]["data"]
    assert found[1]["data"] == {"tree": [], "leafId": None}


def test_pipes_that_do_not_block_are_as_good_as_others(stage_with: Build) -> None:
    """Event loops make such ones for their children."""
    from support.command import start_sapwood

    stage = stage_with()
    here, there = socket.socketpair()
    there.setblocking(False)
    process = start_sapwood(
        ["--mode", "rpc"], cwd=stage.project, agent_dir=stage.agent_dir, stdin=there, stdout=there
    )
    there.close()
    here.sendall(b'{"id":"b","type":"bash","command":"seq 1 200000"}\n')
    records = []
    with here.makefile("rb") as lines:
        for line in lines:
            records.append(json.loads(line))
            if records[-1].get("id") == "b" and records[-1]["type"] == "response":
                here.shutdown(socket.SHUT_WR)
    here.close()
    assert process.wait(60) == 0
    told = "".join(r["delta"] for r in records if r["type"] == "bash_execution_update")
    assert told == "".join(f"{number}\n" for number in range(1, 200_001))


def test_what_cannot_be_opened_is_one_line_on_standard_error(
    stage_with: Build, start: Start
) -> None:
    stage = stage_with()
    for arguments, reason, status in (
        (("--session", "nope"), b"No session has the id or prefix", 1),
        (("@file.txt",), b"RPC mode takes no @files", 1),
        (("-r",), b"-r opens the picker", 2),
    ):
        rpc = start(stage, *arguments)
        assert rpc.end() == status
        assert reason in rpc.errors
        assert rpc.records == []
    rpc = start(stage, "a message")
    assert rpc.close() == 0
    assert b"takes prompts from standard input" in rpc.errors
