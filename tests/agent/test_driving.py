"""What programs that drive a session need: switches, a stopped retry, word of what was accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from sapwood import SessionManager
from sapwood.agent.activity import Activity
from sapwood.errors import SapwoodError
from support.stage import entries_of, words

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


async def test_switches_begin_as_set_and_leave_the_settings_alone(stage_with: Build) -> None:
    stage = stage_with(settings={"steeringMode": "all", "retry": {"enabled": False}})
    session = await stage.open(models=["fake/fake-1"])
    before = (stage.agent_dir / "settings.json").read_bytes()
    switches = session.switches
    assert (switches.steering_mode, switches.follow_up_mode) == ("all", "one-at-a-time")
    assert (switches.auto_compaction, switches.auto_retry) == (True, False)
    switches.steering_mode = "one-at-a-time"
    switches.follow_up_mode = "all"
    switches.auto_compaction = False
    switches.auto_retry = True
    assert session.switches.follow_up_mode == "all"
    assert session.settings.compaction.enabled is False
    assert session.settings.values.enabled_models == ["fake/fake-1"]
    assert (stage.agent_dir / "settings.json").read_bytes() == before


async def test_what_is_no_mode_is_refused(stage_with: Build) -> None:
    session = await stage_with().open()
    with pytest.raises(SapwoodError, match="There is no mode some"):
        session.switches.follow_up_mode = "some"  # type: ignore[assignment]


async def test_without_auto_compaction_a_full_window_is_left_alone(stage_with: Build) -> None:
    stage = stage_with(
        [{"text": words("a", 300), "usage": {"prompt": 7900, "completion": 20}}] * 3,
        settings={"compaction": {"reserveTokens": 1000, "keepRecentTokens": 300}},
    )
    session = await stage.open()
    session.switches.auto_compaction = False
    await session.prompt(words("p", 300))
    await session.prompt(words("q", 300))
    assert stage.kinds() == ["chat", "chat"]
    session.switches.auto_compaction = True
    await session.prompt(words("r", 300))
    assert "summary" in stage.kinds()


async def test_a_retry_can_be_called_off_and_the_session_goes_on(stage_with: Build) -> None:
    stage = stage_with(
        [{"error": "500"}, {"text": "fine"}], settings={"retry": {"baseDelayMs": 60_000}}
    )
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("first"))
    await stage.until(lambda: session.activity is Activity.RETRYING)
    session.abort_retry()
    await asyncio.wait_for(run, 5)
    ended = stage.last_event("auto_retry_end")
    assert (ended["success"], ended["finalError"]) == (False, "The retry was cancelled.")
    assert stage.last_event("agent_settled") == {"type": "agent_settled", "aborted": False}
    session.abort_retry()  # nothing waits: nothing happens
    await session.prompt("second")
    assert session.last_assistant_text() == "fine"


async def test_what_became_of_a_prompt_is_told_before_its_events(stage_with: Build) -> None:
    stage = stage_with([{"text": "one", "delay": 0.2}, {"text": "two"}])
    extension = stage.project / "eat.py"
    extension.write_text(
        "def extension(api):\n"
        "    api.on('input', lambda event: {'handled': event['text'] == 'eat me'})\n"
        "    api.command('nothing', 'Do nothing', lambda text: None)\n"
    )
    session = await stage.open(extensions=[extension])
    seen: list[str] = []
    session.subscribe(lambda event: seen.append(event["type"]))
    for text, disposition in (("go", "started"), ("eat me", "handled"), ("/nothing", "handled")):
        seen.clear()
        await session.prompt(text, on_accepted=seen.append)
        assert seen[0] == disposition
        assert seen.count(disposition) == 1
        assert ("agent_settled" in seen) == (disposition == "started")


async def test_a_level_that_changes_with_the_model_is_told(stage_with: Build) -> None:
    stage = stage_with()
    session = await stage.open(thinking_level="high")
    thinker = session.catalogue.get("fake", "fake-thinker")
    assert thinker is not None
    session.set_model(thinker)
    assert stage.last_event("thinking_level_changed")["level"] == "high"
    stage.events.clear()
    session.set_model(thinker)
    assert stage.event_types("thinking_level_changed") == []


@pytest.mark.parametrize("kept", [True, False])
async def test_a_new_session_names_the_file_it_comes_from(stage_with: Build, kept: bool) -> None:
    stage = stage_with([{"text": "hi"}])
    session = await stage.open(None if kept else SessionManager.in_memory(stage.project))
    await session.new_session("/tmp/elsewhere.jsonl")
    assert session.manager.header.get("parentSession") == "/tmp/elsewhere.jsonl"
    await session.prompt("go")
    assert (session.manager.path is not None) == kept
    await session.new_session()
    assert "parentSession" not in session.manager.header


async def test_a_command_is_stored_in_the_session_it_was_begun_in(stage_with: Build) -> None:
    stage = stage_with([{"text": "hi"}])
    session = await stage.open()
    await session.prompt("go")
    old = session.manager.path
    assert old is not None
    running = asyncio.ensure_future(session.execute_bash("echo begun; sleep 60"))
    beside = asyncio.ensure_future(session.execute_bash("echo beside; sleep 60"))
    await asyncio.sleep(0)
    await session.new_session()
    results = [await running, await beside]
    assert [result["cancelled"] for result in results] == [True, True]
    stored = [entry["message"]["command"] for entry in entries_of(old)[-2:]]
    assert sorted(stored) == ["echo begun; sleep 60", "echo beside; sleep 60"]
    assert session.manager.tree.entries == []


async def test_a_session_that_is_left_stores_its_commands_first(stage_with: Build) -> None:
    stage = stage_with([{"text": "hi"}])
    session = await stage.open()
    await session.prompt("go")
    path = session.manager.path
    assert path is not None
    running = asyncio.ensure_future(session.execute_bash("echo begun; sleep 60"))
    await asyncio.sleep(0)
    await session.dispose()
    assert (await running)["cancelled"] is True
    assert entries_of(path)[-1]["message"]["role"] == "bashExecution"
