"""May this project's own settings, extensions and prompts be loaded?

They can run code, so a person decides, once per folder. Decisions are kept in
``<agent dir>/trust.json`` as ``{real path: true | false}``; the closest folder at or above the
project counts. A decision for one run (``--approve``, ``--no-approve``) beats them and is not kept.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from sapwood.agent.settings import PROJECT_FOLDER
from sapwood.errors import SettingsError
from sapwood.files import folder_lock, write_atomic

FILE_NAME = "trust.json"
PROTECTED = ("settings.json", "extensions", "prompts", "skills", "SYSTEM.md", "APPEND_SYSTEM.md")
"""What counts only in a trusted project, by its name in the project's ``.pi`` folder."""


def protected_files(project_dir: Path) -> list[Path]:
    """What the project has that would need trust; an empty list means nobody has to be asked."""
    folder = project_dir / PROJECT_FOLDER
    return [folder / name for name in PROTECTED if os.path.lexists(folder / name)]


def is_trusted(
    agent_dir: Path,
    project_dir: Path,
    *,
    override: bool | None = None,
    default: Literal["ask", "always", "never"] = "ask",
) -> bool | None:
    """Whether the project is trusted; None = nobody has decided, and there is something to decide.

    Raises:
        SettingsError: trust.json is damaged.
    """
    if override is not None:
        return override
    saved = saved_decision(agent_dir, project_dir)
    if saved is not None:
        return saved
    if not protected_files(project_dir):
        return False
    return {"ask": None, "always": True, "never": False}[default]


def saved_decision(agent_dir: Path, project_dir: Path) -> bool | None:
    """What was decided for the project or the closest folder above it."""
    decisions = _read(agent_dir / FILE_NAME)
    real = Path(os.path.realpath(project_dir))
    for folder in (real, *real.parents):
        if str(folder) in decisions:
            return decisions[str(folder)]
    return None


def save_decision(agent_dir: Path, project_dir: Path, trusted: bool) -> None:
    """Remember the decision for the project and the folders in it.

    Raises:
        SettingsError: trust.json is damaged or cannot be written.
    """
    file = agent_dir / FILE_NAME
    try:
        with folder_lock(file):
            decisions = _read(file) | {os.path.realpath(project_dir): trusted}
            text = msgspec.json.format(msgspec.json.encode(decisions), indent=2)
            write_atomic(file, text + b"\n")
    except OSError as error:
        raise SettingsError(f"{file}: cannot be written: {error.strerror}") from error


def _read(file: Path) -> dict[str, bool]:
    try:
        return msgspec.json.decode(file.read_bytes() or b"{}", type=dict[str, bool])
    except FileNotFoundError:
        return {}
    except (msgspec.MsgspecError, OSError, RecursionError) as error:
        raise SettingsError(f"{file}: cannot be read: {error}") from error
