"""The last steps of the demo: what a model sees, and what a move in the tree changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sapwood.library.tree_rows import TreeRows, TreeView
from sapwood.modes.cli.render_context import ContextReport
from sapwood.session.manager import SessionManager
from sapwood.session.tree import CURRENT, Leaf

WIDTH = 78

Say = Callable[[str], None]


def tour(path: Path, title: Say, say: Say) -> None:
    """Look at the session from its leaf, then from the end of a branch that was left."""
    with SessionManager.open(path, writer="none") as manager:
        title("What the model sees now, and which entry each message comes from")
        _context(manager, CURRENT, say)
        end = _end_of_left_branch(TreeView(manager.tree).rows())
        if end is not None:
            title("What a move to the branch that was left would change")
            _context(manager, end, say)


def _context(manager: SessionManager, leaf: Leaf, say: Say) -> None:
    for line in ContextReport(manager.tree, leaf).table(WIDTH):
        say(f"  {line}")


def _end_of_left_branch(rows: TreeRows) -> str | None:
    """The last entry off the active path; branches that were left are drawn after it."""
    return next((row.entry.id for row in reversed(rows) if not row.on_path), None)
