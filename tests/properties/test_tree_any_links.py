"""Any parent links make a tree: drawn once each, walks end, appending equals loading."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.session import Entry, SessionTree

IDS = "abcdefgh"
HEADER: Any = {"type": "session", "version": 3, "id": "x", "timestamp": ""}
TIMES = st.sampled_from(["2026-01-01T00:00:01.000Z", "2026-01-01T00:00:02.000Z", "bad", ""])
LINKS = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from([None, *IDS, "gone"]), TIMES), max_size=16
)


def entries(links: list[tuple[str, str | None, str]]) -> list[Entry]:
    return [
        Entry.of({"type": "message", "id": each, "parentId": parent, "timestamp": time}, line)
        for line, (each, parent, time) in enumerate(links, start=2)
    ]


def drawn(tree: SessionTree) -> list[tuple[int, int]]:
    rows = []
    stack = [(node, 0) for node in reversed(tree.nodes())]
    while stack:
        node, depth = stack.pop()
        rows.append((node.entry.line, depth))
        stack.extend((child, depth + 1) for child in reversed(node.children))
    return rows


@settings(max_examples=500, deadline=None)
@given(LINKS)
def test_every_entry_is_drawn_once_and_every_walk_ends(
    links: list[tuple[str, str | None, str]],
) -> None:
    made = entries(links)
    tree = SessionTree(HEADER, made)
    assert sorted(line for line, _ in drawn(tree)) == [entry.line for entry in made]
    for entry in made:
        path = tree.path(entry.id)
        assert len({each.id for each in path}) == len(path)
        assert path[-1] is tree.get(entry.id)
        assert path[0].parent_id is None or tree.get(path[0].parent_id) in (None, *path)


@settings(max_examples=500, deadline=None)
@given(LINKS, st.integers(0, 16))
def test_entries_that_come_one_by_one_make_the_same_tree(
    links: list[tuple[str, str | None, str]], loaded: int
) -> None:
    made = entries(links)
    whole, grown = SessionTree(HEADER, made), SessionTree(HEADER, made[:loaded])
    for entry in made[loaded:]:
        drawn(grown)
        grown.append(entry)
    assert drawn(grown) == drawn(whole)
    assert grown.leaf_id == whole.leaf_id
    for entry in made:
        assert grown.path(entry.id) == whole.path(entry.id)
