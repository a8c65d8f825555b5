"""The tree: walks over links of every kind, order of children, labels, names."""

from __future__ import annotations

from typing import Any

import pytest

from sapwood.errors import EntryNotFoundError
from sapwood.session import CURRENT, Entry, SessionTree

HEADER: Any = {"type": "session", "version": 3, "id": "x", "timestamp": ""}


def entry(entry_id: str, parent: str | None, kind: str = "message", **fields: Any) -> Entry:
    time = fields.pop("timestamp", "2026-01-01T00:00:00.000Z")
    return Entry.of({"type": kind, "id": entry_id, "parentId": parent, "timestamp": time, **fields})


def tree(*entries: Entry) -> SessionTree:
    return SessionTree(HEADER, entries)


def ids(entries: list[Entry]) -> list[str]:
    return [each.id for each in entries]


def shape(session: SessionTree) -> list[Any]:
    def below(nodes: list[Any]) -> list[Any]:
        return [(node.entry.id, below(node.children)) for node in nodes]

    return below(session.nodes())


def kinds(session: SessionTree) -> dict[str, int]:
    return {found.kind: found.count for found in session.diagnostics}


def test_paths_end_at_the_leaf_they_are_asked_for() -> None:
    session = tree(entry("a", None), entry("b", "a"), entry("c", "a"))
    assert ids(session.path()) == ["a", "c"]
    assert ids(session.path("b")) == ["a", "b"]
    assert ids(session.path(CURRENT)) == ["a", "c"]
    assert session.path(None) == []
    assert session.path("unknown") == []


def test_moving_needs_an_entry_that_is_there() -> None:
    session = tree(entry("a", None))
    with pytest.raises(EntryNotFoundError, match="zz"):
        session.move("zz")
    assert session.leaf_id == "a"
    session.move(None)
    assert session.leaf_id is None
    with pytest.raises(EntryNotFoundError):
        session.require("zz")


def test_a_missing_parent_makes_a_root() -> None:
    session = tree(entry("a", "gone"), entry("b", "a"), entry("c", None))
    assert ids(session.children(None)) == ["a", "c"]
    assert ids(session.path("b")) == ["a", "b"]
    assert kinds(session) == {"missing-parent": 1}


def test_a_parent_may_stand_later_in_the_file() -> None:
    session = tree(entry("b", "a"), entry("a", None))
    assert ids(session.path("b")) == ["a", "b"]
    assert shape(session) == [("a", [("b", [])])]
    assert session.diagnostics == []


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([("a", "a")], [("a", [])]),
        ([("a", "b"), ("b", "a")], [("a", [("b", [])])]),
        ([("r", None), ("c", "a"), ("a", "b"), ("b", "c")], None),
        ([("x", "a"), ("a", "b"), ("b", "a"), ("y", "x")], None),
    ],
)
def test_cycles_are_cut_once_and_nothing_is_lost(
    links: list[tuple[str, str | None]], expected: Any
) -> None:
    session = tree(*(entry(each, parent) for each, parent in links))
    assert kinds(session) == {"cycle": 1}
    if expected:
        assert shape(session) == expected
    drawn: list[str] = []
    stack = session.nodes()
    while stack:
        node = stack.pop()
        drawn.append(node.entry.id)
        stack.extend(node.children)
    assert sorted(drawn) == sorted(each for each, _ in links)
    for each, _ in links:
        path = ids(session.path(each))
        assert len(path) == len(set(path))
        assert path[-1] == each


def test_of_two_entries_with_one_id_the_later_is_found() -> None:
    first, second = entry("a", None, n=1), entry("a", None, n=2)
    session = tree(first, entry("b", "a"), second)
    assert session.get("a") is second
    assert session.entries[0] is first
    assert kinds(session) == {"duplicate-id": 1}
    assert shape(session) == [("a", []), ("a", [("b", [])])]


def test_an_entry_under_its_own_ancestor_s_id_ends_every_walk() -> None:
    session = tree(entry("a", None), entry("b", "a"), entry("a", "b"))
    assert ids(session.path()) == ["b", "a"]
    assert kinds(session) == {"duplicate-id": 1, "cycle": 1}


def test_children_stand_by_time_and_later_ones_are_put_in_place() -> None:
    session = tree(entry("r", None), entry("b", "r", timestamp="2026-01-01T00:00:02.000Z"))
    assert ids(session.children("r")) == ["b"]
    session.append(entry("a", "r", timestamp="2026-01-01T00:00:01.000Z"))
    assert ids(session.children("r")) == ["a", "b"]
    assert session.leaf_id == "a"


def test_entries_taken_in_leave_the_leaf_alone() -> None:
    session = tree(entry("r", None))
    session.take_in(entry("x", "r"))
    assert session.leaf_id == "r"
    assert ids(session.entries) == ["r", "x"]


def test_links_that_come_late_are_seen_in_walks_and_children() -> None:
    session = tree(entry("a", "gone"))
    assert ids(session.children(None)) == ["a"]
    session.append(entry("gone", None))
    assert ids(session.path("a")) == ["gone", "a"]
    assert ids(session.children("gone")) == ["a"]
    assert ids(session.children(None)) == ["gone"]


def test_odd_entries_may_also_come_late() -> None:
    session = tree(entry("r", None), entry("a", "r"))
    assert ids(session.children("r")) == ["a"]
    session.append(entry("s", "s"))
    session.append(entry("o", "gone"))
    session.append(entry("a", "r"))
    assert ids(session.children(None)) == ["r", "s", "o"]
    assert ids(session.children("r")) == ["a", "a"]
    assert ids(session.children("s")) == []
    assert ids(session.path("s")) == ["s"]


def test_the_last_label_of_the_file_counts_whatever_its_branch() -> None:
    session = tree(
        entry("a", None),
        entry("1", "a", "label", targetId="a", label="first"),
        entry("2", "a", "label", targetId="b", label="ghost"),
        entry("3", None, "label", targetId="a", label="second", timestamp="T"),
    )
    assert session.label("a") == "second"
    assert session.labels["a"].timestamp == "T"
    assert list(session.labels) == ["a", "b"]
    session.append(entry("4", "3", "label", targetId="a"))
    assert session.label("a") is None
    session.append(entry("5", "4", "label", targetId="a", label="third"))
    assert list(session.labels) == ["b", "a"]


@pytest.mark.parametrize("cleared", ["", 0, None, 5, ["x"]])
def test_labels_that_are_no_text_clear(cleared: Any) -> None:
    session = tree(
        entry("1", None, "label", targetId="a", label="x"),
        entry("2", "1", "label", targetId="a", label=cleared),
        entry("3", "2", "label", targetId=7, label="x"),
    )
    assert dict(session.labels) == {}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], None),
        (["one", "two"], "two"),
        (["one", " \ufeff two\u00a0"], "two"),
        (["one", "  "], None),
        (["one", 5], None),
        (["one", None], None),
    ],
)
def test_the_last_name_of_the_file_counts(names: list[Any], expected: str | None) -> None:
    session = tree(
        *(entry(str(n), None, "session_info", name=name) for n, name in enumerate(names))
    )
    assert session.name == expected
    session.append(entry("z", None, "session_info", name="later"))
    assert session.name == "later"


def test_a_chain_of_200_000_entries_is_walked_without_recursion() -> None:
    count = 200_000
    chain = [entry(str(n), str(n - 1) if n else None) for n in range(count)]
    session = tree(*chain)
    assert len(session.path()) == count
    depth, nodes = 0, session.nodes()
    while nodes:
        depth, nodes = depth + 1, nodes[0].children
    assert depth == count
