"""Walk a folder the way the search tools see it: hidden files too, ignored ones and ``.git`` not.

Symbolic links are listed and not followed. Folders come in alphabetical order, so results do not
change from one call to the next.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sapwood.agent.tools.ignore import IgnoreRules, rules_above


def walk(root: Path) -> Iterator[tuple[str, bool]]:
    """``(path relative to root with /, is it a folder)``; what cannot be read is passed over."""
    pending: list[tuple[str, IgnoreRules]] = [("", rules_above(root))]
    while pending:
        relative, above = pending.pop()
        folder = root / relative
        rules = above.entering(folder)
        below: list[tuple[str, IgnoreRules]] = []
        for entry in _entries(folder):
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name == ".git" or rules.ignores(entry.path, is_folder):
                continue
            path = f"{relative}/{entry.name}" if relative else entry.name
            yield path, is_folder
            if is_folder:
                below.append((path, rules))
        pending += reversed(below)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
