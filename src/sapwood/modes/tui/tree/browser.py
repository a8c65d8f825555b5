"""Where one stands in the tree: filter, search, folds and cursor, without a screen.

The cursor has an anchor: the entry on which the user last put it. A filter or a search may hide
that entry, and the cursor then stands at the nearest row above it; as soon as it is shown again the
cursor is back on it. Folds stay through all of that.

A search looks at what has been read so far, the newest entries first, and finds more as `read_on`
reads the others: the first rows of a long session are there at once.
"""

from __future__ import annotations

import time

from sapwood.library.tree_rows import TreeFilter, TreeRow, TreeRows
from sapwood.modes.tui.tree.prepared import PreparedTree
from sapwood.session.garbage import collection_paused

FILTERS = tuple(TreeFilter)

READ_AT_ONCE = 0.03
"""Seconds of reading before the first rows of a search are shown: enough for a usual session."""
CHUNK = 200


class TreeBrowser:
    """``rows`` are what is shown, ``cursor`` the index of the row one stands on (0 if none)."""

    def __init__(
        self,
        known: PreparedTree,
        shown: TreeFilter = TreeFilter.DEFAULT,
        cursor: str | None = None,
    ) -> None:
        self.tree = tree = known.tree
        self.texts = known.texts
        self._known = known
        self.shown = shown
        self.search = ""
        self.folds: set[str] = set()
        self.anchor = cursor or tree.leaf_id
        self.refresh()

    def refresh(self) -> None:
        """Read the tree again: entries or labels were added."""
        with collection_paused():
            self.view = self._known.view()
            self._unread = len(self.tree.entries)
            self._show()

    def read_on(self, seconds: float) -> None:
        """Read, for about so long, what a search looks at; newest entries first."""
        end = time.monotonic() + seconds
        entries = self.tree.entries
        while self._unread:
            start = max(self._unread - CHUNK, 0)
            newest_first = entries[start : self._unread][::-1]
            if not self.texts.warm(newest_first, end - time.monotonic()):
                return
            self._unread = start

    @property
    def unread(self) -> int:
        """How many entries a search has not looked at yet."""
        return self._unread

    def _show(self) -> None:
        self.rows: TreeRows = self.view.rows(
            self.shown, self.search.strip(), self.folds, only_warm=True
        )
        self.cursor = self._index_of(self.anchor)
        self.leaf_row = self._row_of_leaf()

    def _row_of_leaf(self) -> int | None:
        """The last shown row of the active path: below it the conversation goes on."""
        near = self._index_of(self.view.leaf_id)
        return near if len(self.rows) and self.rows[near].on_path else None

    def _index_of(self, entry_id: str | None) -> int:
        near = self.rows.index_near(entry_id) if entry_id is not None else None
        return near or 0

    @property
    def row(self) -> TreeRow | None:
        """The row one stands on."""
        return self.rows[self.cursor] if len(self.rows) else None

    @property
    def hidden(self) -> int:
        """How many entries have no row now."""
        return len(self.view.entries) - len(self.rows)

    # Moving

    def stand(self, index: int) -> None:
        """Stand on a row, or on the first or last when there is none with this index."""
        if len(self.rows):
            self.cursor = min(max(index, 0), len(self.rows) - 1)
            self.anchor = self.rows.entry(self.cursor).id

    def move(self, step: int) -> None:
        """Up or down; past an end, to the other one."""
        if len(self.rows):
            self.stand((self.cursor + step) % len(self.rows))

    # What is shown

    def use_filter(self, shown: TreeFilter) -> None:
        """Show this; when it is shown already, the default again."""
        self.shown = TreeFilter.DEFAULT if shown is self.shown else shown
        self._show()

    def cycle_filter(self, step: int) -> None:
        self.shown = FILTERS[(FILTERS.index(self.shown) + step) % len(FILTERS)]
        self._show()

    def search_for(self, text: str) -> None:
        """Show the rows that hold all words of ``text``, among what has been read."""
        self.search = text
        if text.strip():
            self.read_on(READ_AT_ONCE)
        self._show()

    def search_again(self) -> None:
        """Show what was found meanwhile."""
        self._show()

    def without_filter(self) -> int:
        """How many rows the search finds among all entries."""
        return len(self.view.rows(TreeFilter.ALL, self.search, only_warm=True))

    # Folds and branch segments

    def fold_or_up(self) -> None:
        """Fold what is below; else go to the start of this segment or of the one before."""
        row = self.row
        if row is None:
            return
        if row.fold == "open" and not self.search.strip():
            self.folds.add(row.entry.id)
            self.anchor = row.entry.id
            self._show()
            return
        head = self.rows.head(self.cursor)
        if head == self.cursor and self.cursor:
            above = self._index_of(row.entry.parent_id) if row.entry.parent_id else self.cursor - 1
            head = self.rows.head(min(above, self.cursor - 1))
        self.stand(head)

    def unfold_or_down(self) -> None:
        """Unfold; else go to the start of the next segment, from the last one to its end."""
        row = self.row
        if row is None:
            return
        if row.fold == "folded":
            self.folds.discard(row.entry.id)
            self._show()
            return
        following = self.rows.next_head(self.cursor)
        self.stand(len(self.rows) - 1 if following is None else following)
