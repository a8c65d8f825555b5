"""Field reports on compaction and branch summaries, by number; docs/compaction.md has the list."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sapwood.compaction.prepare import prepare_compaction
from sapwood.compaction.settings import CompactionSettings
from sapwood.context.estimate import estimate_projection, estimate_tokens
from sapwood.context.projection import project
from sapwood.context.request import build_request
from sapwood.session.manager import SessionManager
from support.command import sapwood, start_sapwood
from support.fake_llm import SUMMARY
from support.message_makers import assistant, session, turns, user
from support.stage import entries_of, words

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]
SMALL = {"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}}
ANSWER = {"text": words("answer", 200), "usage": {"prompt": 1000, "completion": 20}}


async def filled(stage: Stage, prompts: int = 3, **options: Any) -> AgentSession:
    opened = await stage.open(**options)
    for number in range(prompts):
        await opened.prompt(words(f"question{number}", 200))
    return opened


async def test_a_summary_that_was_cut_off_is_never_stored(stage_with: Build) -> None:
    """B56: asked for once more, then the extractor; the words of the torn summary are nowhere."""
    torn = {"text": SUMMARY.replace("scripted", "TORN")[:150], "finish": "length"}
    stage = stage_with([ANSWER], [torn] * 9, settings=SMALL)
    opened = await filled(stage)
    result = await opened.compact()
    assert result.from_extractor
    assert len(stage.bodies("summary")) == 2
    assert "TORN" not in str([entry.data for entry in opened.manager.get_entries()])


async def test_a_summary_that_makes_it_longer_is_not_stored(stage_with: Build) -> None:
    """B58: the extractor's stands in, and the context is smaller afterwards."""
    long = {"text": SUMMARY + "\n- LONG, and more to tell of it" * 60}
    stage = stage_with([{"text": "short"}], [long] * 9, settings=SMALL)
    opened = await stage.open()
    await opened.prompt(words("question", 300))
    await opened.prompt(words("another", 300))
    before = size(opened.manager)
    result = await opened.compact()
    assert result.from_extractor
    assert "no smaller" in result.notices[0]
    assert "LONG" not in str([entry.data for entry in opened.manager.get_entries()])
    assert size(opened.manager) < before


def size(manager: SessionManager) -> int:
    """The context by estimate alone: what was reported knows nothing of what came later."""
    return sum(map(estimate_tokens, project(manager.tree).messages))


def test_injected_messages_count_like_all_others() -> None:
    """B77: the sum of the parts is the size that is told, and the keep budget counts them."""
    manager = session(user("Start."), assistant("Yes."))
    for number in range(30):
        manager.append_custom_message("note", words(f"injected {number}", 200), True)
    projection = project(manager.tree)
    told = estimate_projection(projection).tokens
    sent = sum(estimate_tokens(message) for message in build_request(projection).messages)
    assert abs(sent - told) <= told / 100
    preparation = prepare_compaction(manager.tree, CompactionSettings(keep_recent_tokens=1000))
    assert preparation is not None
    assert 1000 <= preparation.kept_tokens < 1200 + 200


@pytest.mark.parametrize("fails", [False, True])
async def test_a_summary_request_goes_by_the_sessions_login_and_level(
    stage_with: Build, fails: bool
) -> None:
    """B88: the same headers, no more effort than in the conversation; a failure moves on."""
    summary = {"error": {"status": 400, "body": {"error": "no"}}} if fails else {"text": SUMMARY}
    stage = stage_with([ANSWER], [summary] * 9)
    models = json.loads((stage.agent_dir / "models.json").read_text())
    models["providers"]["fake"]["headers"] = {"X-Login": "by header only"}
    (stage.agent_dir / "models.json").write_text(json.dumps(models))
    opened = await filled(stage, 2, model="fake/fake-thinker:medium")
    path = opened.manager.path
    assert path is not None
    before = path.read_bytes()
    target = opened.manager.get_branch()[4].id
    moved = await opened.navigate_tree(target, summary="default", exact=True)
    assert {request["headers"].get("x-login") for request in stage.requests} == {"by header only"}
    efforts = {body.get("reasoning_effort") for body in stage.bodies("summary")}
    assert efforts == {"low"}
    assert moved.moved
    assert moved.summary_entry is not None
    assert path.read_bytes().startswith(before)
    assert [entry["type"] for entry in entries_of(path)].count("branch_summary") == 1


async def test_the_usage_of_a_branch_summary_is_counted(stage_with: Build) -> None:
    """B89: its budget is tested in tests/compaction/test_branch_summary_flow.py."""
    summary = {"text": SUMMARY, "usage": {"prompt": 50, "completion": 5}}
    stage = stage_with([ANSWER], [summary])
    opened = await filled(stage, 2)
    before = opened.get_session_stats().total.tokens
    await opened.navigate_tree(opened.manager.get_branch()[4].id, summary="default", exact=True)
    stats = opened.get_session_stats()
    assert (stats.total.tokens - before, stats.summaries.tokens) == (55, 55)


@pytest.mark.parametrize("more", [[], ["--summarize"]])
def test_a_move_without_a_terminal_asks_nothing(tmp_path: Path, more: list[str]) -> None:
    """B90: standard input is closed."""
    with SessionManager.create(tmp_path, tmp_path / "sessions") as manager:
        for message in turns(2):
            manager.append_message(message)
        target, path = manager.get_branch()[3].id, manager.path
    done = sapwood(
        ["session", "goto", str(path), target, *more], cwd=tmp_path, agent_dir=tmp_path / "agent"
    )
    assert done.returncode == 0, done.stderr
    with SessionManager.open(path, writer="none") as manager:
        entry = manager.get_leaf_entry()
        assert entry is not None
        assert target in (entry.id, entry.parent_id)


async def test_killed_while_it_compacts_the_session_goes_on(stage_with: Build) -> None:
    """B71, with a signal that nobody can answer: no compaction, no half line, and a next prompt."""
    full = {"text": words("a", 400), "usage": {"prompt": 7000, "completion": 20}}
    stage = stage_with([full], [{"text": SUMMARY, "delay": 30}], settings=SMALL)
    process = start_sapwood(
        ["-p", words("one", 1500), words("two", 300)], cwd=stage.project, agent_dir=stage.agent_dir
    )
    await stage.until(lambda: "summary" in stage.kinds(), 40)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    path = next((stage.agent_dir / "sessions").rglob("*.jsonl"))
    before = path.read_bytes()
    assert before.endswith(b"\n")
    assert "compaction" not in [entry["type"] for entry in entries_of(path)]
    stage.state.steps, stage.state.summaries = [{"text": "resumed"}], [{"text": SUMMARY}] * 3
    stage.state.n = stage.state.s = 0
    done = sapwood(["-c", "-p", "go on"], cwd=stage.project, agent_dir=stage.agent_dir)
    assert (done.returncode, done.stdout) == (0, b"resumed\n"), done.stderr
    assert path.read_bytes().startswith(before)
    assert "compaction" in [entry["type"] for entry in entries_of(path)]


def test_a_fork_of_a_long_session_opens_few_files(tmp_path: Path) -> None:
    """B97: counted are the openings of files in the session folder."""
    folder = tmp_path / "sessions"
    with SessionManager.create(tmp_path, folder) as manager:
        for number in range(3000):
            manager.append_message(user(f"message {number}"))
        manager.append_message(assistant("Done."))
        source = manager.path
    assert source is not None
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(folder) in str(arguments[0]):
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    SessionManager.fork_from(source, tmp_path, folder).close()
    watching = False
    assert 0 < len(opened) < 12
