"""What is prepared of a tree in idle moments, and how long it holds."""

from __future__ import annotations

from sapwood.library.tree_rows import TreeView
from sapwood.modes.tui.tree.prepared import PreparedTree, prepared
from sapwood.session.tree import SessionTree
from support.conversation import Talk


def long_talk() -> tuple[Talk, SessionTree]:
    talk = Talk()
    for number in range(900):
        talk.user(f"step {number}")
    return talk, talk.tree()


def test_it_is_prepared_in_slices() -> None:
    _, tree = long_talk()
    known = PreparedTree(tree)
    slices = 1
    while not known.prepare(0.0002):
        slices += 1
    assert slices > 1
    assert known.prepare(0)
    view = known.view()
    assert [row.text for row in view.rows(search="step 77", only_warm=True)] == [
        row.text for row in TreeView(tree).rows(search="step 77")
    ]


def test_a_view_holds_until_the_tree_changes() -> None:
    _, tree = long_talk()
    known = PreparedTree(tree)
    first = known.view()
    assert known.view() is first
    tree.move(tree.entries[10].id)
    moved = known.view()
    assert moved is not first
    assert moved.leaf_id == tree.entries[10].id
    assert known.prepare(10)
    assert known.view() is moved


def test_a_view_left_half_read_is_read_to_its_end() -> None:
    _, tree = long_talk()
    known = PreparedTree(tree)
    known.prepare(0)
    assert len(known.view().entries) == len(tree.entries)


def test_another_tree_is_prepared_anew() -> None:
    (_, one), (_, other) = long_talk(), long_talk()
    assert prepared(one) is prepared(one)
    assert prepared(other).tree is other
    assert prepared(one).view().tree is one
