"""``sapwood --mode rpc``: state, models, the record, other sessions, compaction, commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sapwood import SessionManager
from support.command import wait_until
from support.stage import PROVIDER, entries_of, request_texts, words

if TYPE_CHECKING:
    from support.rpc import Rpc
    from support.stage import Stage

Build = Callable[..., "Stage"]
Start = Callable[..., "Rpc"]

DONE = {"cancelled": False}
USAGE = {"prompt": 1000, "completion": 20, "cached": 400}


def model(stage: Stage, name: str, window: int, **more: Any) -> dict[str, Any]:
    port = stage.server.server_address[1]
    return {
        "id": name,
        "name": name,
        "api": "openai-completions",
        "provider": PROVIDER,
        "baseUrl": f"http://127.0.0.1:{port}/v1",
        "reasoning": False,
        "input": ["text", "image"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": window,
        "maxTokens": 1000,
    } | more


def test_the_state_says_what_is_in_force(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "hi"}])
    rpc = start(stage, "--name", "my work")
    state = rpc.data("get_state")
    assert Path(state["sessionFile"]).is_relative_to(stage.agent_dir / "sessions")
    assert state == {
        "model": model(stage, "fake-1", 8000),
        "thinkingLevel": "off",
        "isStreaming": False,
        "isCompacting": False,
        "steeringMode": "one-at-a-time",
        "followUpMode": "one-at-a-time",
        "sessionFile": state["sessionFile"],
        "sessionId": state["sessionId"],
        "sessionName": "my work",
        "autoCompactionEnabled": True,
        "messageCount": 0,
        "pendingMessageCount": 0,
    }
    before = (stage.agent_dir / "settings.json").read_bytes()
    rpc.data("set_steering_mode", mode="all")
    rpc.data("set_follow_up_mode", mode="all")
    rpc.data("set_auto_compaction", enabled=False)
    rpc.prompt("hello")
    later = rpc.data("get_state")
    assert (later["steeringMode"], later["followUpMode"]) == ("all", "all")
    assert (later["autoCompactionEnabled"], later["messageCount"]) == (False, 3)
    messages = rpc.data("get_messages")["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant"]
    assert messages == [e["message"] for e in entries_of(Path(state["sessionFile"]))[-3:]]
    assert (stage.agent_dir / "settings.json").read_bytes() == before


def test_models_and_levels(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "hi"}], settings={"defaultThinkingLevel": "low"})
    rpc = start(stage)
    thinker = model(stage, "fake-thinker", 100_000, reasoning=True)
    everything = [
        model(stage, "fake-1", 8000),
        thinker,
        model(stage, "fake-small", 4000),
        model(stage, "fake-large", 100_000),
    ]
    assert rpc.data("get_available_models") == {"models": everything}
    assert rpc.data("get_available_thinking_levels") == {"levels": ["off"]}
    assert rpc.data("cycle_thinking_level") is None
    assert rpc.data("cycle_model") == {
        "model": thinker,
        "thinkingLevel": "low",
        "isScoped": False,
    }
    levels = rpc.data("get_available_thinking_levels")["levels"]
    assert levels[:3] == ["off", "minimal", "low"]
    for level in (*levels[3:], *levels[:3]):
        assert rpc.data("cycle_thinking_level") == {"level": level}
        assert rpc.all("thinking_level_changed")[-1]["level"] == level
    assert rpc.ask("set_thinking_level", level="high").keys() == {
        "id",
        "type",
        "command",
        "success",
    }
    assert rpc.data("get_state")["thinkingLevel"] == "high"
    assert rpc.data("set_model", provider=PROVIDER, modelId="fake-large") == everything[3]
    assert rpc.data("get_state")["thinkingLevel"] == "off"
    assert rpc.error("set_model", provider=PROVIDER, modelId="nope") == (
        "There is no model fake/nope."
    )
    assert "no model nobody/x" in rpc.error("set_model", provider="nobody", modelId="x")
    assert "No key for Anthropic" in rpc.error(
        "set_model", provider="anthropic", modelId="claude-sonnet-4-5"
    )
    assert rpc.data("cycle_model")["model"]["id"] == "fake-1"
    rpc.prompt("hello")
    assert stage.bodies()[0]["model"] == "fake-1"


def test_cycling_keeps_to_the_models_that_were_named(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with(), "--models", "fake-large,fake-1", "--model", "fake/fake-small")
    seen = [rpc.data("cycle_model") for _ in range(3)]
    assert [each["model"]["id"] for each in seen] == ["fake-large", "fake-1", "fake-large"]
    assert all(each["isScoped"] for each in seen)


def test_the_record_can_be_read_and_followed(stage_with: Build, start: Start) -> None:
    call = {"name": "bash", "arguments": {"command": "echo hi"}}
    stage = stage_with([{"tools": [call], "usage": USAGE}, {"text": "done", "usage": USAGE}])
    rpc = start(stage)
    rpc.prompt("first")
    path = Path(rpc.data("get_state")["sessionFile"])
    entries = entries_of(path)[1:]
    found = rpc.data("get_entries")
    assert found == {"entries": entries, "leafId": entries[-1]["id"]}
    since = entries[-3]["id"]
    assert rpc.data("get_entries", since=since)["entries"] == entries[-2:]
    assert rpc.data("get_entries", since=entries[-1]["id"])["entries"] == []
    assert rpc.error("get_entries", since="nope") == "There is no entry nope."
    tree = rpc.data("get_tree")
    assert tree["leafId"] == entries[-1]["id"]
    nodes, walked = tree["tree"], []
    while nodes:
        (node,) = nodes
        assert node.keys() == {"entry", "children"}
        walked.append(node["entry"])
        nodes = node["children"]
    assert walked == entries
    (user,) = [e for e in entries if e.get("message", {}).get("role") == "user"]
    assert rpc.data("get_fork_messages") == {"messages": [{"entryId": user["id"], "text": "first"}]}
    stats = rpc.data("get_session_stats")
    usage = stats.pop("contextUsage")
    assert stats == {
        "sessionFile": str(path),
        "sessionId": rpc.data("get_state")["sessionId"],
        "userMessages": 1,
        "assistantMessages": 2,
        "toolCalls": 1,
        "toolResults": 1,
        "totalMessages": 5,
        "tokens": {
            "input": 1200,
            "output": 40,
            "cacheRead": 800,
            "cacheWrite": 0,
            "total": 2040,
        },
        "cost": 0,
    }
    assert usage == {"tokens": 1020, "contextWindow": 8000, "percent": 12.75}


def test_a_branched_labelled_and_very_long_tree(stage_with: Build, start: Start) -> None:
    """Written without recursion; labels stand with their nodes, branches side by side."""
    stage = stage_with()
    path = stage.session_dir / "long.jsonl"
    with SessionManager.create(stage.project, stage.session_dir) as manager:
        root = manager.append_message({"role": "user", "content": "root", "timestamp": 1})
        for number in range(3000):
            manager.append_custom_entry("test", number)
        manager.branch(root)
        side = manager.append_custom_entry("side", None)
        manager.append_label_change(root, "start\u2028here")
        assert manager.path is not None
        path = manager.path
    rpc = start(stage, "--session", str(path))
    rpc.send(id="t", type="get_tree")
    wait_until(lambda: any(line.startswith(b'{"id":"t"') for line in rpc.lines))
    (raw,) = (line for line in rpc.lines if line.startswith(b'{"id":"t"'))
    assert raw.count(b'"entry":') == 3003
    assert raw.count(b"{") == raw.count(b"}")
    assert raw.count(b'"children":[]') == 2
    assert b'"label":"start\xe2\x80\xa8here","labelTimestamp":"' in raw
    label = manager.get_leaf_entry()
    assert label is not None
    assert raw.endswith(f'"leafId":"{label.id}"}}}}\n'.encode())
    assert b'"children":[{"entry":{"type":"label"' in raw
    assert side.encode() in raw


def test_forks_clones_new_and_other_sessions(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "one"}, {"text": "two"}, {"text": "three"}])
    rpc = start(stage)
    assert rpc.error("clone") == "There is nothing to clone yet."
    rpc.prompt("first")
    rpc.prompt("second")
    first = rpc.data("get_state")
    asked = rpc.data("get_fork_messages")["messages"]
    assert [message["text"] for message in asked] == ["first", "second"]
    assert "no entry nope" in rpc.error("fork", entryId="nope")
    assert "not a message of the user" in rpc.error(
        "fork", entryId=rpc.data("get_entries")["leafId"]
    )
    assert rpc.data("fork", entryId=asked[1]["entryId"]) == {"text": "second", "cancelled": False}
    forked = rpc.data("get_state")
    assert forked["sessionId"] != first["sessionId"]
    assert forked["messageCount"] == 3
    assert rpc.all("session_changed")[-1]["sessionId"] == forked["sessionId"]
    rpc.prompt("instead")
    users = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert users == ["first", "instead"]

    assert rpc.data("clone") == DONE
    clone = rpc.data("get_state")
    assert clone["messageCount"] == 5
    assert clone["sessionId"] not in (first["sessionId"], forked["sessionId"])

    assert rpc.data("new_session", parentSession=first["sessionFile"]) == DONE
    new = rpc.data("get_state")
    assert (new["messageCount"], new["model"]["id"]) == (0, "fake-1")
    assert rpc.data("get_last_assistant_text") == {"text": None}
    rpc.prompt("anew")
    assert entries_of(Path(new["sessionFile"]))[0]["parentSession"] == first["sessionFile"]

    rpc.data("set_auto_retry", enabled=False)
    rpc.data("set_follow_up_mode", mode="all")
    assert rpc.data("switch_session", sessionPath=first["sessionFile"]) == DONE
    assert rpc.all("session_changed")[-1]["sessionId"] == first["sessionId"]
    back = rpc.data("get_state")
    assert (back["sessionId"], back["messageCount"]) == (first["sessionId"], 5)
    assert back["followUpMode"] == "all"
    assert rpc.data("switch_session", sessionPath=first["sessionFile"]) == DONE
    rpc.prompt("and back again")
    assert rpc.data("get_last_assistant_text") == {"text": "three"}


def test_what_cannot_be_switched_to_changes_nothing(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "one"}])
    rpc = start(stage)
    rpc.prompt("first")
    state = rpc.data("get_state")
    no_session = stage.project / "notes.jsonl"
    no_session.write_text("no session\n")
    assert "notes.jsonl" in rpc.error("switch_session", sessionPath=str(no_session))
    gone = stage.project / "gone.jsonl"
    header = entries_of(Path(state["sessionFile"]))[0]
    gone.write_text(json.dumps({**header, "cwd": "/nowhere/at/all"}) + "\n")
    assert "/nowhere/at/all" in rpc.error("switch_session", sessionPath=str(gone))
    assert rpc.data("get_state") == state
    other = start(stage)
    assert "open" in other.error("switch_session", sessionPath=state["sessionFile"])
    rpc.close()
    assert other.data("switch_session", sessionPath=state["sessionFile"]) == DONE


def test_a_session_of_another_folder_brings_its_folder_along(
    stage_with: Build, start: Start
) -> None:
    stage = stage_with([{"text": "one"}])
    elsewhere = stage.project / "elsewhere"
    (elsewhere / ".pi" / "extensions").mkdir(parents=True)
    (elsewhere / ".pi" / "extensions" / "theirs.py").write_text("raise SystemExit('ran')\n")
    (elsewhere / "AGENTS.md").write_text("Rules of elsewhere.\n")
    with SessionManager.create(elsewhere, stage.session_dir) as manager:
        manager.append_message({"role": "user", "content": "there", "timestamp": 1})
        path = manager.path
    rpc = start(stage)
    assert rpc.data("switch_session", sessionPath=str(path)) == DONE
    assert rpc.data("bash", command="pwd")["output"] == str(elsewhere)
    rpc.prompt("go")
    assert "Rules of elsewhere." in str(stage.bodies()[0]["messages"])
    rpc.close()
    assert b"left out until it is trusted" in rpc.errors
    assert b"theirs" not in rpc.errors


def test_a_running_prompt_is_stored_before_another_session_opens(
    stage_with: Build, start: Start
) -> None:
    stage = stage_with([{"text": "one"}, {"text": "slow", "delay": 30}, {"text": "new"}])
    rpc = start(stage)
    rpc.prompt("first")
    old = Path(rpc.data("get_state")["sessionFile"])
    rpc.data("prompt", message="second")
    assert rpc.data("new_session") == DONE
    types = rpc.types()
    assert types.index("session_changed") > len(types) - types[::-1].index("agent_settled") - 1
    assert entries_of(old)[-1]["message"]["stopReason"] == "aborted"
    assert rpc.data("get_state")["isStreaming"] is False


def test_names_and_exports(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "the <b>answer</b>"}])
    rpc = start(stage)
    assert rpc.ask("set_session_name", name="  some work \n")["success"]
    assert rpc.data("get_state")["sessionName"] == "some work"
    assert rpc.all("session_info_changed")[-1]["name"] == "some work"
    assert rpc.error("set_session_name", name="  ") == "The name must not be empty."
    rpc.prompt("question")
    page = Path(rpc.data("export_html")["path"])
    assert page.is_relative_to(stage.project)
    assert "question" in page.read_text()
    target = stage.project / "page.html"
    target.write_text("an older page")
    assert rpc.data("export_html", outputPath="page.html") == {"path": str(target)}
    assert "an older page" not in target.read_text()
    notes = stage.project / "notes.txt"
    notes.write_text("mine")
    assert "notes.txt" in rpc.error("export_html", outputPath=str(notes))
    assert notes.read_text() == "mine"


def test_two_exports_at_once(stage_with: Build, start: Start) -> None:
    rpc = start(stage_with([{"text": "```python\nprint(1)\n```"}]))
    rpc.prompt("question")
    for name in ("one", "two"):
        rpc.send(id=name, type="export_html", outputPath=f"{name}.html")
    for name in ("one", "two"):
        assert Path(rpc.response(name)["data"]["path"]).name == f"{name}.html"


def test_a_compaction_is_answered_when_it_is_stored(stage_with: Build, start: Start) -> None:
    from support.fake_llm import SUMMARY

    stage = stage_with(
        [{"text": words("answer", 300)}] * 3,
        [
            {"text": SUMMARY.replace("scripted", "compacted"), "delay": 0.5},
            {"text": "x", "delay": 30},
        ],
        settings={"compaction": {"keepRecentTokens": 350, "reserveTokens": 1000}},
    )
    rpc = start(stage)
    assert rpc.error("compact").startswith("There is nothing to compact yet")
    for number in range(3):
        rpc.prompt(words(f"question {number}", 300))
    data = rpc.data("compact", customInstructions="keep the number")
    assert "keep the number" in str(stage.bodies("summary")[0]["messages"])
    entry = entries_of(Path(rpc.data("get_state")["sessionFile"]))[-1]
    assert entry["type"] == "compaction"
    result = rpc.all("compaction_end")[-1]["result"]
    assert {**data, "entryId": entry["id"]} == result
    assert data["summary"] == entry["summary"]
    assert data["firstKeptEntryId"] == entry["firstKeptEntryId"]
    assert data["estimatedTokensAfter"] < data["tokensBefore"]
    assert data["usage"]["totalTokens"] > 0
    rpc.prompt(words("one more", 500))
    rpc.send(id="c", type="compact")
    rpc.event("compaction_start", 3)
    rpc.data("abort")
    assert rpc.response("c")["error"] == "Compaction was cancelled."


def test_commands_of_the_user(stage_with: Build, start: Start) -> None:
    stage = stage_with([{"text": "seen"}])
    rpc = start(stage)
    data = rpc.data(
        "bash", command="printf '\\033[31mred\\033[0m\\n'; sleep .3; echo err >&2; exit 3"
    )
    assert data == {"output": "red\nerr", "exitCode": 3, "cancelled": False, "truncated": False}
    updates = rpc.all("bash_execution_update")
    assert [update["delta"] for update in updates] == ["red\n", "err\n"]
    assert {update["id"] for update in updates} == {"ask-1"}
    rpc.send(id="slow", type="bash", command="echo begun; sleep 60")
    rpc.event("bash_execution_update", 3)
    assert rpc.data("bash", command="echo beside")["output"] == "beside"
    rpc.data("abort_bash")
    cancelled = rpc.response("slow")["data"]
    assert cancelled == {"output": "begun", "cancelled": True, "truncated": False}
    rpc.send_bytes(b'{"id":"x","type":"bash","command":"sleep 60"}\n{"type":"abort_bash"}\n')
    assert rpc.response("x")["data"] == {"output": "", "cancelled": True, "truncated": False}
    long = rpc.data("bash", command="seq 1 3000", excludeFromContext=True)
    assert long["truncated"] is True
    assert Path(long["fullOutputPath"]).read_text().startswith("1\n2\n")
    rpc.send(type="bash", command="echo without an id")
    update = rpc.wait(lambda r: r.get("delta") == "without an id\n")
    assert "id" not in update
    rpc.prompt("look")
    sent = str(stage.bodies()[0]["messages"])
    assert "beside" in sent
    assert "2999" not in sent
    Path(long["fullOutputPath"]).unlink()
