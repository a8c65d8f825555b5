"""Which files git, and so the search tools, pass over: ``.gitignore`` and ``.ignore`` rules.

Rules count in the folder of their file and below; the last one that matches decides; ``!`` takes a
match back. A folder that is ignored is not entered at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sapwood.agent.tools.globs import glob_regex

IGNORE_FILES = (".gitignore", ".ignore")
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """``regex`` matches a path relative to the folder of the rule's file."""

    regex: re.Pattern[str]
    takes_back: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """All rules in force in one folder, outermost first, each with the folder it is relative to."""

    rules: tuple[tuple[str, Rule], ...] = ()

    def entering(self, folder: Path) -> IgnoreRules:
        """With the rules of ``folder``'s own ignore files added."""
        own = tuple(
            (str(folder), rule) for name in IGNORE_FILES for rule in _read_rules(folder / name)
        )
        return IgnoreRules(self.rules + own) if own else self

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether the file or folder with this full path is passed over."""
        for base, rule in reversed(self.rules):
            relative = path[len(base) :].lstrip("/")
            if (is_folder or not rule.folders_only) and rule.regex.fullmatch(relative):
                return not rule.takes_back
        return False


def rules_above(folder: Path) -> IgnoreRules:
    """The rules that the folders above ``folder`` set, up to the root of its git repository."""
    above: list[Path] = []
    for parent in folder.parents:
        if os.path.exists(folder / ".git"):
            break
        above.append(parent)
        if os.path.exists(parent / ".git"):
            break
    else:
        above = []
    rules = IgnoreRules()
    root = above[-1] if above else folder
    exclude = tuple((str(root), rule) for rule in _read_rules(root / ".git" / "info" / "exclude"))
    rules = IgnoreRules(exclude)
    for parent in reversed(above):
        rules = rules.entering(parent)
    return rules


def parse_rules(lines: Iterable[str]) -> list[Rule]:
    """The rules of one ignore file; lines that make no sense are passed over, as git does."""
    return [rule for line in lines if (rule := _parse(line)) is not None]


def _read_rules(file: Path) -> list[Rule]:
    try:
        if not file.is_file():
            return []
        with file.open("rb") as stream:
            text = stream.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    return parse_rules(text.split("\n"))


@lru_cache(maxsize=4096)
def _parse(line: str) -> Rule | None:
    line = re.sub(r"(?<!\\)[ \t\r]+$", "", line)
    if not line or line.startswith("#"):
        return None
    takes_back = line.startswith("!")
    pattern = line[1:] if takes_back else line
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    try:
        regex = re.compile(glob_regex(pattern.lstrip("/").replace("{", "\\{")), re.DOTALL)
    except re.error:
        return None
    return Rule(regex, takes_back, folders_only) if pattern.strip("/") else None
