"""The row model: order, indentation, filters, search and folds, on trees small enough to draw."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.library.tree_rows import MAX_LEVELS, RowTexts, TreeFilter, TreeRows, TreeView
from sapwood.session.tree import SessionTree
from support.conversation import Talk, call


def drawn(rows: TreeRows) -> list[str]:
    return [
        f"{row.guides}{'•' if row.on_path else ' '} {row.text}{' ◀' if row.is_leaf else ''}"
        for row in rows
    ]


def forked_talk() -> tuple[Talk, dict[str, str]]:
    """hello → hi → (first try → no) and (second try → yes), standing at yes."""
    talk, ids = Talk(), {}
    ids["hello"] = talk.user("hello")
    ids["hi"] = talk.answer("hi")
    ids["first"] = talk.user("first try")
    ids["no"] = talk.answer("no")
    talk.leaf = ids["hi"]
    ids["second"] = talk.user("second try")
    ids["yes"] = talk.answer("yes")
    return talk, ids


def test_the_active_branch_comes_first_and_chains_stay_flat() -> None:
    talk, _ = forked_talk()
    assert drawn(TreeView(talk.tree()).rows()) == [
        "• hello",
        "• hi",
        "├⊟ • second try",
        "│  • yes ◀",
        "└⊟   first try",
        "     no",
    ]


def test_another_leaf_turns_the_branches_around() -> None:
    talk, ids = forked_talk()
    assert drawn(TreeView(talk.tree(), ids["first"]).rows()) == [
        "• hello",
        "• hi",
        "├⊟ • first try ◀",
        "│    no",
        "└⊟   second try",
        "     yes",
    ]


def test_before_the_first_entry_nothing_is_active() -> None:
    talk, _ = forked_talk()
    assert not any(row.on_path or row.is_leaf for row in TreeView(talk.tree(), None).rows())


def test_children_of_a_hidden_entry_hang_under_the_nearest_shown_one() -> None:
    talk = Talk()
    talk.user("hello")
    talk.add("model_change", provider="p", modelId="m")
    model = talk.leaf
    talk.user("left")
    talk.leaf = model
    talk.user("right")
    tree = talk.tree()
    assert drawn(TreeView(tree).rows()) == ["• hello", "├─ • right ◀", "└─   left"]
    assert drawn(TreeView(tree).rows(TreeFilter.ALL)) == [
        "• hello",
        "• [model: p/m]",
        "├─ • right ◀",
        "└─   left",
    ]


def every_kind() -> SessionTree:
    talk = Talk()
    talk.message("system", "be kind")
    talk.user("read it")
    talk.answer("I look", call("c1", "read", path="a.txt"))
    talk.message("toolResult", [], toolCallId="c1", toolName="read", isError=False)
    talk.answer(call("c2", "bash", command="make\ntest"), {"type": "thinking", "thinking": "hm"})
    talk.message("toolResult", [], toolCallId="c2", toolName="bash", isError=True)
    talk.message("bashExecution", "", command="ls", output="", excludeFromContext=True)
    talk.add("custom_message", customType="ext", content="note", display=True)
    talk.add("compaction", summary="## Goal\nall", firstKeptEntryId="x", tokensBefore=12345)
    talk.add("branch_summary", fromId="x", summary="tried")
    talk.add("thinking_level_change", thinkingLevel="high")
    talk.add("context_edit", targetId="00000001", replacement=None)
    talk.add("label", targetId="00000001", label="here")
    talk.add("session_info", name="N")
    talk.add("usage", provider="p", model="m", usage={})
    talk.entries[-1]["kind"] = "cache"
    talk.add("custom", customType="state")
    talk.add("from_the_future", x=1)
    return talk.tree()


def test_every_kind_of_entry_says_what_it_is() -> None:
    rows = TreeView(every_kind()).rows(TreeFilter.ALL)
    assert [row.text for row in rows] == [
        "be kind",
        "read it",
        "I look",
        "[read: a.txt]",
        "[bash: make test]",
        "[bash: make test] failed",
        "!!ls",
        "[ext] note",
        "[compaction: 12,345 tokens] all",
        "[branch summary] tried",
        "[thinking: high]",
        "[left out in context: 00000001]",
        "[label: here]",
        "[name: N]",
        "[usage: cache]",
        "[state: state]",
        "[from_the_future]",
    ]


@pytest.mark.parametrize(
    ("shown", "texts"),
    [
        (
            TreeFilter.DEFAULT,
            ["be kind", "read it", "I look", "[read: a.txt]", "[bash: make test] failed", "!!ls"],
        ),
        (TreeFilter.NO_TOOLS, ["be kind", "read it", "I look", "!!ls", "[ext] note"]),
        (TreeFilter.USER_ONLY, ["read it"]),
        (TreeFilter.LABELED_ONLY, ["read it"]),
    ],
)
def test_filters(shown: TreeFilter, texts: list[str]) -> None:
    rows = TreeView(every_kind()).rows(shown)
    assert [row.text for row in rows][: len(texts)] == texts
    if shown in (TreeFilter.USER_ONLY, TreeFilter.LABELED_ONLY):
        assert len(rows) == len(texts)


def test_search_finds_what_is_shown_all_words_and_labels() -> None:
    view = TreeView(every_kind())
    assert drawn(view.rows(search="A.TXT")) == ["• [read: a.txt]"]
    assert [row.text for row in view.rows(search="here it")] == ["read it"]
    assert [row.text for row in view.rows(search="user: read")] == ["read it"]
    assert len(view.rows(search="nothing of the kind")) == 0


def test_an_answer_without_words_says_how_it_ended() -> None:
    talk = Talk()
    talk.answer(stopReason="error", errorMessage="529 overloaded")
    talk.answer(stopReason="aborted")
    talk.answer()
    texts = [row.text for row in TreeView(talk.tree()).rows()]
    assert texts == ["529 overloaded", "(aborted)", "(no text)"]


def test_rows_hold_nothing_that_drives_a_terminal() -> None:
    talk = Talk()
    hostile = "a\x1b]52;c;x\x07b\r\nc\u202ed\u2028e\x9bf"
    target = talk.user(hostile)
    talk.add("label", targetId=target, label=hostile)
    talk.answer(call("c", "bash", command=hostile))
    talk.result("c", "x")
    for row in TreeView(talk.tree()).rows(TreeFilter.ALL):
        for text in (row.text, row.label or ""):
            assert text.isprintable() or all(c.isprintable() or c == "\ufffd" for c in text)


def test_folding_hides_what_is_below_and_counts_it() -> None:
    talk, ids = forked_talk()
    view = TreeView(talk.tree())
    rows = view.rows(folds={ids["first"], ids["second"]})
    assert drawn(rows) == ["• hello", "• hi", "├⊞ • second try", "└⊞   first try"]
    assert [row.folded_rows for row in rows] == [0, 0, 1, 1]
    assert rows.index_near(ids["yes"]) == 2
    assert len(view.rows(search="yes", folds={ids["second"]})) == 1


def test_the_nearest_row_of_a_hidden_entry() -> None:
    talk, ids = forked_talk()
    view = TreeView(talk.tree())
    users = view.rows(TreeFilter.USER_ONLY)
    index = users.index_near(ids["yes"])
    assert index is not None
    assert users.entry(index).id == ids["second"]
    assert view.rows(search="nowhere").index_near(ids["yes"]) is None
    assert users.index_near("unknown") == 0


def test_segments_can_be_jumped_along() -> None:
    talk, _ = forked_talk()
    rows = TreeView(talk.tree()).rows()
    assert [rows.head(index) for index in range(6)] == [0, 0, 2, 2, 4, 4]
    assert rows.next_head(0) == 2
    assert rows.next_head(2) == 4
    assert rows.next_head(4) is None


def test_indentation_is_bounded() -> None:
    talk = Talk()
    talk.user("start")
    for depth in range(40):
        point = talk.leaf
        talk.user(f"aside {depth}")
        talk.leaf = point
        talk.user(f"on {depth}")
    rows = TreeView(talk.tree()).rows()
    deepest = max(rows, key=lambda row: row.depth)
    assert deepest.depth == 40
    assert max(len(row.guides) for row in rows) == 3 * MAX_LEVELS + 2
    assert deepest.guides.startswith("⋯ ")


@pytest.mark.parametrize(
    "links",
    [
        [("a", "b"), ("b", "a")],
        [("a", "a"), ("b", "a")],
        [("a", None), ("b", "a"), ("a", "b")],
        [("a", "nowhere"), ("b", "nowhere")],
    ],
)
def test_odd_links_are_drawn_once_each(links: list[tuple[str, str | None]]) -> None:
    talk = Talk()
    for entry_id, parent in links:
        talk.user(entry_id)
        talk.entries[-1].update(id=entry_id, parentId=parent)
    assert len(TreeView(talk.tree()).rows()) == len(links)


@given(st.integers(1, 60), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_each_shown_entry_hangs_under_its_nearest_shown_ancestor(
    size: int, dice: random.Random
) -> None:
    tree = random_tree(size, dice)
    view = TreeView(tree)
    for shown in TreeFilter:
        rows = view.rows(shown)
        places = {rows.entry(index).id: index for index in range(len(rows))}
        assert len(places) == len(rows)
        for index, row in enumerate(rows):
            above = [each.id for each in tree.ancestors(row.entry.parent_id)]
            parent = next((places[each] for each in above if each in places), -1)
            assert rows._parents[index] == parent
            assert parent < index
            assert rows.index_near(row.entry.id) == index


@given(st.integers(1, 60), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_active_path_is_never_preceded_by_a_sibling(size: int, dice: random.Random) -> None:
    tree = random_tree(size, dice)
    view = TreeView(tree, dice.choice(tree.entries).id)
    path = [entry.id for entry in tree.path(view.leaf_id)]
    shown = [row.entry.id for row in view.rows(TreeFilter.ALL)]
    assert shown[: len(path)] == path


def random_tree(size: int, dice: random.Random) -> SessionTree:
    talk = Talk()
    ids: list[str] = []
    kinds: list[Any] = [
        lambda: talk.user("u"),
        lambda: talk.answer("a"),
        lambda: talk.answer(call("c")),
        lambda: talk.result("c", "r"),
        lambda: talk.add("model_change", provider="p", modelId="m"),
        lambda: talk.add("label", targetId=dice.choice(ids or ["x"]), label="l"),
    ]
    for _ in range(size):
        if ids and dice.random() < 0.3:
            talk.leaf = dice.choice(ids)
        ids.append(dice.choice(kinds)())
    return talk.tree()


def test_texts_warm_up_in_slices() -> None:
    tree = every_kind()
    texts = RowTexts(tree)
    slices = 1
    while not texts.warm(tree.entries, 0):
        slices += 1
    assert slices > len(tree.entries)
    view = TreeView(tree, texts=texts)
    assert [row.text for row in view.rows(search="make")] == ["[bash: make test] failed"]
