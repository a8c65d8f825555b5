"""RPC mode beside the reference: the same commands to both, and its own client driving us.

Runs where Pi 1.6.0 is installed in the folder that ``SAPWOOD_REFERENCE`` names.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sapwood import SessionManager
from support.command import COMMAND, environment
from support.rpc import Rpc
from support.stage import PROVIDER, words

if TYPE_CHECKING:
    from bench.reference import Reference

    from support.stage import Stage

Build = Callable[..., "Stage"]

SETTINGS = {"compaction": {"reserveTokens": 1000, "keepRecentTokens": 350}}
OURS_ALONE = {"entry_appended", "notice", "session_changed", "tree_moved"}
"""Events that we have beside the reference's, or tell more often."""


def stage_for(build: Build) -> Stage:
    call = {"name": "bash", "arguments": {"command": "echo from-the-tool; sleep .3"}}
    steps = [{"text": "I look.", "tools": [call]}, *[{"text": words("answer", 300)}] * 9]
    stage = build(steps, settings=SETTINGS)
    (stage.agent_dir / "prompts").mkdir()
    (stage.agent_dir / "prompts" / "review.md").write_text(
        "---\ndescription: Review it\n---\nReview $1 please"
    )
    skill = stage.agent_dir / "skills" / "demo" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: demo\ndescription: Demo skill\n---\nDo it")
    return stage


def shape(value: Any) -> Any:
    """What kind of value it is: keys and types, for lists what kinds of items there are."""
    if isinstance(value, dict):
        if "role" in value:
            return f"message of {value['role']}"
        if "parentId" in value:
            return "entry"
        if "totalTokens" in value:
            return "usage"
        return {key: shape(each) for key, each in sorted(value.items()) if key != "id"}
    if isinstance(value, list):
        return sorted({json.dumps(shape(each)) for each in value})
    if isinstance(value, bool) or value is None:
        return value
    return "number" if isinstance(value, (int, float)) else "text"


def converse(rpc: Rpc) -> dict[str, Any]:
    """Ask for everything; the responses by what was asked."""
    told: dict[str, Any] = {}

    def ask(command: str, /, name: str = "", **fields: Any) -> Any:
        response = rpc.ask(command, **fields)
        told[f"{command} {name}".strip()] = response
        return response.get("data")

    def settle(message: str) -> None:
        settled = len(rpc.all("agent_settled"))
        ask("prompt", message=message)
        rpc.event("agent_settled", settled + 1)

    for command in ("get_state", "get_messages", "get_available_models", "cycle_thinking_level"):
        ask(command, "at first")
    for command in ("clone", "compact", "get_entries", "fork", "set_session_name", "dance"):
        ask(command, "refused", since="nope", entryId="nope", sessionName="")
    settle("Use the tool.")
    first = ask("get_state")["sessionFile"]
    for number in range(2):
        settle(words(f"question {number}", 300))
    for command in ("get_messages", "get_fork_messages", "get_tree", "get_session_stats"):
        ask(command)
    entries = ask("get_entries")["entries"]
    ask("get_entries", "since", since=entries[-2]["id"])
    ask("get_last_assistant_text")
    ask("bash", command="echo out; exit 3")
    ask("bash", "in long", command="seq 1 3000", excludeFromContext=True)
    ask("set_model", provider=PROVIDER, modelId="fake-thinker")
    ask("set_model", "unknown", provider=PROVIDER, modelId="nope")
    ask("set_thinking_level", level="low")
    ask("cycle_thinking_level")
    ask("get_available_thinking_levels")
    ask("cycle_model")
    for command in ("set_steering_mode", "set_follow_up_mode"):
        ask(command, mode="all")
    for command in ("set_auto_compaction", "set_auto_retry"):
        ask(command, enabled=False)
    ask("get_state", "switched")
    ask("set_session_name", name="a name")
    ask("compact", customInstructions="be short")
    for command in ("abort", "abort_bash", "abort_retry", "clear_queue", "get_commands"):
        ask(command)
    ask("export_html", outputPath="page.html")
    asked = rpc.data("get_fork_messages")["messages"]
    ask("fork", entryId=asked[0]["entryId"])
    ask("switch_session", sessionPath=first)
    ask("clone", "at last")
    ask("new_session", parentSession=first)
    ask("get_state", "of the new one")
    return told


def without_programs_own(told: dict[str, Any]) -> dict[str, Any]:
    """Only templates and skills are the same on both sides; and levels are each program's own."""
    commands = told["get_commands"]["data"]["commands"]
    told["get_commands"]["data"]["commands"] = [c for c in commands if c["source"] != "extension"]
    return told


def test_responses_have_the_shapes_of_the_reference(
    stage_with: Build, reference: Reference
) -> None:
    ours = Rpc(stage_for(stage_with))
    there = stage_for(stage_with)
    theirs = Rpc(there, command=reference.command, PI_OFFLINE="1")
    mine, its = (without_programs_own(converse(rpc)) for rpc in (ours, theirs))
    assert (ours.close(), theirs.close()) == (0, 0)
    there.state.requests.clear()  # its requests are not ours to answer for
    assert mine.keys() == its.keys()
    for name in mine:
        assert shape(mine[name]) == shape(its[name]), name
        assert list(mine[name])[:3] == list(its[name])[:3], name
    kinds = [{record["type"] for record in rpc.records} for rpc in (ours, theirs)]
    assert kinds[0] - kinds[1] <= OURS_ALONE
    assert kinds[1] - kinds[0] <= {"queue_update"}  # it tells of an empty queue that was emptied
    for kind in kinds[0] & kinds[1] - {"response", *OURS_ALONE}:
        told = [{outline(r) for r in rpc.all(kind)} for rpc in (ours, theirs)]
        assert told[0] == told[1], kind
    runs = [first_run(rpc) for rpc in (ours, theirs)]
    assert runs[0] == runs[1]
    print(f"{len(mine)} responses of one shape; the first run: {' '.join(runs[0])}")


