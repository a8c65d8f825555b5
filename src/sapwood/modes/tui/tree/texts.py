"""The row texts of the session at hand, kept between two openings of its tree."""

from __future__ import annotations

from sapwood.library.tree_rows import RowTexts
from sapwood.session.tree import SessionTree

_kept: list[tuple[SessionTree, RowTexts]] = []


def texts_of(tree: SessionTree) -> RowTexts:
    """The texts of ``tree``; those of another tree are let go.

    ``texts_of(tree).warm(tree.entries, seconds)`` prepares opening and searching in idle moments.
    """
    if not _kept or _kept[0][0] is not tree:
        _kept[:] = [(tree, RowTexts(tree))]
    return _kept[0][1]
