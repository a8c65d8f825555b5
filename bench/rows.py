"""The rows of the bench's table that need no terminal: what is measured on which files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.files import Files
from bench.printing import print_times
from bench.row import Figures, Row

if TYPE_CHECKING:
    from bench.__main__ import Measure


def _both(task: str, key: str, files: Callable[[Files], str], measure: Measure) -> Figures:
    """The same task and figure on both sides."""
    argument = files(measure.files)
    theirs = measure.theirs(task, argument)
    return measure.ours(task, argument)[key], theirs[key] if theirs else None


def _again(measure: Measure) -> Figures:
    folder = measure.files.many()
    theirs = measure.theirs("list", folder)
    return measure.ours("list", folder)["again"], theirs["cold"] if theirs else None


def _version(measure: Measure) -> Figures:
    ours = measure.command([str(Path(sys.executable).parent / "sapwood"), "--version"])
    reference = measure.reference
    return ours, measure.command(reference.version_command) if reference else None


def _print(measure: Measure) -> Figures:
    reference = measure.reference
    return print_times(reference.command if reference else None, measure.runs)


def _turn_ratio(measure: Measure) -> Figures:
    """A turn in a long session, with one in a short session in the reference's place."""
    long, short = (measure.ours("turn", measure.files.tail(n)) for n in (100_000, 1_000))
    return long["project"], short["project"]


def _ours(task: str, key: str, files: Callable[[Files], str], measure: Measure) -> Figures:
    return measure.ours(task, files(measure.files))[key], None


def _import(measure: Measure) -> Figures:
    return measure.ours("import")["import"], None


def _compacted(files: Files) -> str:
    return files.big(compacted=True)


def _plain(files: Files) -> str:
    return files.big(compacted=False)


def _chain(files: Files) -> str:
    return files.chain(200_000)


ROWS = (
    Row("open-compacted", "open + projection, 100 MB, compacted",
        partial(_both, "open", "both", _compacted), ratio=0.2),
    Row("open-plain", "open + projection, 100 MB, never compacted",
        partial(_both, "open", "both", _plain), ratio=0.6),
    Row("open-memory", "peak memory of the first",
        partial(_both, "open", "memory", _compacted), limit=150, unit="MB"),
    Row("append", "append one message",
        partial(_both, "append", "append", lambda files: "2000"), ratio=1),
    Row("list-cold", "list 2,000 sessions (160 MB), cold",
        partial(_both, "list", "cold", Files.many), ratio=0.25),
    Row("list-again", "list 2,000 sessions, again", _again, ratio=0.03),
    Row("version", "sapwood --version", _version, ratio=0.5),
    Row("print", "sapwood -p, start to exit", _print, ratio=2.5),
    Row("chain-open", "chain of 200,000 entries: open",
        partial(_both, "chain", "open", _chain), ratio=0.3),
    Row("chain-project", "… project",
        partial(_both, "chain", "project", _chain), ratio=0.3),
    Row("chain-tree", "… tree",
        partial(_both, "chain", "tree", _chain), ratio=0.3),
    Row("chain-fork", "… fork",
        partial(_both, "chain", "fork", _chain), ratio=0.3),
    Row("turn", "projection at 100,000 entries, to 1,000", _turn_ratio, ratio=2),
    Row("import", "import sapwood.session", _import, limit=100),
    Row("tree-open", "tree rows of 45,000 entries: first look",
        partial(_ours, "tree-view", "open", _compacted), limit=240),
    Row("tree-filter", "… another filter",
        partial(_ours, "tree-view", "filter", _compacted), limit=100),
    Row("tree-letter", "… a search letter, once warm",
        partial(_ours, "tree-view", "letter", _compacted), limit=80),
)  # fmt: skip