def outline(record: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The fields of an event and their types."""
    return tuple(sorted((key, type(value).__name__) for key, value in record.items()))


def first_run(rpc: Rpc) -> list[str]:
    """The kinds of events from the first start until it is settled, each row of equals once."""
    kinds = [kind for kind in rpc.types("get_state") if kind not in OURS_ALONE]
    run = kinds[kinds.index("agent_start") : kinds.index("agent_settled") + 1]
    return [kind for kind, before in zip(run, ["", *run], strict=False) if kind != before]


def test_both_read_one_session_alike(stage_with: Build, reference: Reference) -> None:
    stage = stage_for(stage_with)
    ours = Rpc(stage, "--name", "a shared one")
    for text in ("Use the tool.", words("question 1", 300), words("question 2", 300)):
        ours.prompt(text)
    assert ours.data("compact")
    ours.prompt("After the compaction.")
    ours.data("bash", command="echo out")
    path = ours.data("get_state")["sessionFile"]
    assert ours.close() == 0
    with SessionManager.open(path) as manager:
        users = [e.id for e in manager.get_entries() if (e.message or {}).get("role") == "user"]
        manager.append_label_change(users[1], "a label")
        manager.branch(users[2])
        manager.append_message({"role": "user", "content": "another way", "timestamp": 5})
    there = stage_for(stage_with)
    asked = ("get_messages", "get_entries", "get_tree", "get_fork_messages", "get_session_stats")
    found = []
    for command in (reference.command, None):
        rpc = Rpc(there, "--session", path, command=command, PI_OFFLINE="1")
        told = {name: rpc.data(name) for name in (*asked, "get_last_assistant_text", "get_state")}
        found.append(told)
        assert rpc.close() == 0
    theirs, mine = found
    for told in found:
        told["get_session_stats"].pop("contextUsage")  # right after a move, ours is an estimate
    for name in (*asked, "get_last_assistant_text"):
        assert mine[name] == theirs[name], name
    same = ("sessionId", "sessionName", "sessionFile", "messageCount", "thinkingLevel")
    assert [mine["get_state"][key] for key in same] == [theirs["get_state"][key] for key in same]
    print(len(mine["get_entries"]["entries"]), "entries, read alike:", mine["get_session_stats"])


DRIVE = """
import { RpcClient } from PACKAGE;
const client = new RpcClient({ cliPath: SHIM, args: ["--no-session"] });
const seen = [];
client.onEvent((event) => seen.push(event.type));
await client.start();
const told = {};
told.state = await client.getState();
told.run = (await client.promptAndWait("Use the tool.")).map((event) => event.type);
told.text = await client.getLastAssistantText();
told.stats = await client.getSessionStats();
told.messages = (await client.getMessages()).map((message) => message.role);
told.entries = (await client.getEntries()).entries.length;
told.tree = (await client.getTree()).tree.length;
told.bash = await client.bash("echo from-bash");
told.models = (await client.getAvailableModels()).map((model) => model.id);
told.set = await client.setModel("fake", "fake-large");
told.cycled = (await client.cycleModel()).model.id;
told.level = await client.cycleThinkingLevel();
await client.setSteeringMode("all");
await client.setAutoRetry(false);
told.commands = (await client.getCommands()).map((command) => command.name);
told.fork = await client.fork((await client.getForkMessages())[0].entryId);
told.fresh = await client.newSession();
told.failure = await client.setModel("fake", "nope").catch((error) => error.message);
await client.stop();
console.log(JSON.stringify(told));
"""
SHIM = """
const { spawn } = require("node:child_process");
const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
"""


def test_the_client_of_the_reference_drives_us(stage_with: Build, reference: Reference) -> None:
    stage = stage_for(stage_with)
    shim, drive = stage.project / "shim.cjs", stage.project / "drive.mjs"
    shim.write_text(SHIM.replace("COMMAND", json.dumps(COMMAND)))
    package = json.dumps(str(reference.package / "dist" / "index.js"))
    drive.write_text(DRIVE.replace("PACKAGE", package).replace("SHIM", json.dumps(str(shim))))
    done = subprocess.run(
        [str(reference.node), str(drive)],
        cwd=stage.project,
        env=environment(stage.agent_dir, PATH=f"{reference.node.parent}:/usr/bin:/bin"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["state"]["model"]["id"] == "fake-1"
    assert (told["run"][0], told["run"][-1]) == ("agent_start", "agent_settled")
    assert told["text"] == words("answer", 300)
    assert told["stats"]["toolCalls"] == 1
    assert told["messages"] == ["system", "user", "assistant", "toolResult", "assistant"]
    assert (told["entries"], told["tree"]) == (7, 1)
    assert told["bash"]["output"] == "from-bash"
    assert told["models"] == ["fake-1", "fake-thinker", "fake-small", "fake-large"]
    assert (told["set"]["id"], told["cycled"], told["level"]) == ("fake-large", "fake-1", None)
    assert told["commands"] == ["review", "skill:demo"]
    assert told["fork"] == {"text": "Use the tool.", "cancelled": False}
    assert told["fresh"] == {"cancelled": False}
    assert told["failure"] == "There is no model fake/nope."
    print("Its own client:", json.dumps({k: told[k] for k in ("models", "messages", "fork")}))
