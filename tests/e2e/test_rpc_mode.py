"""``sapwood --mode rpc``: prompts, queues, aborts, and what is answered when."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.command import wait_until
from support.stage import entries_of, request_texts

if TYPE_CHECKING:
    from support.rpc import Rpc
    from support.stage import Stage

Build = Callable[..., "Stage"]
Start = Callable[..., "Rpc"]
PIXEL = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
).decode()


def said(stage: Stage, request: int = -1) -> list[str]:
    return [text for role, text in request_texts(stage.bodies()[request]) if role == "user"]


def test_a_prompt_is_answered_at_once_and_told_in_events(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "hello there", "thinking": "hm"}])
    rpc = start(stage)
    rpc.send(id="p", type="prompt", message="hi")
    rpc.event("agent_settled")
    kinds = rpc.types("entry_appended", "message_update")
    assert kinds == [
        "prompt",
        "agent_start",
        "turn_start",
        *["message_start", "message_end"] * 3,
        "turn_end",
        "agent_end",
        "agent_settled",
    ]
    assert rpc.response("p") == {
        "id": "p",
        "type": "response",
        "command": "prompt",
        "success": True,
        "data": {"disposition": "started"},
    }
    deltas = [r["assistantMessageEvent"] for r in rpc.all("message_update")]
    assert "".join(d["delta"] for d in deltas if d["type"] == "text_delta") == "hello there"
    assert rpc.data("get_last_assistant_text") == {"text": "hello there"}
    assert rpc.close() == 0
    assert rpc.errors == b""


def test_messages_wait_in_a_run_as_they_are_told_to(stage_with: Build, start: Start) -> None:
    call = {"name": "bash", "arguments": {"command": "echo tool"}}
    stage = stage_with(
        [{"tools": [call], "delay": 0.7}, {"text": "two"}, {"text": "three"}, {"text": "four"}]
    )
    rpc = start(stage)
    assert rpc.data("prompt", message="first", streamingBehavior="steer") == {
        "disposition": "started"
    }
    queued = {"disposition": "queued"}
    assert "streamingBehavior" in rpc.error("prompt", message="no behaviour")
    assert "streamingBehavior" in rpc.error("prompt", message="x", streamingBehavior="never")
    assert rpc.data("prompt", message="steered", streamingBehavior="steer") == queued
    assert rpc.data("prompt", message="later", streamingBehavior="followUp") == queued
    assert rpc.data("steer", message="by steer") == queued
    assert rpc.data("follow_up", message="by follow_up") == queued
    state = rpc.data("get_state")
    assert (state["isStreaming"], state["pendingMessageCount"]) == (True, 4)
    assert rpc.data("clear_queue") == {
        "steering": ["steered", "by steer"],
        "followUp": ["later", "by follow_up"],
    }
    assert rpc.all("queue_update")[-1] == {"type": "queue_update", "steering": [], "followUp": []}
    rpc.data("follow_up", message="after all")
    rpc.data("steer", message="between turns")
    rpc.event("agent_settled")
    assert said(stage, 1) == ["first", "between turns"]
    assert said(stage) == ["first", "between turns", "after all"]
    assert rpc.data("get_state")["isStreaming"] is False


def test_all_at_a_time_if_switched_so(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "one", "delay": 0.5}, {"text": "two"}])
    rpc = start(stage)
    rpc.data("set_follow_up_mode", mode="all")
    rpc.data("prompt", message="first")
    for text in ("a", "b", "c"):
        rpc.data("follow_up", message=text)
    rpc.event("agent_settled")
    assert said(stage) == ["first", "a\nb\nc"]
    assert len(stage.bodies()) == 2


def test_a_steering_message_without_a_run_starts_one(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "answered"}])
    rpc = start(stage)
    assert rpc.data("steer", message="too late for the run") == {"disposition": "queued"}
    rpc.event("agent_settled")
    assert rpc.data("get_last_assistant_text") == {"text": "answered"}


def test_an_abort_arrives_at_once_and_is_answered_when_it_is_stored(
    stage_with: Build, start: Start
) -> None:
    call = {"name": "bash", "arguments": {"command": "echo started; sleep 60"}}
    stage = stage_with([{"tools": [call]}, {"text": "after"}])
    rpc = start(stage)
    rpc.data("prompt", message="run it")
    rpc.data("follow_up", message="queued")
    rpc.wait(lambda r: r["type"] == "tool_execution_update" and "started" in str(r))
    rpc.data("abort")
    types = rpc.types()
    assert types.index("agent_settled") < types.index("abort")
    assert rpc.all("agent_settled") == [{"type": "agent_settled", "aborted": True}]
    assert rpc.data("clear_queue")["followUp"] == ["queued"]
    path = rpc.data("get_state")["sessionFile"]
    result, answer = (entry["message"] for entry in entries_of(Path(path))[-2:])
    assert (result["role"], answer["stopReason"]) == ("toolResult", "aborted")
    rpc.prompt("go on")
    assert rpc.data("get_last_assistant_text") == {"text": "after"}


def test_commands_that_come_together_are_begun_in_order(stage_with: Build, start: Start) -> None:
    """A whole conversation written in one go: no command overtakes one that it depends on."""
    stage = stage_with([{"text": "one", "delay": 0.3}, {"text": "two"}])
    rpc = start(stage)
    rpc.send_bytes(
        b'{"id":"1","type":"set_model","provider":"fake","modelId":"fake-large"}\n'
        b'{"id":"2","type":"set_session_name","name":"together"}\n'
        b'{"id":"3","type":"prompt","message":"first"}\n'
        b'{"id":"4","type":"follow_up","message":"second"}\n'
        b'{"id":"5","type":"get_state"}\n'
    )
    state = rpc.response("5")["data"]
    assert state["model"]["id"] == "fake-large"
    assert state["sessionName"] == "together"
    assert (state["isStreaming"], state["pendingMessageCount"]) == (True, 1)
    rpc.event("agent_settled")
    assert stage.bodies()[0]["model"] == "fake-large"
    assert said(stage) == ["first", "second"]


def test_images_go_along_if_they_are_images(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "a pixel"}])
    rpc = start(stage)
    image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    for wrong in ([{**image, "data": "not base64"}], [{**image, "mimeType": "text/html"}], "x"):
        assert "images" in rpc.error("prompt", message="look", images=wrong)
    assert stage.requests == []
    rpc.prompt("look", images=[image])
    content = stage.bodies()[0]["messages"][-1]["content"]
    assert content[0] == {"type": "text", "text": "look"}
    assert content[1]["image_url"]["url"] == f"data:image/png;base64,{PIXEL}"


def test_a_failed_request_is_told_by_events_not_by_a_second_response(
    stage_with: Build, start: Start
) -> None:
    bad = {"error": {"status": 400, "body": {"error": {"message": "no such thing"}}}}
    rpc = start(stage_with([bad]))
    rpc.prompt("hello")
    answer = [r["message"] for r in rpc.all("message_end")][-1]
    assert answer["stopReason"] == "error"
    assert "no such thing" in answer["errorMessage"]
    assert [r["success"] for r in rpc.all("response")] == [True]
    assert rpc.data("get_last_assistant_text") == {"text": None}


def test_without_a_model_a_prompt_is_refused(stage_with: Build, start: Start) -> None:
    stage = stage_with(settings={"defaultProvider": None, "defaultModel": None})
    (stage.agent_dir / "models.json").write_text('{"providers": {}}')
    rpc = start(stage)
    assert "model" not in rpc.data("get_state")
    assert rpc.error("prompt", message="hello").startswith("No model is set")
    assert rpc.data("cycle_model") is None
    assert rpc.data("cycle_thinking_level") is None
    assert rpc.data("get_available_models") == {"models": []}
    assert rpc.data("get_available_thinking_levels") == {"levels": ["off"]}
    assert "contextUsage" not in rpc.data("get_session_stats")


def test_a_retry_can_be_called_off(stage_with: Build, start: Start) -> None:
    stage = stage_with(
        [{"error": "500"}, {"text": "fine"}, {"error": "500"}, {"text": "never"}],
        settings={"retry": {"baseDelayMs": 60_000}},
    )
    rpc = start(stage)
    rpc.data("prompt", message="first")
    rpc.event("auto_retry_start")
    assert rpc.data("get_state")["isStreaming"] is True
    rpc.data("abort_retry")
    rpc.event("agent_settled")
    assert rpc.all("auto_retry_end")[0]["success"] is False
    rpc.prompt("second")
    assert rpc.data("get_last_assistant_text") == {"text": "fine"}
    rpc.data("set_auto_retry", enabled=False)
    rpc.prompt("third")
    assert len(rpc.all("auto_retry_start")) == 1
    assert len(stage.requests) == 3


def test_a_prompt_during_a_compaction_waits_for_it(stage_with: Build, start: Start) -> None:
    from support.stage import words

    stage = stage_with(
        [{"text": words("answer", 300)}] * 3 + [{"text": "at last"}],
        [{"text": "no summary", "delay": 1}] * 4,
        settings={"compaction": {"keepRecentTokens": 200, "reserveTokens": 1000}},
    )
    rpc = start(stage)
    for number in range(3):
        rpc.prompt(words(f"question {number}", 300))
    rpc.send(id="c", type="compact")
    rpc.event("compaction_start")
    state = rpc.data("get_state")
    assert (state["isCompacting"], state["isStreaming"]) == (True, False)
    assert "being compacted" in rpc.error("compact")
    assert "being compacted" in rpc.error("new_session")
    assert rpc.error("switch_session", sessionPath="/tmp/x.jsonl").startswith("Not possible now")
    assert rpc.data("prompt", message="meanwhile") == {"disposition": "queued"}
    assert rpc.response("c")["success"]
    rpc.event("agent_settled", 4)
    assert rpc.data("get_last_assistant_text") == {"text": "at last"}
    wait_until(lambda: rpc.data("get_state")["isCompacting"] is False)
