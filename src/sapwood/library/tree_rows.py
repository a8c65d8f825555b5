"""The tree as rows: what the session command prints and the terminal UI scrolls through. Pure.

The active branch comes first at every branch point, a straight chain stays flat, and only a branch
point indents. A hidden entry's children hang under its nearest shown ancestor. Rows are made when
they are looked at, so a long session costs a screenful; each pass over the tree is linear and
without recursion.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import overload

from sapwood.library.tree_kinds import Kind, kind_of, kinds_of
from sapwood.library.tree_text import row_text
from sapwood.session.entry import Entry
from sapwood.session.garbage import collection_paused
from sapwood.session.tree import CURRENT, Leaf, SessionTree
from sapwood.text import one_line

PAUSE_AFTER = 1000
"""Entries that are put in order at a time."""

MAX_LEVELS = 6
"""Branch levels drawn; what is deeper loses the outer ones."""


class TreeFilter(StrEnum):
    """Which entries are shown. The names are those of the setting ``treeFilterMode``."""

    DEFAULT = "default"
    NO_TOOLS = "no-tools"
    USER_ONLY = "user-only"
    LABELED_ONLY = "labeled-only"
    ALL = "all"


_BOOKKEEPING = frozenset(
    {
        Kind.MODEL,
        Kind.THINKING,
        Kind.EDIT,
        Kind.LABEL,
        Kind.NAME,
        Kind.USAGE,
        Kind.STATE,
        Kind.OTHER,
    }
)
_HIDDEN = {
    TreeFilter.DEFAULT: _BOOKKEEPING | {Kind.CALLS},
    TreeFilter.NO_TOOLS: _BOOKKEEPING | {Kind.CALLS, Kind.TOOL},
    TreeFilter.USER_ONLY: frozenset(Kind) - {Kind.USER},
    TreeFilter.LABELED_ONLY: frozenset[Kind](),
    TreeFilter.ALL: frozenset[Kind](),
}
_SPEAKERS = {
    Kind.USER: "user",
    Kind.ASSISTANT: "assistant",
    Kind.CALLS: "assistant",
    Kind.SYSTEM: "system",
}


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One row. ``text`` and ``label`` are on one line and harmless on a terminal.

    ``guides`` are the lines that lead to the row, of bounded width; ``depth`` is the true number of
    branch levels. ``branches`` counts the rows that follow directly (2 and more: a branch point).
    ``fold`` is "" where nothing can be folded, else "open" or "folded" (``folded_rows`` hidden).
    """

    entry: Entry
    kind: Kind
    text: str
    label: str | None
    on_path: bool
    is_leaf: bool
    branches: int
    depth: int
    guides: str
    fold: str
    folded_rows: int

    @property
    def speaker(self) -> str:
        """Who speaks; "" for rows whose text says what they are."""
        return _SPEAKERS.get(self.kind, "")


class RowTexts:
    """Kind and text of entries, kept for as long as this lives. Entries never change."""

    def __init__(self, tree: SessionTree) -> None:
        self._tree = tree
        self._kinds: dict[Entry, Kind] = {}
        self._texts: dict[Entry, str] = {}
        self._haystacks: dict[Entry, str] = {}

    def kind(self, entry: Entry) -> Kind:
        kind = self._kinds.get(entry)
        if kind is None:
            kind = self._kinds[entry] = kind_of(entry)
        return kind

    def kinds(self, entries: Sequence[Entry]) -> list[Kind]:
        known = self._kinds
        known.update(kinds_of(entry for entry in entries if entry not in known))
        return [known[entry] for entry in entries]

    def text(self, entry: Entry) -> str:
        text = self._texts.get(entry)
        if text is None:
            text = self._texts[entry] = row_text(self._tree, entry, self.kind(entry))
        return text

    def haystack(self, entry: Entry) -> str:
        """What a search looks at: the row as it is shown, in lower case, without the label."""
        found = self._haystacks.get(entry)
        if found is None:
            speaker = _SPEAKERS.get(self.kind(entry), "")
            found = self._haystacks[entry] = f"{speaker}: {self.text(entry)}".lower()
        return found

    def haystacks(self, entries: Iterable[Entry], *, only_warm: bool) -> list[str]:
        """Those of ``entries``; with ``only_warm`` "" for what was not prepared yet."""
        known = self._haystacks
        if only_warm:
            return [known.get(entry, "") for entry in entries]
        return [known.get(entry) or self.haystack(entry) for entry in entries]

    def warm(self, entries: Sequence[Entry], seconds: float) -> bool:
        """Prepare opening, then searching; for so long at most. Whether all is done.

        For idle moments: a tree that was warmed opens and searches at once.
        """
        end = time.monotonic() + seconds
        for known, prepare in ((self._kinds, self.kind), (self._haystacks, self.haystack)):
            for entry in entries:
                if entry not in known:
                    prepare(entry)
                    if time.monotonic() > end:
                        return False
        return True


