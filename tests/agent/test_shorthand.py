"""Templates and skills of the agent dir and of a trusted project, as messages use them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.stage import request_texts

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def write_both(stage: Stage) -> None:
    for place, whose in ((stage.agent_dir, "user"), (stage.project / ".pi", "project")):
        write(place / "prompts" / "both.md", f"{whose} says $1")
        write(place / "prompts" / f"{whose}.md", f"only {whose}")
        write(
            place / "skills" / "work" / "SKILL.md",
            f"---\ndescription: Work of the {whose}.\n---\nAs the {whose} does.",
        )


async def test_the_trusted_project_comes_first(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    session = await stage.open(trust=True)
    assert session.shorthand.names() == [
        ("both", "project says $1", "prompt"),
        ("project", "only project", "prompt"),
        ("user", "only user", "prompt"),
        ("skill:work", "Work of the project.", "skill"),
    ]
    await session.prompt("/both hello")
    assert request_texts(stage.bodies()[-1])[-1] == ("user", "project says hello")


async def test_without_trust_a_project_has_none(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    session = await stage.open()
    await session.prompt("/both hello")
    await session.prompt("/project")
    said = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert said == ["user says hello", "/project"]
    assert "Work of the project" not in str(stage.bodies()[-1]["messages"][0])


async def test_skills_stand_in_the_prompt_while_files_can_be_read(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    session = await stage.open()
    await session.prompt("one")
    session.set_tools(["write"])
    await session.prompt("two")
    first, second = (str(body["messages"][0]["content"]) for body in stage.bodies())
    assert "- work: Work of the user." in first
    assert str(stage.agent_dir / "skills" / "work" / "SKILL.md") in first
    assert "Work of the user" not in second


async def test_a_skill_is_put_in_for_its_command(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    session = await stage.open()
    await session.prompt("/skill:work on\ntwo lines")
    (_, text) = request_texts(stage.bodies()[-1])[-1]
    assert "As the user does." in text
    assert text.endswith("\n\non\ntwo lines")


async def test_queued_messages_may_use_them(stage_with: Build) -> None:
    stage = stage_with([{"text": "first", "delay": 0.3}, {"text": "second"}])
    write_both(stage)
    session = await stage.open()
    session.steer("/both go")
    session.follow_up("/user")
    await session.wait_for_idle()
    said = [text for role, text in request_texts(stage.bodies()[-1]) if role == "user"]
    assert said == ["user says go", "only user"]


async def test_handlers_of_input_hear_what_was_typed(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    write(
        stage.agent_dir / "extensions" / "hear.py",
        "def extension(api):\n"
        "    api.on('input', lambda event: {'text': event['text'].replace('heard', 'changed')})\n"
        "    api.command('user', 'An extension comes first', lambda text: api.notify('mine'))\n",
    )
    session = await stage.open()
    await session.prompt("/both heard")
    await session.prompt("/user")
    assert len(stage.bodies()) == 1
    assert request_texts(stage.bodies()[-1])[-1] == ("user", "user says changed")


async def test_a_broken_skill_is_told_once_and_the_rest_works(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    write(stage.agent_dir / "skills" / "broken" / "SKILL.md", "no head")
    session = await stage.open(trust=False)
    file = stage.agent_dir / "skills" / "broken" / "SKILL.md"
    assert session.notices == [f"{file} is no skill: its head has no description."]
    assert session.shorthand.knows("skill:work")


async def test_other_slashes_are_text(stage_with: Build) -> None:
    stage = stage_with()
    write_both(stage)
    session = await stage.open()
    for text in ("/etc/hosts is odd", "/", "/ both", "see /both", "/skill:none x"):
        await session.prompt(text)
        assert request_texts(stage.bodies()[-1])[-1] == ("user", text)
