"""The files of a folder, for completion: what git knows, else a bounded walk."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from sapwood.text import one_line

MAX_FILES = 20_000
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv", ".tox", "target"})


def files_below(folder: Path) -> list[str]:
    """Relative paths with ``/`` between parts, folders with a ``/`` at the end; at most MAX_FILES.

    A name with control characters in it is left out: the editor could not hold it as it is.
    Blocks; call it from a thread.
    """
    files = _from_git(folder)
    if files is None:
        files = _from_walk(folder)
    files = [name for name in files if one_line(name) == name]
    folders = {f"{parent}/" for name in files for parent in _parents(name)}
    return sorted(folders) + sorted(files)


def _parents(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[: index + 1]) for index in range(len(parts))]


def _from_git(folder: Path) -> list[str] | None:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=3, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode != 0:
        return None
    names = done.stdout.decode("utf-8", "replace").split("\0")
    return [name for name in dict.fromkeys(names) if name][:MAX_FILES]


def _from_walk(folder: Path) -> list[str]:
    found: list[str] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        base = Path(root).relative_to(folder)
        found.extend((base / name).as_posix() for name in sorted(names))
        if len(found) >= MAX_FILES:
            break
    return found[:MAX_FILES]
