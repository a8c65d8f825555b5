"""One record, two programs: the reference opens what we wrote and goes on, and the other way round.

Runs where Pi 1.6.0 is installed in the folder that ``SAPWOOD_REFERENCE`` names (``npm install
--prefix FOLDER`` with the packages of `bench.reference`); ``SAPWOOD_REFERENCE=npm`` installs it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sapwood import SessionManager
from sapwood.context.projection import project
from support.command import environment, sapwood
from support.stage import entries_of, request_texts, words

if TYPE_CHECKING:
    from bench.reference import Reference

    from support.stage import Stage

Build = Callable[..., "Stage"]

SETTINGS = {"compaction": {"reserveTokens": 1000, "keepRecentTokens": 600}}


def pi(
    reference: Reference, stage: Stage, *arguments: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the reference program on the stage; its requests are not ours to answer for."""
    before = len(stage.state.requests)
    done = subprocess.run(
        [*reference.command, *arguments],
        cwd=stage.project,
        env=environment(stage.agent_dir, PI_OFFLINE="1"),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    del stage.state.requests[before:]
    return done


def messages_seen(reference: Reference, stage: Stage, path: Path) -> list[dict[str, Any]]:
    """What the reference takes the session's messages to be."""
    asked = json.dumps({"id": "1", "type": "get_messages"}) + "\n"
    done = pi(reference, stage, "--mode", "rpc", "--session", str(path), stdin=asked)
    replies = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    reply = next((r for r in replies if r.get("command") == "get_messages"), None)
    assert reply is not None, done.stderr
    assert reply["success"], reply
    found: list[dict[str, Any]] = reply["data"]["messages"]
    return found


def essence(message: Any) -> tuple[Any, ...]:
    role = message["role"]
    return role, message.get("summary") if "summary" in message else message.get("content")


def our_messages(path: Path) -> list[Any]:
    with SessionManager.open(path, writer="none") as manager:
        return project(manager.tree).messages


def files(stage: Stage) -> list[Path]:
    return sorted((stage.agent_dir / "sessions").rglob("*.jsonl"))


def run(stage: Stage, *arguments: str) -> str:
    done = sapwood(["-p", *arguments], cwd=stage.project, agent_dir=stage.agent_dir)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def said(stage: Stage) -> list[str]:
    return [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]


BASH = {"name": "bash", "arguments": {"command": "echo from-the-tool"}}


def test_the_reference_reads_our_tools_compactions_and_forks(
    stage_with: Build, reference: Reference
) -> None:
    steps = [{"text": "I look.", "tools": [BASH, BASH]}, {"text": "Done."}]
    stage = stage_with(steps, settings=SETTINGS, window=4000)
    run(stage, "--name", "shared work", "Use the tool.")
    for number in range(4):
        run(stage, "-c", words(f"Long request {number}.", 700))
    (path,) = files(stage)
    run(stage, "--fork", str(path), "In the fork.")
    (fork,) = set(files(stage)) - {path}

    kinds = [entry["type"] for entry in entries_of(path)]
    assert "compaction" in kinds
    for each in (path, fork):
        before = each.read_bytes()
        seen = messages_seen(reference, stage, each)
        assert [essence(m) for m in seen] == [essence(m) for m in our_messages(each)]
        assert each.read_bytes() == before
        print(f"{each.name}: {len(entries_of(each))} entries, the reference sees", end=" ")
        print(", ".join(message["role"] for message in seen))

    before = path.read_bytes()
    done = pi(reference, stage, "-p", "--session", str(path), "The reference asks.")
    assert (done.returncode, done.stdout.strip()) == (0, "Done.")
    assert path.read_bytes().startswith(before)
    run(stage, "--session", str(path), "And back again.")
    assert said(stage)[-2:] == ["The reference asks.", "And back again."]


def test_we_go_on_with_a_session_of_the_reference(stage_with: Build, reference: Reference) -> None:
    call = {"name": "bash", "arguments": {"command": "echo made-by-pi"}}
    stage = stage_with([{"tools": [call]}, {"text": "first"}, {"text": "second"}])
    done = pi(reference, stage, "-p", "--model", "fake/fake-1", "Begun over there.")
    assert (done.returncode, done.stdout.strip()) == (0, "first"), done.stderr
    (path,) = files(stage)
    before = path.read_bytes()

    assert run(stage, "-c", "Gone on here.") == "second"

    assert path.read_bytes().startswith(before)
    assert said(stage) == ["Begun over there.", "Gone on here."]
    assert "made-by-pi" in dict(request_texts(stage.bodies()[-1]))["tool"]
    seen = messages_seen(reference, stage, path)
    assert [essence(m) for m in seen] == [essence(m) for m in our_messages(path)]
    print(f"{path.name}: the reference sees", ", ".join(message["role"] for message in seen))