class TreeView:
    """A tree seen from a leaf: every entry once, in the order in which rows appear.

    It is read at once, or with ``read=False`` by `read_on`, part by part.
    """

    def __init__(
        self,
        tree: SessionTree,
        leaf: Leaf = CURRENT,
        texts: RowTexts | None = None,
        *,
        read: bool = True,
    ) -> None:
        self.tree = tree
        self.leaf_id = tree.resolve(leaf)
        self.texts = texts if texts is not None else RowTexts(tree)
        self.path = {entry.id for entry in tree.ancestors(self.leaf_id)}
        self.entries: list[Entry] = []
        self._up: list[int] = []
        self._reading = _in_order(tree, self.path, self.entries, self._up)
        if read:
            self.read_on()

    def read_on(self, seconds: float = math.inf) -> bool:
        """Read for about so long; whether all entries are in order now."""
        end = time.monotonic() + seconds
        with collection_paused():
            return not any(time.monotonic() >= end for _ in self._reading)

    def rows(
        self,
        shown: TreeFilter = TreeFilter.DEFAULT,
        search: str = "",
        folds: Collection[str] = (),
        *,
        only_warm: bool = False,
    ) -> TreeRows:
        """The rows under a filter that hold all words of ``search``.

        ``folds`` are ids of entries whose rows below are folded away, as long as nothing is
        searched for. With ``only_warm`` the search passes over texts that `RowTexts.warm` has not
        come to yet.
        """
        mask = self._mask(shown, search.lower().split(), only_warm)
        return TreeRows(self, mask, () if search else folds)

    def _mask(self, shown: TreeFilter, words: list[str], only_warm: bool) -> list[bool]:
        """Which entries have rows."""
        labels = self.tree.labels
        if shown is TreeFilter.LABELED_ONLY:
            mask = [entry.id in labels for entry in self.entries]
        else:
            hidden = _HIDDEN[shown]
            mask = [kind not in hidden for kind in self.texts.kinds(self.entries)]
        if words:
            haystacks = self.texts.haystacks(self.entries, only_warm=only_warm)
            for word in words:
                mask = self._narrow(mask, word, haystacks)
        return mask

    def _narrow(self, mask: list[bool], word: str, haystacks: list[str]) -> list[bool]:
        """``mask`` without the rows that do not hold ``word``, neither in text nor in label."""
        found = [keep and word in text for keep, text in zip(mask, haystacks, strict=True)]
        labels = self.tree.labels
        if labels:
            for position, entry in enumerate(self.entries):
                label = labels.get(entry.id)
                if label is not None and mask[position] and word in label.text.lower():
                    found[position] = True
        return found

    @cached_property
    def places(self) -> dict[str, int]:
        """Where in ``entries`` an id is; of an id that was used again, the last place."""
        return {entry.id: position for position, entry in enumerate(self.entries)}

    @property
    def up(self) -> Sequence[int]:
        """For each entry the position of its parent in ``entries``, -1 for a root."""
        return self._up


def _in_order(
    tree: SessionTree, path: Collection[str], entries: list[Entry], up: list[int]
) -> Iterator[None]:
    """Put all entries in order, parents first and the active branch before its siblings.

    Also where the parent of each is. Pauses now and then.
    """
    get, children_of, is_odd = tree.get, tree.children, not tree.is_ordered
    waiting = [(root, -1) for root in reversed(_active_first(tree.children(None), path))]
    due = PAUSE_AFTER
    while waiting:
        entry, parent = waiting.pop()
        while True:  # down a chain; only branches wait
            position = len(entries)
            entries.append(entry)
            up.append(parent)
            if position >= due:
                due += PAUSE_AFTER
                yield
            if is_odd and get(entry.id) is not entry:
                break  # its id was used again; what hangs below belongs to the later one
            children = children_of(entry.id)
            if len(children) != 1:
                children = _active_first(children, path)
                waiting.extend((child, position) for child in reversed(children))
                break
            entry, parent = children[0], position


def _active_first(siblings: list[Entry], path: Collection[str]) -> list[Entry]:
    return sorted(siblings, key=lambda entry: entry.id not in path)


