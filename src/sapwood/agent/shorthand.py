"""What people type for something longer: ``/name`` of a prompt template, ``/skill:name``.

Both are looked for in the trusted project first, then in the agent dir; of two with one name the
first counts. Commands of extensions come before them, and the handlers of ``input`` see what was
typed, not what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from sapwood.agent.settings import PROJECT_FOLDER

if TYPE_CHECKING:
    from sapwood.agent.prompt_templates import PromptTemplate
    from sapwood.agent.skills import Skill

Kind: TypeAlias = Literal["prompt", "skill"]
Named = TypeVar("Named", "PromptTemplate", "Skill")
SKILL_PREFIX = "skill:"
_TYPED = re.compile(r"/(\S+)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shorthand:
    """``problems``: one line for each file that could not be used."""

    templates: Sequence[PromptTemplate] = ()
    skills: Sequence[Skill] = ()
    problems: Sequence[str] = ()

    @classmethod
    def load(cls, agent_dir: Path, trusted_project: Path | None) -> Shorthand:
        """Read ``prompts/`` and ``skills/`` of both places."""
        places = [] if trusted_project is None else [trusted_project / PROJECT_FOLDER]
        places.append(agent_dir)
        templates: list[PromptTemplate] = []
        skills: list[Skill] = []
        problems: list[str] = []
        for place in places:
            if (place / "prompts").is_dir():
                from sapwood.agent.prompt_templates import load_templates

                templates += load_templates(place / "prompts")
            if (place / "skills").is_dir():
                from sapwood.agent.skills import load_skills

                found, wrong = load_skills(place / "skills")
                skills += found
                problems += wrong
        return cls(_first_of_each(templates), _first_of_each(skills), problems)

    def expand(self, typed: str) -> str:
        """What is meant; the text itself if it begins with no name that is known here."""
        found = _TYPED.fullmatch(typed)
        if found is None:
            return typed
        name, arguments = found.groups()
        for template in self.templates:
            if template.name == name:
                return template.filled(arguments.strip())
        for skill in self.skills:
            if SKILL_PREFIX + skill.name == name:
                return skill.applied_to(arguments.strip())
        return typed

    def knows(self, name: str) -> bool:
        """Whether ``/name`` stands for something."""
        return any(each == name for each, _, _ in self.names())

    def names(self) -> list[tuple[str, str, Kind]]:
        """For menus: what to type after the slash, what it is for, and its kind."""
        rows: list[tuple[str, str, Kind]] = [
            (each.name, f"{each.description} {each.hint}".strip(), "prompt")
            for each in self.templates
        ]
        return rows + [
            (SKILL_PREFIX + each.name, each.description, "skill") for each in self.skills
        ]


def _first_of_each(found: Iterable[Named]) -> list[Named]:
    by_name: dict[str, Named] = {}
    for each in found:
        by_name.setdefault(each.name, each)
    return list(by_name.values())
