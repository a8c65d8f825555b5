"""What is kept of the session's tree between two openings of it.

Prepared in idle moments, a little at a time, a tree of any length opens and is searched at once.
"""

from __future__ import annotations

import time

from sapwood.library.tree_rows import RowTexts, TreeView
from sapwood.session.garbage import collection_paused
from sapwood.session.tree import SessionTree

CHUNK = 200


class PreparedTree:
    """Kinds and texts of the entries of one tree, and their order as the tree stands."""

    def __init__(self, tree: SessionTree) -> None:
        self.tree = tree
        self.texts = RowTexts(tree)
        self._view: TreeView | None = None
        self._entries = 0  # of which the view was made
        self._with_kind = 0
        self._with_text = 0

    def view(self) -> TreeView:
        """The tree as it stands now."""
        view = self._begun_view()
        view.read_on()
        return view

    def _begun_view(self) -> TreeView:
        tree = self.tree
        view = self._view
        if view is None or self._entries != len(tree.entries) or view.leaf_id != tree.leaf_id:
            view = self._view = TreeView(tree, texts=self.texts, read=False)
            self._entries = len(tree.entries)
        return view

    def prepare(self, seconds: float) -> bool:
        """Do what is needed to open the tree, then to search it, for about so long.

        Whether there is nothing left to do.
        """
        end = time.monotonic() + seconds
        with collection_paused():
            return self._know_kinds(end) and self._order(end) and self._know_texts(end)

    def _know_kinds(self, end: float) -> bool:
        entries = self.tree.entries
        while self._with_kind < len(entries) and time.monotonic() < end:
            following = min(self._with_kind + CHUNK, len(entries))
            self.texts.kinds(entries[self._with_kind : following])
            self._with_kind = following
        return self._with_kind == len(entries)

    def _order(self, end: float) -> bool:
        return self._begun_view().read_on(end - time.monotonic())

    def _know_texts(self, end: float) -> bool:
        entries = self.tree.entries
        while self._with_text < len(entries):
            following = min(self._with_text + CHUNK, len(entries))
            chunk = entries[self._with_text : following]
            if not self.texts.warm(chunk, end - time.monotonic()):
                return False
            self._with_text = following
        return True


_kept: list[PreparedTree] = []


def prepared(tree: SessionTree) -> PreparedTree:
    """What is known of ``tree``; what was known of another one is let go."""
    if not _kept or _kept[0].tree is not tree:
        _kept[:] = [PreparedTree(tree)]
    return _kept[0]
