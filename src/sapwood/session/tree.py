"""The tree of a session: entries, the leaf, and what is read off them. Pure; no file, no clock.

``entries`` is the file order and the only truth; everything else is an index over it, built when it
is first asked for and kept up by ``append``. Every walk is iterative and visits an entry at most
once, whatever the links say: a cycle ends a walk where it began, a parent that is not there makes a
root, of two entries with one id the later is found by id (both stay in ``entries``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cmp_to_key
from types import MappingProxyType
from typing import Any, Final

import msgspec

from sapwood.errors import EntryNotFoundError
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.garbage import collection_paused
from sapwood.session.javascript import compare_dates, parse_date, trim
from sapwood.session.schema import SessionHeader


class Current(Enum):
    """The type of ``CURRENT``."""

    LEAF = "where the tree stands now"


CURRENT: Final = Current.LEAF
"""As a ``leaf`` argument: where the tree stands now. ``None`` means before the first entry."""

Leaf = str | None | Current


@dataclass(frozen=True, slots=True)
class Label:
    """The label of an entry in force, and the ``label`` entry that set it."""

    text: str
    timestamp: str
    entry_id: str


class TreeNode(msgspec.Struct, eq=False, gc=False):
    """An entry among its relatives. Children are in the order of their timestamps."""

    entry: Entry
    children: list[TreeNode]
    label: Label | None


class SessionTree:
    """Entries in file order and the leaf, where the next entry attaches."""

    def __init__(
        self,
        header: SessionHeader,
        entries: Iterable[Entry] = (),
        diagnostics: Iterable[Diagnostic] = (),
    ) -> None:
        self.header = header
        self.entries: list[Entry] = []
        self.leaf_id: str | None = None
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        self._index: dict[str, Entry] = {}
        # While every entry was appended below one already there, under a new id, no cycle exists.
        self._ordered = True
        self._awaited: set[str] = set()  # parents that were not there when they were named
        self._children: dict[str | None, list[Entry]] | None = None
        self._labels: dict[str, Label] | None = None
        self._name: str | None = None
        self._name_read = 0  # entries before this index are accounted for in _name
        self._load(entries)

    def _load(self, entries: Iterable[Entry]) -> None:
        self.entries.extend(entries)
        index, ordered = self._index, True
        previous: str | None = None
        for entry in self.entries:
            parent = entry.parent_id
            if parent != previous and parent is not None and parent not in index:
                self._awaited.add(parent)
                ordered = False
            previous = entry.id
            index[previous] = entry
        self.leaf_id = previous
        self._ordered = ordered and len(index) == len(self.entries)
        if not self._ordered:
            self.diagnostics.extend(diagnose_links(self.entries, index))

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def is_ordered(self) -> bool:
        """Whether every entry came after its parent and under an id of its own: then what is true
        of the path above an entry stays true whatever is appended.
        """
        return self._ordered

    def get(self, entry_id: str) -> Entry | None:
        return self._index.get(entry_id)

    def require(self, entry_id: str) -> Entry:
        """Raises ``EntryNotFoundError`` for an unknown id."""
        entry = self._index.get(entry_id)
        if entry is None:
            raise EntryNotFoundError(f"The session has no entry {entry_id}.")
        return entry

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._index

    def append(self, entry: Entry) -> None:
        """Add ``entry`` at the end of the file order and make it the leaf."""
        self.take_in(entry)
        self.leaf_id = entry.id

    def take_in(self, entry: Entry) -> None:
        """Add ``entry`` at the end of the file order; the leaf stays where it is."""
        parent = entry.parent_id
        if parent is not None and parent not in self._index:
            self._awaited.add(parent)
            self._unsettle()
        elif entry.id in self._index or entry.id in self._awaited:
            self._unsettle()
        self._index[entry.id] = entry
        self.entries.append(entry)
        if self._children is not None:
            siblings = self._children.setdefault(parent, [])
            siblings.append(entry)
            if parent is not None and len(siblings) > 1:
                siblings.sort(key=_when)
        if self._labels is not None and entry.type == "label":
            _apply_label(self._labels, entry)

    def _unsettle(self) -> None:
        """A link is odd, or one that was: what is known of the links is to be read anew."""
        self._ordered = False
        self._children = None

    def move(self, leaf_id: str | None) -> None:
        """Stand at another entry, or before the first. Raises ``EntryNotFoundError``."""
        if leaf_id is not None:
            self.require(leaf_id)
        self.leaf_id = leaf_id

    def resolve(self, leaf: Leaf) -> str | None:
        return self.leaf_id if leaf is CURRENT else leaf

    def ancestors(self, leaf: Leaf = CURRENT) -> Iterator[Entry]:
        """From ``leaf`` to its root, the leaf itself first; nothing for None or an unknown id."""
        index = self._index
        entry_id = self.resolve(leaf)
        seen: set[str] | None = None if self._ordered else set()
        while entry_id is not None:
            entry = index.get(entry_id)
            if entry is None:
                return
            if seen is not None:
                if entry_id in seen:
                    return
                seen.add(entry_id)
            yield entry
            entry_id = entry.parent_id

    def path(self, leaf: Leaf = CURRENT) -> list[Entry]:
        """From the root to ``leaf``."""
        entries = list(self.ancestors(leaf))
        entries.reverse()
        return entries

    def children(self, entry_id: str | None) -> list[Entry]:
        """The entries below ``entry_id`` by timestamp; for None the roots in file order.

        Roots are also entries whose parent is not in the file, and the first of each cycle.
        """
        return list(self._child_index().get(entry_id, ()))

    def _child_index(self) -> dict[str | None, list[Entry]]:
        if self._children is None:
            roots = self._cut()
            index = self._index
            children: dict[str | None, list[Entry]] = {}
            for entry in self.entries:
                parent = entry.parent_id
                if parent not in index or id(entry) in roots:
                    parent = None
                siblings = children.get(parent)
                if siblings is None:
                    children[parent] = [entry]
                else:
                    siblings.append(entry)
            for parent, siblings in children.items():
                if parent is not None and len(siblings) > 1:
                    siblings.sort(key=_when)
            self._children = children
        return self._children

    def _cut(self) -> set[int]:
        """The entries at which cycles are cut, by identity."""
        return set() if self._ordered else set(map(id, cycle_heads(self.entries, self._index)))

    def nodes(self) -> list[TreeNode]:
        """The whole tree from its roots. An entry whose id was used again later has no children."""
        labels = self.labels
        roots: list[TreeNode] = []
        with collection_paused():
            nodes = [TreeNode(entry, [], labels.get(entry.id)) for entry in self.entries]
            by_id = {node.entry.id: node for node in nodes}
            cut = self._cut()
            for node in nodes:
                entry = node.entry
                parent = by_id.get(entry.parent_id) if entry.parent_id is not None else None
                if parent is None or id(entry) in cut:
                    roots.append(node)
                else:
                    parent.children.append(node)
            for node in nodes:
                if len(node.children) > 1:
                    node.children.sort(key=lambda node: _when(node.entry))
        return roots

    @property
    def labels(self) -> Mapping[str, Label]:
        """Labels in force by the id they name: the last one of the file, whatever its branch."""
        if self._labels is None:
            labels: dict[str, Label] = {}
            for entry in self.entries:
                if entry.type == "label":
                    _apply_label(labels, entry)
            self._labels = labels
        return MappingProxyType(self._labels)

    def label(self, entry_id: str) -> str | None:
        label = self.labels.get(entry_id)
        return label.text if label else None

    @property
    def name(self) -> str | None:
        """The session's name: the last one of the file, trimmed; None when blank or no string."""
        entries = self.entries
        for position in range(len(entries) - 1, self._name_read - 1, -1):
            if entries[position].type == "session_info":
                name = entries[position].data.get("name")
                self._name = (trim(name) or None) if isinstance(name, str) else None
                break
        self._name_read = len(entries)
        return self._name


