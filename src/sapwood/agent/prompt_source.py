"""Where the system prompt of a session comes from: files and flags, read once."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sapwood.agent.context_files import (
    ContextFile,
    append_texts,
    custom_prompt,
    load_context_files,
)
from sapwood.agent.skills import Skill
from sapwood.agent.system_prompt import build_prompt_sections
from sapwood.agent.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class PromptSource:
    cwd: Path
    custom: str | None = None
    append: tuple[str, ...] = ()
    context_files: tuple[ContextFile, ...] = ()
    skills: tuple[Skill, ...] = ()

    @classmethod
    def load(
        cls,
        cwd: Path,
        agent_dir: Path,
        *,
        trusted: bool,
        system_prompt: str | None = None,
        append_system_prompt: Sequence[str] = (),
        with_context_files: bool = True,
        skills: Sequence[Skill] = (),
    ) -> PromptSource:
        """Read what flags and files say; a flag's value is a text or the name of a file."""
        project = cwd if trusted else None
        return cls(
            cwd,
            custom_prompt(system_prompt, agent_dir, cwd, project),
            tuple(append_texts(append_system_prompt, agent_dir, cwd, project)),
            tuple(load_context_files(agent_dir, cwd)) if with_context_files else (),
            tuple(skills),
        )

    def sections(self, tools: Sequence[Tool]) -> dict[str, str]:
        """The prompt as of today with these tools."""
        return build_prompt_sections(
            tools=tools,
            cwd=self.cwd,
            today=date.today().isoformat(),
            platform=platform.system(),
            context_files=self.context_files,
            skills=self.skills,
            custom=self.custom,
            append=self.append,
        )
