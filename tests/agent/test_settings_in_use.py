"""What settings do to a session: models, levels, tools, retries, where sessions are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sapwood.agent.cycling import next_model
from sapwood.errors import SapwoodError
from support.command import sapwood

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]
DEFAULT = {"defaultProvider": "fake", "defaultModel": "fake-thinker"}


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        ({}, "medium"),
        ({"defaultThinkingLevel": "high"}, "high"),
        ({"modelThinkingLevels": {"fake/fake-thinker": "low"}}, "low"),
        ({"modelThinkingLevels": {"fake/other": "low"}}, "medium"),
        (
            {"defaultThinkingLevel": "high", "modelThinkingLevels": {"fake/fake-thinker": "low"}},
            "low",
        ),
    ],
)
async def test_how_much_it_thinks_at_first(
    stage_with: Build, settings: dict[str, Any], level: str
) -> None:
    session = await stage_with(settings=DEFAULT | settings).open(model=None)
    assert (session.model_name, session.thinking_level) == ("fake/fake-thinker", level)
    given = await stage_with(settings=settings).open(model="fake/fake-thinker:minimal")
    assert given.thinking_level == "minimal"


async def test_another_model_brings_its_own_level(stage_with: Build) -> None:
    settings = {"modelThinkingLevels": {"fake/fake-thinker": "high"}}
    session = await stage_with(settings=settings).open(thinking_level="low")
    model = session.catalogue.get("fake", "fake-thinker")
    assert model is not None
    session.set_model(model)
    assert session.thinking_level == "high"


@pytest.mark.parametrize(
    ("patterns", "begins_with"),
    [
        (["fake/fake-small", "*large"], "fake/fake-small"),
        (["*large", "fake-small"], "fake/fake-large"),
        (["fake-1", "*thinker"], "fake/fake-thinker"),  # the default is among them
    ],
)
async def test_it_begins_with_an_enabled_model(
    stage_with: Build, patterns: list[str], begins_with: str
) -> None:
    by_setting = await stage_with(settings=DEFAULT | {"enabledModels": patterns}).open(model=None)
    by_flag = await stage_with(settings=DEFAULT).open(model=None, models=patterns)
    assert by_setting.model_name == by_flag.model_name == begins_with
    assert by_setting.notices == []


async def test_a_level_goes_with_an_enabled_model(stage_with: Build) -> None:
    session = await stage_with().open(model=None, models=["fake-thinker:xhigh"])
    assert session.thinking_level == "xhigh"


async def test_stepping_through_enabled_models_takes_their_levels_along(stage_with: Build) -> None:
    session = await stage_with().open(model=None, models=["fake-thinker:high", "fake-1"])
    assert (session.model_name, session.thinking_level) == ("fake/fake-thinker", "high")
    session.set_thinking_level("low")
    for name, level in (("fake/fake-1", "off"), ("fake/fake-thinker", "high")):
        choice = next_model(session)
        assert choice is not None
        session.set_model(choice.model, choice.thinking_level)
        assert (session.model_name, session.thinking_level) == (name, level)


async def test_patterns_that_fit_nothing_are_told(stage_with: Build) -> None:
    session = await stage_with(settings=DEFAULT).open(model=None, models=["hammer", "nail*"])
    assert session.notices == ["No available model fits hammer, nail*."]
    assert session.model_name == "fake/fake-thinker"


async def test_the_model_of_a_session_is_kept_whatever_is_enabled(stage_with: Build) -> None:
    stage = stage_with(settings={"enabledModels": ["fake-large"]})
    session = await stage.open(model="fake/fake-small")
    await session.prompt("hello")
    await session.dispose()
    again = await stage.open(session.manager.open(session.manager.path), model=None)
    assert again.model_name == "fake/fake-small"


async def test_the_default_model_is_not_looked_for_at_another_provider(stage_with: Build) -> None:
    stage = stage_with(settings={"defaultProvider": "openai", "defaultModel": "gpt-5"})
    session = await stage.open(model=None, provider="fake")
    assert session.model_name == "fake/fake-1"


@pytest.mark.parametrize(
    ("setting", "tools"),
    [
        (["read", "grep"], ["read", "grep"]),
        (["+grep", "-bash"], ["read", "edit", "write", "grep"]),
        (["+codemode"], ["read", "bash", "edit", "write"]),
        (["read", "codemode"], ["read"]),
        ([], []),
    ],
)
async def test_tools_that_are_on_by_default(
    stage_with: Build, setting: list[str], tools: list[str]
) -> None:
    """Names of tools that another program has are passed over: the file is shared with it."""
    session = await stage_with(settings={"defaultTools": setting}).open()
    assert session.active_tools == tools


async def test_flags_change_the_default_tools(stage_with: Build) -> None:
    stage = stage_with(settings={"defaultTools": ["read", "ls"]})
    assert (await stage.open(tools="+grep,-ls")).active_tools == ["read", "grep"]
    with pytest.raises(SapwoodError, match="There is no tool 'codemode'"):
        await stage.open(tools="+codemode")


def slow_down(seconds: int) -> dict[str, Any]:
    body = {"error": {"message": f"Rate limit reached. Please try again in {seconds}s."}}
    return {"error": {"status": 429, "body": body}}


async def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(stage_with: Build) -> None:
    stage = stage_with([slow_down(3)], settings={"retry": {"maxAgentDelayMs": 2000}})
    session = await stage.open()
    await session.prompt("hello")
    assert len(stage.requests) == 1
    answer = session.last_answer()
    assert answer is not None
    assert answer["stopReason"] == "error"


async def test_retries_can_be_fewer_or_off(stage_with: Build) -> None:
    for settings, requests in (({"maxRetries": 1, "baseDelayMs": 1}, 2), ({"enabled": False}, 1)):
        stage = stage_with([{"error": "500"}], settings={"retry": settings})
        session = await stage.open()
        await session.prompt("hello")
        assert len(stage.requests) == requests


def test_sessions_are_kept_where_the_setting_says(stage_with: Build, tmp_path: Path) -> None:
    settings = {"defaultProvider": "fake", "defaultModel": "fake-1", "sessionDir": "kept"}
    stage = stage_with([{"text": "ok"}], settings=settings)
    sapwood(["-p", "hello"], cwd=stage.project, agent_dir=stage.agent_dir)
    sapwood(["-c", "-p", "again"], cwd=stage.project, agent_dir=stage.agent_dir)
    assert len(list((stage.project / "kept").glob("*.jsonl"))) == 1
    flag = ["--session-dir", str(tmp_path / "flag"), "-p", "hello"]
    sapwood(flag, cwd=stage.project, agent_dir=stage.agent_dir)
    assert len(list((tmp_path / "flag").glob("*.jsonl"))) == 1