def _apply_label(labels: dict[str, Label], entry: Entry) -> None:
    target, text = entry.data.get("targetId"), entry.data.get("label")
    if not isinstance(target, str):
        return
    if isinstance(text, str) and text:
        labels[target] = Label(text, entry.timestamp, entry.id)
    else:
        labels.pop(target, None)


_in_order = cmp_to_key(compare_dates)


def _when(entry: Entry) -> Any:
    """Sort key of siblings, by time. A timestamp that is no date is equal to any other."""
    return _in_order(_time(entry))


def _time(entry: Entry) -> float:
    if entry.timestamp:
        return parse_date(entry.timestamp)
    missing = float("nan")
    return parse_date(entry.data["timestamp"]) if "timestamp" in entry.data else missing


def cycle_heads(entries: Sequence[Entry], index: Mapping[str, Entry]) -> list[Entry]:
    """The first entry, in file order, of each cycle of parent links."""
    heads: list[Entry] = []
    position = {id(entry): place for place, entry in enumerate(entries)}
    known: set[int] = set()
    for entry in entries:
        trail: dict[int, Entry] = {}
        step: Entry | None = entry
        while step is not None and id(step) not in known and id(step) not in trail:
            trail[id(step)] = step
            step = index.get(step.parent_id) if step.parent_id is not None else None
        if step is not None and id(step) in trail:
            steps = list(trail.values())
            cycle = steps[steps.index(step) :]
            heads.append(min(cycle, key=lambda entry: position[id(entry)]))
        known.update(trail)
    return heads


def diagnose_links(entries: Sequence[Entry], index: Mapping[str, Entry]) -> list[Diagnostic]:
    """What is odd about the links of a whole file, one diagnostic per kind."""
    repeated = [entry for entry in entries if index[entry.id] is not entry]
    orphans = [
        entry for entry in entries if entry.parent_id is not None and entry.parent_id not in index
    ]
    heads = cycle_heads(entries, index)
    found = (
        ("duplicate-id", repeated, "id used again by a later entry, which is the one found by it"),
        ("missing-parent", orphans, "parent is not in the file; shown as a root"),
        ("cycle", heads, "the parent links run in a circle; cut at its first entry"),
    )
    return [
        Diagnostic(kind, f"{members[0].id}: {text}", members[0].id, members[0].line, len(members))
        for kind, members, text in found
        if members
    ]
