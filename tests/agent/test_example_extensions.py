"""The worked extensions of examples/extensions, in real sessions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

StageWith = Callable[..., "Stage"]
EXAMPLES = Path(__file__).parents[2] / "examples/extensions"
SUMMARY = {"text": "## Goal\nA cheaper summary.\n\n## Next Steps\n1. Go on"}


async def opened(stage: Stage, name: str) -> AgentSession:
    return await stage.open(extensions=[EXAMPLES / f"{name}.py"], discover_extensions=False)


def bash(command: str) -> dict[str, Any]:
    return {"tools": [{"name": "bash", "arguments": {"command": command}}]}


def results(session: AgentSession) -> list[dict[str, Any]]:
    messages = [entry.message or {} for entry in session.manager.get_branch()]
    return [message for message in messages if message.get("role") == "toolResult"]


class Person:
    """Answers every question the same, and remembers what it was told."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.told: list[str] = []

    def notify(self, text: str, level: str) -> None:
        self.told.append(text)

    async def confirm(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer

    async def select(self, question: str, options: Sequence[str]) -> str | None:
        raise AssertionError(question)

    async def input(self, question: str, placeholder: str) -> str | None:
        raise AssertionError(question)


async def test_a_cheaper_model_writes_the_summary(
    stage_with: StageWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMARY_MODEL", "fake/fake-large")
    long = "words " * 500
    stage = stage_with(
        [{"text": long}, {"text": "short"}],
        [SUMMARY],
        settings={"compaction": {"keepRecentTokens": 100}},
    )
    session = await opened(stage, "cheaper_summary")
    await session.prompt(f"first {long}")
    await session.prompt("second")
    await session.compact("keep the names")
    (request,) = stage.bodies("summary")
    assert request["model"] == "fake-large"
    assert "The person asks: keep the names" in str(request["messages"])
    (compaction,) = [e for e in session.manager.get_branch() if e.type == "compaction"]
    assert compaction.data["summary"] == SUMMARY["text"]
    assert compaction.data["fromHook"] is True
    assert compaction.data["usage"]["output"] > 0


async def test_without_an_answer_the_built_in_summary_is_made(
    stage_with: StageWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMARY_MODEL", "fake/fake-large")
    long = "words " * 500
    stage = stage_with(
        [{"text": long}, {"text": "short"}],
        [{"text": "I would rather not."}],
        settings={"compaction": {"keepRecentTokens": 100}},
    )
    session = await opened(stage, "cheaper_summary")
    person = Person(True)
    session.extensions.ui = person
    await session.prompt(f"first {long}")
    await session.prompt("second")
    await session.compact()
    (compaction,) = [e for e in session.manager.get_branch() if e.type == "compaction"]
    assert compaction.data["fromHook"] is False
    assert person.told == ["cheaper_summary: no summary: the answer is not one"]


@pytest.mark.parametrize("allowed", [True, False])
async def test_the_gate_asks_before_risky_commands_only(
    stage_with: StageWith, allowed: bool
) -> None:
    stage = stage_with([bash("echo safe > kept"), bash("rm -rf kept"), {"text": "done"}])
    session = await opened(stage, "permission_gate")
    person = Person(allowed)
    session.extensions.ui = person
    await session.prompt("clean up")
    assert person.asked == ["Run this command?\nrm -rf kept"]
    assert (stage.project / "kept").exists() is not allowed
    assert [result["isError"] for result in results(session)] == [False, not allowed]


async def test_the_gate_is_shut_where_nobody_can_answer(stage_with: StageWith) -> None:
    stage = stage_with([bash("git push --force"), {"text": "I may not."}])
    session = await opened(stage, "permission_gate")
    await session.prompt("publish")
    (result,) = results(session)
    assert result["content"][0]["text"].startswith("The person did not allow this command.")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


async def test_files_come_back_with_the_branch(stage_with: StageWith) -> None:
    stage = stage_with(
        [
            bash("echo one > file; mkdir -p new; echo x > new/x"),
            {"text": "first done"},
            bash("echo two > file; rm new/x; echo y > y"),
            {"text": "second done"},
        ]
    )
    (stage.project / "file").write_text("zero\n")
    git(stage.project, "init", "-q")
    git(stage.project, "add", "file")
    before = git(stage.project, "status", "--porcelain")
    session = await opened(stage, "git_checkpoint")
    person = Person(True)
    session.extensions.ui = person
    await session.prompt("first")
    await session.extensions.flush()
    target = session.manager.get_leaf()
    assert target is not None
    await session.prompt("second")
    await session.extensions.flush()
    assert git(stage.project, "for-each-ref", "refs/heads") == ""

    await session.navigate_tree(target)
    assert await session.extensions.run_command("/restore-files")
    assert session.extensions.problems == []
    assert (stage.project / "file").read_text() == "one\n"
    assert (stage.project / "new/x").read_text() == "x\n"
    assert not (stage.project / "y").exists()

    lost = person.told[-1].rpartition(" ")[2]
    assert await session.extensions.run_command(f"/restore-files {lost}")
    assert (stage.project / "file").read_text() == "two\n"
    assert (stage.project / "y").exists()
    assert before == "A  file"


async def test_outside_of_a_repository_nothing_is_kept(stage_with: StageWith) -> None:
    stage = stage_with([bash("echo one > file"), {"text": "done"}])
    session = await opened(stage, "git_checkpoint")
    person = Person(True)
    session.extensions.ui = person
    await session.prompt("go")
    await session.extensions.flush()
    assert session.extensions.problems == []
    assert [e.type for e in session.manager.get_branch()].count("custom") == 0
    await session.extensions.run_command("/restore-files")
    assert person.told == ["git_checkpoint: there is no checkpoint on this path"]
