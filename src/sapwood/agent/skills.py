"""Skills: folders with a ``SKILL.md`` that tells how a particular kind of work is done.

The system prompt lists each with its name, description and file; the model reads the file when a
task calls for it. ``/skill:name`` puts the whole text before what was typed behind it. The head of
the file must say ``description`` and may say ``name`` (else the folder's name counts) and
``disable-model-invocation: true``: then it is not listed, and only the command uses it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sapwood.agent.context_files import read_text_file
from sapwood.agent.front_matter import split_front_matter
from sapwood.text import one_line

FILE_NAME = "SKILL.md"
MAX_DESCRIPTION = 1024
_NAME = re.compile(r"[\w.-]{1,64}")
_PASSED_OVER = {"node_modules", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    file: Path
    listed: bool
    text: str

    def applied_to(self, request: str) -> str:
        """The skill's text, and what is to be done with it."""
        text = self.text.strip().replace("</skill>", "</ skill>")
        head = f"Paths in these instructions are relative to {self.file.parent}."
        skill = f'<skill name="{self.name}">\n{head}\n\n{text}\n</skill>'
        return f"{skill}\n\n{request}" if request else skill


def load_skills(folder: Path) -> tuple[list[Skill], list[str]]:
    """The skills anywhere below ``folder``, and one line for each that cannot be used."""
    skills: list[Skill] = []
    problems: list[str] = []
    for file in _skill_files(folder, set()):
        made = _skill(file)
        if isinstance(made, Skill):
            skills.append(made)
        else:
            problems.append(f"{file} is no skill: {made}.")
    return skills, problems


def _skill_files(folder: Path, seen: set[str]) -> Iterator[Path]:
    """What is inside a skill's own folder belongs to it and is not searched."""
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    if (folder / FILE_NAME).is_file():
        yield folder / FILE_NAME
        return
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return
    for name in names:
        if not name.startswith(".") and name not in _PASSED_OVER:
            yield from _skill_files(folder / name, seen)


def _skill(file: Path) -> Skill | str:
    """The skill, or what is wrong with it."""
    text = read_text_file(file)
    if text is None:
        return "it cannot be read"
    fields, body = split_front_matter(text)
    name = fields.get("name") or file.parent.name
    if not _NAME.fullmatch(name):
        return f"its name {one_line(name)!r} is not made of letters, digits and hyphens"
    description = one_line(fields.get("description", ""))[:MAX_DESCRIPTION].strip()
    if not description:
        return "its head has no description"
    listed = fields.get("disable-model-invocation", "").lower() != "true"
    return Skill(name, description, file, listed, body)


def skills_section(skills: Sequence[Skill]) -> str:
    """What the system prompt says of them; "" when there is nothing to say."""
    rows = [
        f"- {skill.name}: {skill.description} ({one_line(str(skill.file))})"
        for skill in skills
        if skill.listed
    ]
    if not rows:
        return ""
    intro = (
        "Skills tell how a particular kind of work is done here. When a task fits one, read its "
        "file before you begin and follow it; paths in it are relative to the file's folder."
    )
    return "\n".join([intro, *rows])
