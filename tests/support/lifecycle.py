"""The 22 lifecycle scenarios, played with our session against the scripted server.

The golden files tell what happened, not the texts in full: `words` makes texts of sizes that lead
to the same cuts. `played` gives the same picture as a golden file: requests, events, files.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sapwood import AgentSession, SessionManager
from sapwood.errors import CompactionError
from sapwood.session.find import find_by_id
from support.stage import Stage, entries_of, words

Scenario = Callable[[Stage], Awaitable[None]]
SCENARIOS: dict[str, Scenario] = {}

EVENTS = (
    "compaction_start",
    "compaction_end",
    "auto_retry_start",
    "auto_retry_end",
    "agent_settled",
)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def scenario(name: str) -> Callable[[Scenario], Scenario]:
    def register(function: Scenario) -> Scenario:
        SCENARIOS[name] = function
        return function

    return register


def say(text: str, prompt: int = 1000, completion: int = 20, **more: Any) -> dict[str, Any]:
    return {"text": text, "usage": {"prompt": prompt, "completion": completion}, **more}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def ids(session: AgentSession) -> list[str]:
    """Entry ids by the line they stand on (line 0 is the header), as golden files count."""
    return ["", *(entry.id for entry in session.manager.get_entries())]


async def compact_in_vain(session: AgentSession) -> None:
    try:
        await session.compact()
    except CompactionError:
        return
    raise AssertionError("there should be nothing to compact")


@scenario("01-tools")
async def tools(stage: Stage) -> None:
    (stage.project / "a.txt").write_text("alpha\n")
    edits = [{"oldText": "alpha", "newText": "ALPHA"}]
    stage.push(
        {
            **say("Looking.", 900, 30),
            "tools": [call("read", path="a.txt"), call("bash", command="echo hi; exit 3")],
        },
        {
            "tools": [
                call("write", path="out/new.txt", content="héllo 😀\nline\u2028sep"),
                call("edit", path="a.txt", edits=edits),
                call("read", path="missing.txt"),
            ]
        },
        {"text": "All done.", "thinking": "hm"},
        {"text": "second"},
    )
    session = await stage.open()
    await session.prompt("Please do work é")
    session.set_session_name("my name\nline2")
    session.set_label(ids(session)[4], "start")
    await session.prompt("again")
    session.set_label(ids(session)[4], None)


@scenario("02-threshold")
async def threshold(stage: Stage) -> None:
    stage.push(
        say(words("one", 150), 2000),
        say(words("two", 150), 3500),
        say(words("three", 150), 6500),
        say("four", 2500),
        say("five", 6100),
        say("six", 900),
    )
    session = await stage.open()
    for number in range(6):
        await session.prompt(words(f"question {number} q0 q1", 60))


@scenario("03-manual-compact")
async def manual_compact(stage: Stage) -> None:
    (stage.project / "a.txt").write_text("alpha\n")
    stage.push(
        {"text": "r", "tools": [call("read", path="a.txt")]},
        say(words("answer", 320)),
        say(words("b", 320)),
        say("c"),
    )
    session = await stage.open()
    await compact_in_vain(session)
    await session.prompt(words("start", 200))
    await session.prompt(words("more", 200))
    await session.compact()
    await compact_in_vain(session)
    await session.prompt(words("after", 200))
    await session.prompt(words("after2", 200))
    await session.compact()
    await session.prompt("end")


async def overflow(stage: Stage, error: str) -> None:
    stage.push(
        say(words("one", 200)),
        say(words("two", 200)),
        {"error": error},
        say("recovered"),
        say("later"),
    )
    session = await stage.open()
    for name in ("first", "second", "third"):
        await session.prompt(words(name, 200))
    await session.prompt("fourth")


@scenario("04-overflow-openai")
async def overflow_openai(stage: Stage) -> None:
    await overflow(stage, "openai_overflow")


@scenario("05-overflow-anthropic")
async def overflow_anthropic(stage: Stage) -> None:
    await overflow(stage, "anthropic_overflow")


@scenario("06-overflow-twice")
async def overflow_twice(stage: Stage) -> None:
    stage.push(
        say(words("one", 200)),
        {"error": "openai_overflow"},
        {"error": "openai_overflow"},
        say("after"),
    )
    session = await stage.open()
    await session.prompt(words("first", 200))
    await session.prompt(words("second", 320))
    await session.prompt("third")


@scenario("07-overflow-silent")
async def overflow_silent(stage: Stage) -> None:
    stage.push(say(words("one", 200)), say("two", 9000), say("three"), say("four"))
    session = await stage.open()
    await session.prompt(words("first", 200))
    await session.prompt(words("second", 200))
    await session.prompt("third")
    await session.prompt("fourth")


@scenario("08-length-recovery")
async def length_recovery(stage: Stage) -> None:
    stage.push(
        say(words("one", 200)),
        say("cut off here", 3000, 50, finish="length"),
        say("full answer"),
        say("cut", 1000, 1000, finish="length"),
        say("end"),
    )
    session = await stage.open()
    await session.prompt(words("first", 200))
    await session.prompt(words("second", 200))
    await session.prompt("third")
    await session.prompt("fourth")


def big_file(stage: Stage, tokens: int) -> None:
    lines = "".join(f"line {number:05}\n" for number in range(tokens))
    (stage.project / "big.txt").write_text(lines[: tokens * 4 - 1] + "\n")


@scenario("09-split-turn")
async def split_turn(stage: Stage) -> None:
    big_file(stage, 500)
    for number in range(4):
        command = f"seq {number * 100} {number * 100 + 150}"
        stage.push(
            {**say(f"step {number}", 1500 * (number + 1)), "tools": [call("bash", command=command)]}
        )
    stage.push(
        {**say("step 4", 2000, 10), "tools": [call("read", path="big.txt")]},
        say("finished", 3000),
        say("next", 1500),
    )
    session = await stage.open()
    await session.prompt(words("one long turn", 100))
    await session.prompt("follow")


@scenario("10-split-turn-history")
async def split_turn_history(stage: Stage) -> None:
    big_file(stage, 975)
    both = [call("bash", command="seq 1 400"), call("read", path="big.txt")]
    stage.push(
        say(words("hello", 100)),
        {**say("step", 6500), "tools": both},
        say("finished", 3000),
        say("next", 1500),
    )
    session = await stage.open()
    await session.prompt(words("intro", 100))
    await session.prompt(words("long turn", 100))
    await session.prompt("follow")


@scenario("11-fork")
async def fork(stage: Stage) -> None:
    stage.push(say("a1"), say("a2"), say("a3"), say("forked answer"))
    session = await stage.open()
    for text in ("q1", "q2", "q3"):
        await session.prompt(text)
    session.set_label(ids(session)[4], "keep me")
    session.set_label(ids(session)[8], "drop me")
    forked = await session.fork(ids(session)[6])
    assert forked.text == "q2"
    await session.prompt("q2 changed")
    forked = await session.fork(ids(session)[4])
    assert forked.text == "q1"
    await session.prompt("q1 changed")


@scenario("12-clone")
async def clone(stage: Stage) -> None:
    stage.push(say("a1"), say("a2"), say("clone answer"))
    session = await stage.open()
    await session.prompt("q1")
    await session.prompt("q2")
    session.set_label(ids(session)[5], "mark")
    session.set_session_name("orig")
    await session.clone()
    await session.prompt("q3 in clone")


@scenario("13-tree")
async def tree(stage: Stage) -> None:
    (stage.project / "a.txt").write_text("alpha\n")
    reads = [call("read", path="a.txt"), call("write", path="b.txt", content="1")]
    stage.push(
        {"text": "x", "tools": reads},
        say(words("a1", 100)),
        say("a2"),
        say("a3"),
        say("branch B"),
        say("branch C"),
        say("root again"),
        say("last"),
    )
    session = await stage.open()
    for text in ("q1", "q2", "q3"):
        await session.prompt(text)
    q1, q2, a2 = (ids(session)[line] for line in (4, 9, 10))
    moved = await session.navigate_tree(q2, summary="default", label="came back")
    assert (moved.moved, moved.editor_text) == (True, "q2")
    await session.prompt("q2 B")
    await session.navigate_tree(q2)
    await session.prompt("q2 C")
    await session.navigate_tree(q2, summary="default")
    await session.navigate_tree(q1, label="to root")
    await session.prompt("new root")
    moved = await session.navigate_tree(a2, summary="default")
    assert (moved.moved, moved.editor_text) == (True, None)
    await session.prompt("final")


@scenario("14-bash")
async def bash(stage: Stage) -> None:
    stage.push(say("saw it"), say("ok"))
    session = await stage.open()
    await session.execute_bash("echo before")
    await session.prompt("look")
    await session.execute_bash("echo one")
    await session.execute_bash("echo secret", exclude_from_context=True)
    await session.execute_bash("exit 3")
    await session.execute_bash("seq 1 5")
    await session.prompt("what did I run")


@scenario("15-retry")
async def retry(stage: Stage) -> None:
    bad = {"error": {"status": 400, "body": {"error": {"message": "bad request"}}}}
    stage.push(
        say(words("fine", 100)),
        {"error": "500"},
        {"error": "429"},
        say("after retries"),
        {"text": "partial", "drop": True},
        say("after drop"),
        bad,
        say("z"),
    )
    session = await stage.open()
    for text in ("q1", "q2", "q3", "q4", "q5"):
        await session.prompt(text)


@scenario("16-extension")
async def extension(stage: Stage) -> None:
    """What an extension does there is done from outside here; our hooks have tests of their own."""
    stage.push(
        say(words("one", 100)),
        say(words("two", 100)),
        {"text": "t", "tools": [call("bash", command="seq 1 300")]},
        say("four"),
        say("five"),
    )
    session = await stage.open()
    note = {"display": True, "trigger_turn": False}
    session.send_message("note", "before", details=None, **note)
    await session.prompt("first")
    session.send_message("note", "noted", details={"k": 1}, **note)
    session.append_entry("state", {"n": 1})
    await session.prompt("second")
    session.edit_context(ids(session)[10], {"content": "short two"})
    session.append_entry("d", {})

    def elide(event: dict[str, Any]) -> None:
        if event["type"] == "turn_end" and event["toolResults"]:
            session.manager.append_context_edit(ids(session)[15], {"content": "(output elided)"})

    session.subscribe(elide)
    await session.prompt("third")
    await session.prompt("fourth")
    session.manager.append_compaction("By an extension.", None, 1020, from_hook=True)
    await session.prompt("fifth")


@scenario("17-models")
async def models(stage: Stage) -> None:
    stage.push(
        say("m1"),
        say("m2", thinking="hm"),
        say(words("m3", 320)),
        say(words("m4", 320), 7000),
        say("m5"),
    )
    session = await stage.open()

    def use(name: str) -> None:
        model = session.catalogue.get("fake", name)
        assert model is not None
        session.set_model(model)

    await session.prompt("q1")
    use("fake-thinker")
    await session.prompt("q2")
    use("fake-large")
    await session.prompt("q3")
    await session.prompt("q4")
    use("fake-1")
    await session.prompt("q5")


@scenario("18-image")
async def image(stage: Stage) -> None:
    (stage.project / "p.png").write_bytes(PNG)
    stage.push(
        say("an image"),
        {"text": "reading", "tools": [call("read", path="p.png")]},
        say("seen"),
        say("end"),
    )
    session = await stage.open()
    picture: Any = {
        "type": "image",
        "mimeType": "image/png",
        "data": base64.b64encode(PNG).decode(),
    }
    await session.prompt("see", [picture])
    await session.prompt("read it")
    await session.compact()
    await session.prompt("end")


@scenario("19-summary-failures")
async def summary_failures(stage: Stage) -> None:
    stage.state.summaries += [
        {"text": "half a sum", "finish": "length"},
        {"text": "x", "tools": [call("read", path="a")]},
    ]
    stage.push(say(words("one", 320)), say(words("two", 320)), say("three"))
    session = await stage.open()
    await session.prompt(words("first", 200))
    await session.prompt(words("second", 200))
    await session.compact()
    await session.prompt("third")


@scenario("20-abort-and-queue")
async def abort_and_queue(stage: Stage) -> None:
    stage.push(
        say(words("slow", 100), delay=3),
        {"text": "t", "tools": [call("bash", command="sleep 5")]},
        say("ok", delay=0.5),
        say("steered"),
        say("followed"),
    )
    session = await stage.open()

    async def start(text: str, requests: int) -> Any:
        import asyncio

        run = asyncio.ensure_future(session.prompt(text))
        await stage.until(lambda: len(stage.requests) == requests)
        return run

    run = await start("will be aborted", 1)
    await session.abort()
    await run
    run = await start("tool aborted", 2)
    await stage.until(lambda: "tool_execution_start" in stage.event_types())
    await session.abort()
    await run
    run = await start("then go", 3)
    session.steer("steer text")
    session.follow_up("follow text")
    await run


@scenario("21-resume")
async def resume(stage: Stage) -> None:
    stage.push(say("orig"), say("continued"), say("by id"), say("forked cli"))
    session = await stage.open()
    await session.prompt("q1")
    session_id = session.session_id
    await session.dispose()
    stage.recording = False  # the golden file knows the events of the first process only
    session = await stage.open(SessionManager.continue_recent(stage.project, stage.session_dir))
    await session.prompt("via continue")
    await session.dispose()
    path = find_by_id(session_id[:13], stage.project, stage.session_dir)
    session = await stage.open(SessionManager.open(path))
    await session.prompt("via prefix")
    await session.dispose()
    fork = SessionManager.fork_from(path, stage.project, stage.session_dir)
    session = await stage.open(fork)
    await session.prompt("via fork")


@scenario("22-migrate-v1")
async def migrate_v1(stage: Stage) -> None:
    stage.push(say("answered on old session"), say("again"))
    path = stage.session_dir / "old.jsonl"
    stage.session_dir.mkdir(parents=True)
    lines = [
        {"type": "session", "id": "old", "timestamp": T0, "cwd": str(stage.project)},
        *({"type": "message", "timestamp": T0, "message": m} for m in _old_messages()),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    session = await stage.open(SessionManager.open(path))
    await session.prompt("hello from v3")
    await session.prompt("and more")


T0 = "2026-01-02T03:04:05.678Z"


def _old_messages() -> list[dict[str, Any]]:
    def answer(stop: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": content,
            "api": "openai-completions",
            "provider": "fake",
            "model": "fake-1",
            "usage": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0},
            "stopReason": stop,
            "timestamp": 1,
        }

    def calls(number: int, names: list[str]) -> list[dict[str, Any]]:
        return [
            {"type": "toolCall", "id": f"c{number}{i}", "name": name, "arguments": {}}
            for i, name in enumerate(names)
        ]

    def results(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                "role": "toolResult",
                "toolCallId": block["id"],
                "toolName": block["name"],
                "content": [{"type": "text", "text": "out"}],
                "isError": False,
                "timestamp": 1,
            }
            for block in blocks
        ]

    text = {"type": "text", "text": "words"}
    writes = calls(1, ["write", "write"])
    others = calls(2, ["ls", "bash", "edit", "ls"])
    thinking = {"type": "thinking", "thinking": "hm"}
    return [
        {"role": "user", "content": "error src/main.py", "timestamp": 1},
        answer("length", [text, text]),
        {"role": "user", "content": "stream", "timestamp": 1},
        answer("toolUse", [text, text, *writes]),
        *results(writes),
        {**answer("error", []), "errorMessage": "500 server error"},
        answer("toolUse", [thinking, *others]),
        *results(others),
    ]


# The picture that golden files draw


def played(stage: Stage) -> dict[str, Any]:
    """Requests, events and session files of what was played."""
    files = sorted(stage.session_dir.rglob("*.jsonl"))
    return {
        "requests": [_request(request) for request in stage.requests],
        "events": [_event(event) for event in stage.events if event["type"] in EVENTS],
        "sessions": [chain(path) for path in files],
    }


def _request(request: dict[str, Any]) -> dict[str, Any]:
    body = request["body"]
    roles = ["system" if m["role"] == "developer" else m["role"] for m in body["messages"]]
    tools = sorted(tool["function"]["name"] for tool in body.get("tools") or [])
    return {"kind": request["kind"], "roles": roles, "tools": tools}


def _event(event: dict[str, Any]) -> dict[str, Any]:
    kept = ("type", "reason", "aborted", "willRetry", "attempt", "maxAttempts", "success")
    failed = "errorMessage" in event
    return {key: event[key] for key in kept if key in event} | {"failed": failed}


def chain(path: Path) -> list[dict[str, Any]]:
    """A session file as a chain: parents as line indices, our own bookkeeping entries left out."""
    lines = entries_of(path)
    index: dict[str, int | None] = {}
    drawn: list[dict[str, Any]] = [
        {
            "type": "session",
            "version": lines[0]["version"],
            "hasParentSession": "parentSession" in lines[0],
        }
    ]
    for line in lines[1:]:
        parent = index.get(line["parentId"]) if line["parentId"] else None
        if str(line.get("customType", "")).startswith("sapwood."):
            index[line["id"]] = parent
            continue
        index[line["id"]] = len(drawn)
        drawn.append(_link(line, parent, index))
    return drawn


def _link(line: dict[str, Any], parent: int | None, index: dict[str, int | None]) -> dict[str, Any]:
    link: dict[str, Any] = {"type": line["type"], "parent": parent}
    message = line.get("message")
    if isinstance(message, dict):
        link |= _message(message)
    references = {"targetId": "target", "firstKeptEntryId": "firstKeptEntry", "fromId": "from"}
    for field, name in references.items():
        if field in line:
            link[name] = index[line[field]]
    for field in ("customType", "name", "label", "replacement", "fromHook"):
        if field in line:
            link[field] = line[field]
    return link


def _message(message: dict[str, Any]) -> dict[str, Any]:
    role = message["role"]
    link: dict[str, Any] = {"role": role}
    if role == "user":
        content = message["content"]
        texts = [content] if isinstance(content, str) else [b.get("text", "") for b in content]
        link["text"] = " ".join(texts).split()[0]
    if role == "assistant":
        link["stopReason"] = message["stopReason"]
        link["content"] = [block["type"] for block in message["content"]]
    if role == "toolResult":
        link |= {"isError": message["isError"], "toolName": message["toolName"]}
    return link
