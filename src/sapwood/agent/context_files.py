"""Standing instructions that people keep in files: AGENTS.md and its kin, SYSTEM.md and so on.

Context files are read from the agent dir, then from every folder between the root and the working
folder; in each folder the first of ``CONTEXT_NAMES`` counts. They need no trust: they are text, and
the model is told where it came from. SYSTEM.md and APPEND_SYSTEM.md change the prompt itself: the
project's beat the agent dir's, and count only once the project is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sapwood.agent.settings import PROJECT_FOLDER
from sapwood.agent.tools.regular_file import open_regular
from sapwood.agent.tools.tool import ToolError

CONTEXT_NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")
MAX_BYTES = 256 * 1024
"""More than this of one file is cut off, with a note for the model."""


@dataclass(frozen=True, slots=True)
class ContextFile:
    path: Path
    text: str


def load_context_files(agent_dir: Path, cwd: Path) -> list[ContextFile]:
    """The context files in force in ``cwd``, widest first; what cannot be read is passed over."""
    here = Path(os.path.abspath(cwd))
    folders = [agent_dir, *reversed(here.parents), here]
    found: dict[str, ContextFile] = {}
    for folder in folders:
        file = _first_readable(folder)
        if file is not None:
            found.setdefault(os.path.realpath(file.path), file)
    return list(found.values())


def _first_readable(folder: Path) -> ContextFile | None:
    for name in CONTEXT_NAMES:
        text = read_text_file(folder / name)
        if text is not None:
            return ContextFile(folder / name, text)
    return None


def prompt_file(name: str, agent_dir: Path, trusted_project: Path | None) -> str | None:
    """The text of ``SYSTEM.md`` or ``APPEND_SYSTEM.md``, or None if there is none."""
    if trusted_project is not None:
        text = read_text_file(trusted_project / PROJECT_FOLDER / name)
        if text is not None:
            return text
    return read_text_file(agent_dir / name)


def text_or_file(given: str, cwd: Path) -> str:
    """What a flag such as ``--system-prompt`` means: that file's text if it is one, else itself."""
    if "\n" in given or len(given) > 4096 or "\0" in given:
        return given
    text = read_text_file(cwd / os.path.expanduser(given))
    return given if text is None else text


def read_text_file(path: Path) -> str | None:
    """The text of a regular file; None if it is missing, something else, or not readable."""
    try:
        with open_regular(path, path.parent) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ToolError):
        return None
    text = data[:MAX_BYTES].decode("utf-8-sig", "replace")
    return text + f"\n[cut here: {path} is too long]" if len(data) > MAX_BYTES else text


def append_texts(
    flags: Sequence[str], agent_dir: Path, cwd: Path, trusted_project: Path | None
) -> list[str]:
    """What is added to the prompt: the ``--append-system-prompt`` flags, else APPEND_SYSTEM.md."""
    if flags:
        return [text_or_file(flag, cwd) for flag in flags]
    text = prompt_file("APPEND_SYSTEM.md", agent_dir, trusted_project)
    return [text] if text is not None else []


def custom_prompt(
    flag: str | None, agent_dir: Path, cwd: Path, trusted_project: Path | None
) -> str | None:
    """What replaces our own prompt: the ``--system-prompt`` flag, else SYSTEM.md, else nothing."""
    if flag is not None:
        return text_or_file(flag, cwd)
    return prompt_file("SYSTEM.md", agent_dir, trusted_project)
