"""Moving in the tree, forking, switching: leaf, editor text, summaries, settings of the path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sapwood import SessionManager
from sapwood.agent.activity import Activity, BusyError
from sapwood.context.projection import project
from sapwood.errors import EntryNotFoundError, SessionError
from support.fake_llm import SUMMARY
from support.lifecycle import ids
from support.stage import entries_of, request_texts, words

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]
ANSWER = {"text": "an answer"}
# Lines of a session with two turns: 1 model, 2 level, 3 system, 4 q0, 5 answer, 6 q1, 7 answer.
Q0, A0, Q1, A1 = 4, 5, 6, 7


async def two_turns(stage: Stage, **options: Any) -> AgentSession:
    session = await stage.open(**options)
    for number in range(2):
        await session.prompt(f"question{number}")
    return session


async def test_a_user_message_is_opened_for_editing(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    moved = await session.navigate_tree(ids(session)[Q1])
    assert (moved.moved, moved.editor_text) == (True, "question1")
    assert session.manager.get_branch()[-2].id == ids(session)[A0]
    await session.prompt("instead")
    assert [text for _, text in request_texts(stage.bodies()[-1])] == [
        "question0",
        "an answer",
        "instead",
    ]


async def test_continuing_exactly_at_a_user_message(stage_with: Build) -> None:
    """B38: two ways to go to one message."""
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    moved = await session.navigate_tree(ids(session)[Q1], exact=True)
    assert (moved.moved, moved.editor_text) == (True, None)
    position = session.manager.get_leaf_entry()
    assert position is not None
    assert ids(session)[Q1] in (position.id, position.parent_id)


async def test_another_entry_becomes_the_leaf(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    moved = await session.navigate_tree(ids(session)[A0])
    assert (moved.moved, moved.editor_text, moved.summary_entry) == (True, None, None)


async def test_going_where_one_stands_does_nothing(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    before = len(session.manager.get_entries())
    moved = await session.navigate_tree(ids(session)[A1])
    assert (moved.moved, moved.aborted, moved.error) == (False, False, None)
    assert len(session.manager.get_entries()) == before


async def test_an_unknown_target_is_an_error_and_nothing_moves(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    with pytest.raises(EntryNotFoundError):
        await session.navigate_tree("nosuch")
    assert session.is_idle
    assert session.manager.get_leaf() == ids(session)[A1]


async def test_the_position_survives_a_restart(stage_with: Build) -> None:
    """W9, B23 of the behaviour list."""
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    await session.navigate_tree(ids(session)[A0])
    path = session.manager.path
    assert path is not None
    await session.dispose()
    again = await stage.open(SessionManager.open(path))
    await again.prompt("from here")
    assert [text for _, text in request_texts(stage.bodies()[-1])] == [
        "question0",
        "an answer",
        "from here",
    ]


async def test_a_summary_of_the_branch_that_is_left(stage_with: Build) -> None:
    """B87: fromId is the leaf left behind, parentId where the work goes on."""
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    left = session.manager.get_leaf()
    moved = await session.navigate_tree(ids(session)[Q1], summary="focused", focus="canary-focus")
    entry = moved.summary_entry
    assert entry is not None
    assert (entry.data["fromId"], entry.parent_id) == (left, ids(session)[A0])
    assert "canary-focus" in str(stage.bodies("summary")[0])
    await session.prompt("next")
    assert "Finish the scripted task" in request_texts(stage.bodies()[-1])[-1][1]


async def test_a_cancelled_summary_leaves_everything_as_it_was(stage_with: Build) -> None:
    stage = stage_with([ANSWER], [{"text": SUMMARY, "delay": 30}])
    session = await two_turns(stage)
    path = session.manager.path
    assert path is not None
    before = path.read_bytes()
    moving = asyncio.ensure_future(
        session.navigate_tree(ids(session)[Q1], summary="default", label="x")
    )
    await stage.until(lambda: "summary" in stage.kinds())
    session.abort_branch_summary()
    moved = await asyncio.wait_for(moving, 1)
    assert (moved.moved, moved.aborted) == (False, True)
    assert path.read_bytes() == before
    assert session.manager.get_leaf() == ids(session)[A1]
    await session.prompt("still here")
    assert session.is_idle


async def test_a_prompt_sent_during_a_navigation_runs_once_on_the_new_branch(
    stage_with: Build,
) -> None:
    """B29, B37."""
    stage = stage_with([ANSWER], [{"text": SUMMARY, "delay": 0.4}])
    session = await two_turns(stage)
    moving = asyncio.ensure_future(session.navigate_tree(ids(session)[Q1], summary="default"))
    await stage.until(lambda: "summary" in stage.kinds())
    assert session.activity is Activity.NAVIGATING
    for call in (session.compact(), session.navigate_tree(ids(session)[Q0])):
        with pytest.raises(BusyError):
            await call
    await session.prompt("meanwhile")
    assert (await moving).moved
    said = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert said[0] == "question0"
    assert said[-1].endswith("meanwhile")
    assert "question1" not in str(said)
    assert sum("meanwhile" in str(body) for body in stage.bodies()) == 1


async def test_moving_away_from_a_run_stores_it_first(stage_with: Build) -> None:
    """B31."""
    stage = stage_with([ANSWER, {"text": "slow", "delay": 30}])
    session = await stage.open()
    await session.prompt("question0")
    run = asyncio.ensure_future(session.prompt("question1"))
    await stage.until(lambda: len(stage.requests) == 2)
    moved = await asyncio.wait_for(session.navigate_tree(ids(session)[Q0]), 2)
    await run
    assert moved.editor_text == "question0"
    left = session.manager.get_entry(ids(session)[A1])
    assert left is not None
    assert left.message is not None
    assert left.message["stopReason"] == "aborted"


async def test_a_fork_in_the_middle_of_an_answer_holds_settled_entries_only(
    stage_with: Build,
) -> None:
    """B31, B92."""
    stage = stage_with([ANSWER, {"text": "slow", "delay": 30}, ANSWER])
    session = await stage.open()
    await session.prompt("question0")
    source = session.manager.path
    run = asyncio.ensure_future(session.prompt("question1"))
    await stage.until(lambda: len(stage.requests) == 2)
    forked = await session.fork(ids(session)[Q1])
    await run
    assert forked.text == "question1"
    assert source is not None
    before = source.read_bytes()
    assert session.manager.path != source
    await session.prompt("in the fork")
    assert source.read_bytes() == before
    fork = session.manager.path
    assert fork is not None
    header = entries_of(fork)[0]
    assert header["parentSession"] == str(source)
    assert [e["type"] for e in entries_of(fork)].count("session") == 1
    assert session.session_id == header["id"]


async def test_fork_and_clone_of_little(stage_with: Build) -> None:
    """B95: one message without an answer, and nothing at all."""
    from sapwood.errors import SapwoodError

    stage = stage_with([{"error": {"status": 400, "body": {}}}, ANSWER])
    session = await stage.open()
    with pytest.raises(SapwoodError, match="nothing to clone"):
        await session.clone()
    await session.prompt("only")
    forked = await session.fork(ids(session)[Q0])
    assert forked.text == "only"
    path = session.manager.path
    assert path is not None
    assert not path.exists()
    await session.prompt("again")
    assert path.exists()


async def test_ephemeral_sessions_stay_off_the_disk(stage_with: Build) -> None:
    """B22: new, fork, clone, tree and compact write nothing."""
    stage = stage_with([ANSWER])
    session = await two_turns(stage, manager=SessionManager.in_memory(stage.project))
    await session.navigate_tree(ids(session)[Q1], summary="default")
    await session.prompt("x")
    await session.fork(ids(session)[Q0])
    await session.prompt("y")
    await session.clone()
    await session.new_session()
    await session.prompt("z")
    assert session.manager.path is None
    assert not stage.session_dir.exists()
    assert not (stage.agent_dir / "sessions").exists()


async def test_model_and_level_are_those_of_the_path(stage_with: Build) -> None:
    """B32."""
    stage = stage_with([ANSWER])
    session = await stage.open()
    await session.prompt("question0")
    thinker = session.catalogue.get("fake", "fake-thinker")
    assert thinker is not None
    session.set_model(thinker)
    session.set_thinking_level("high")
    await session.prompt("question1")
    await session.navigate_tree(ids(session)[Q0 + 1])
    assert (session.model_name, session.thinking_level) == ("fake/fake-1", "off")
    before = [e.type for e in session.manager.get_entries()]
    await session.prompt("here")
    added = [e.type for e in session.manager.get_entries()][len(before) :]
    assert added == ["message", "message"]


async def test_the_wish_for_thinking_survives_a_model_without_it(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await stage.open(model="fake/fake-thinker:high")
    assert session.thinking_level == "high"
    for name, level in (("fake-1", "off"), ("fake-thinker", "high")):
        model = session.catalogue.get("fake", name)
        assert model is not None
        session.set_model(model)
        assert session.thinking_level == level


async def test_tools_follow_the_path(stage_with: Build) -> None:
    """B33."""
    stage = stage_with([ANSWER])
    session = await stage.open()
    await session.prompt("question0")
    session.set_tools(["read", "grep"])
    await session.prompt("question1")
    path = session.manager.path
    assert path is not None
    await session.dispose()
    again = await stage.open(SessionManager.open(path))
    await again.prompt("question2")
    await again.navigate_tree(ids(again)[A0])
    await again.prompt("before the change")

    def offered(number: int) -> list[str]:
        return sorted(tool["function"]["name"] for tool in stage.bodies()[number]["tools"])

    default = ["bash", "edit", "read", "write"]
    assert [offered(number) for number in range(4)] == [
        default,
        ["grep", "read"],
        ["grep", "read"],
        default,
    ]


async def test_switching_sessions(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    first = session.manager.path
    assert first is not None
    await session.new_session()
    assert session.manager.get_entries() == []
    await session.prompt("new")
    second = session.manager.path
    await session.switch_session(first)
    assert session.manager.path == first
    await session.prompt("back")
    assert len(request_texts(stage.bodies()[-1])) == 5
    assert [e["path"] for e in stage.events if e["type"] == "session_changed"] == [
        str(second),
        str(first),
    ]


async def test_a_session_of_another_folder_is_not_switched_to(
    stage_with: Build, tmp_path: Path
) -> None:
    """Its prompt, settings and extensions would be those of this folder."""
    stage = stage_with([ANSWER])
    session = await two_turns(stage)
    here = session.manager.path
    (elsewhere := tmp_path / "elsewhere").mkdir()
    with SessionManager.create(elsewhere, stage.session_dir) as other:
        other.append_message({"role": "user", "content": "hello", "timestamp": 1})
        path = other.path
    assert path is not None
    with pytest.raises(SessionError, match=r"is a session of .*elsewhere, not of this folder"):
        await session.switch_session(path)
    assert session.manager.path == here
    await session.prompt("still here")
    SessionManager.open(path).close()


async def test_extensions_may_label_cancel_and_summarize(stage_with: Build, tmp_path: Path) -> None:
    stage = stage_with([ANSWER])
    file = tmp_path / "tree.py"
    file.write_text(
        "def extension(api):\n"
        "    def before(event):\n"
        "        if event['preparation']['label'] == 'no':\n"
        "            return {'cancel': True}\n"
        "        return {'summary': {'summary': 'mine'}, 'label': 'named'}\n"
        "    api.on('session_before_tree', before)\n"
    )
    session = await two_turns(stage, extensions=[file])
    refused = await session.navigate_tree(ids(session)[Q1], label="no")
    assert (refused.moved, refused.aborted) == (False, True)
    moved = await session.navigate_tree(ids(session)[Q1])
    assert moved.summary_entry is not None
    data = moved.summary_entry.data
    assert (data["summary"], data["fromHook"]) == ("mine", True)
    assert session.manager.get_label(moved.summary_entry.id) == "named"


async def test_an_extension_may_replace_the_task_of_a_summary(
    stage_with: Build, tmp_path: Path
) -> None:
    stage = stage_with([ANSWER])
    file = tmp_path / "task.py"
    answers = "{'customInstructions': 'Count the bees.', 'replaceInstructions': True}"
    file.write_text(
        f"def extension(api):\n    api.on('session_before_tree', lambda event: {answers})\n"
    )
    session = await two_turns(stage, extensions=[file])
    moved = await session.navigate_tree(ids(session)[Q1], summary="default")
    assert moved.summary_entry is not None
    asked = stage.bodies("summary")[-1]["messages"][-1]["content"]
    assert "Count the bees." in asked
    assert "special attention" not in asked
    assert "is a branch of the session" not in asked


async def test_images_come_back_to_the_editor(stage_with: Build) -> None:
    stage = stage_with([ANSWER])
    session = await stage.open()
    image: Any = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    await session.prompt("look", [image])
    moved = await session.navigate_tree(ids(session)[Q0])
    assert (moved.editor_text, moved.editor_images) == ("look", (image,))


async def test_a_fork_holds_ancestors_only_and_names_itself(stage_with: Build) -> None:
    """B92, B93: times and ids as they were, nothing later, nothing larger, a new id everywhere."""
    tell = {"name": "bash", "arguments": {"command": "echo $PI_SESSION_ID $PI_SESSION_FILE"}}
    stage = stage_with(
        [{"text": words("a", 400)}] * 3 + [{"tools": [tell]}, {"text": "told"}],
        settings={"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}},
    )
    session = await stage.open()
    for number in range(2):
        await session.prompt(words(f"q{number}", 400))
    await session.compact()
    await session.prompt("third")
    source, tree = session.manager.path, session.manager.tree
    assert source is not None
    before, whole = source.read_bytes(), project(tree).messages
    point = next(e for e in tree.entries if e.message and "third" in str(e.message["content"]))
    ancestors = [(e.id, e.timestamp) for e in tree.path(point.parent_id)]
    await session.fork(point.id)
    assert [(e.id, e.timestamp) for e in session.manager.get_entries()] == ancestors
    kept = project(session.manager.tree).messages
    assert kept == whole[: len(kept)]
    assert "compactionSummary" in [message["role"] for message in kept]
    await session.prompt("who are you")
    fork = session.manager.path
    assert fork is not None
    (_, said) = request_texts(stage.bodies()[-1])[-1]
    assert said == f"{session.session_id} {fork}"
    headers = [entry for entry in entries_of(fork) if entry["type"] == "session"]
    assert [header["id"] for header in headers] == [session.session_id]
    assert source.read_bytes() == before