class TreeRows(Sequence[TreeRow]):
    """The rows of one filter, search and set of folds."""

    def __init__(self, view: TreeView, mask: list[bool], folds: Collection[str]) -> None:
        self._view = view
        self._positions: list[int] = []  # of each row, in the view's order
        self._parents: list[int] = []  # of each row, the row it hangs under
        self._branches: list[int] = []  # of each row, how many rows hang under it
        self._near: list[int] = []  # of each entry of the view, its row or the nearest above
        self._folded: dict[int, int] = {}  # folded row → how many rows that hides
        self._roots = 0
        self._lay_out(mask, folds)
        self._heads, self._depths, self._last = self._segments()

    def _lay_out(self, mask: list[bool], folds: Collection[str]) -> None:
        near, positions, parents, branches = (
            self._near,
            self._positions,
            self._parents,
            self._branches,
        )
        for position, parent in enumerate(self._view.up):
            row = near[parent] if parent >= 0 else -1
            if mask[position]:
                if row in self._folded:
                    self._folded[row] += 1
                else:
                    if row >= 0:
                        branches[row] += 1
                    else:
                        self._roots += 1
                    row = len(positions)
                    positions.append(position)
                    parents.append(-1 if parent < 0 else near[parent])
                    branches.append(0)
                    if folds and self._view.entries[position].id in folds:
                        self._folded[row] = 0
            near.append(row)

    def _segments(self) -> tuple[list[int], list[int], list[bool]]:
        """For each row: the row that starts its chain, its depth, whether no sibling follows."""
        heads: list[int] = []
        depths: list[int] = []
        last: list[bool] = []
        newest: dict[int, int] = {}
        for row, parent in enumerate(self._parents):
            siblings = self._branches[parent] if parent >= 0 else self._roots
            last.append(siblings < 2)
            if siblings < 2:
                heads.append(heads[parent] if parent >= 0 else row)
                depths.append(depths[parent] if parent >= 0 else 0)
            else:
                heads.append(row)
                depths.append(depths[parent] + 1 if parent >= 0 else 1)
                newest[parent] = row
        for row in newest.values():
            last[row] = True
        return heads, depths, last

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> TreeRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeRow]: ...
    def __getitem__(self, index: int | slice) -> TreeRow | list[TreeRow]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        row = index if index >= 0 else len(self) + index
        view, entry = self._view, self.entry(row)
        label = view.tree.labels.get(entry.id)
        fold = self._fold(row)
        return TreeRow(
            entry=entry,
            kind=view.texts.kind(entry),
            text=view.texts.text(entry),
            label=one_line(label.text) if label is not None else None,
            on_path=entry.id in view.path and view.tree.get(entry.id) is entry,
            is_leaf=entry.id == view.leaf_id,
            branches=self._branches[row],
            depth=self._depths[row],
            guides=self._guides(row, fold),
            fold=fold,
            folded_rows=self._folded.get(row, 0),
        )

    def entry(self, index: int) -> Entry:
        """The entry of a row, without making the row. Raises ``IndexError``."""
        return self._view.entries[self._positions[index]]

    def index_near(self, entry_id: str) -> int | None:
        """The row of an entry, or of its nearest shown ancestor; the first row if there is none.

        None when there are no rows.
        """
        if not self._positions:
            return None
        places = self._view.places
        return max(0, self._near[places[entry_id]]) if entry_id in places else 0

    def head(self, index: int) -> int:
        """The row that starts the branch segment of a row."""
        return self._heads[index]

    def next_head(self, index: int) -> int | None:
        """The next row that starts a branch segment."""
        for row in range(index + 1, len(self)):
            if self._heads[row] == row:
                return row
        return None

    def _fold(self, row: int) -> str:
        if row in self._folded:
            return "folded"
        starts = self._heads[row] == row and self._depths[row] > 0
        return "open" if starts and self._branches[row] else ""

    def _guides(self, row: int, fold: str) -> str:
        """Connectors from the outermost drawn level to the row."""
        levels: list[str] = []
        head = self._heads[row]
        if self._depths[row]:
            if head == row:
                mark = {"open": "⊟", "folded": "⊞"}.get(fold, "─")
                levels.append(f"{'└' if self._last[row] else '├'}{mark} ")
            else:
                levels.append("   " if self._last[head] else "│  ")
        while (parent := self._parents[head]) >= 0 and len(levels) <= MAX_LEVELS:
            head = self._heads[parent]
            if self._depths[head]:
                levels.append("   " if self._last[head] else "│  ")
        if len(levels) > MAX_LEVELS:
            del levels[MAX_LEVELS:]
            levels.append("⋯ ")
        return "".join(reversed(levels))
