"""A session's tree as lines of text: id, time, and the rows as the terminal UI draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sapwood.library.tree_rows import TreeFilter, TreeRow, TreeRows, TreeView
from sapwood.modes.cli.output import paint, short_time
from sapwood.session.entry import Entry
from sapwood.session.tree import CURRENT, SessionTree
from sapwood.text import cell_width, fit, one_line

SHORT_ID = 8
HERE = "◀ here"
_BOOKKEEPING = ("label", "session_info", "custom")


def tree_lines(
    tree: SessionTree, *, width: int = 80, shown: TreeFilter = TreeFilter.DEFAULT
) -> Iterator[str]:
    """The rows under a filter; ``•`` marks the active path, ``◀ here`` where one stands."""
    view = TreeView(tree, CURRENT if shown is TreeFilter.ALL else _standing(tree))
    rows = view.rows(shown)
    short = short_ids(tree)
    for row in rows:
        yield _line(row, short(row.entry), width)
    leaf = view.leaf_id
    yield from _hidden_leaf(view, rows, short(tree.require(leaf)) if leaf else "", width)


def _standing(tree: SessionTree) -> str | None:
    """The leaf, or what it hangs below if it only marks a position, a label or a name."""
    stations = (each.id for each in tree.ancestors(tree.leaf_id) if each.type not in _BOOKKEEPING)
    return next(stations, None)


def short_ids(tree: SessionTree) -> Any:
    """A function from an entry to the start of its id that tells it from all others."""
    starts = Counter(entry.id[:SHORT_ID] for entry in tree.entries)

    def short(entry: Entry) -> str:
        start = entry.id[:SHORT_ID]
        return one_line(start if starts[start] == 1 else entry.id)

    return short


def row_label(row: TreeRow) -> str:
    return f"[{row.label}] " if row.label else ""


def row_words(row: TreeRow) -> str:
    """What a row says, with who says it."""
    return f"{row.speaker}: {row.text}" if row.speaker else row.text


def _line(row: TreeRow, short: str, width: int) -> str:
    mark = "• " if row.on_path else "  "
    fixed = f"{short:<{SHORT_ID}} {short_time(row.entry.timestamp)}  "
    lead = f"{row.guides}{mark}"
    tail = f" {HERE}" if row.is_leaf else ""
    room = width - cell_width(fixed + lead + tail)
    label = fit(row_label(row), max(0, room - 10))
    words = fit(row_words(row), max(1, room - cell_width(label)))
    return (
        paint(fixed, dim=True)
        + lead
        + paint(label, fg="yellow")
        + (paint(words, bold=True) if row.on_path else words)
        + paint(tail, fg="green")
    ).rstrip()


def _hidden_leaf(view: TreeView, rows: TreeRows, short: str, width: int) -> Iterator[str]:
    """Where the tree stands, if no row shows it."""
    if view.leaf_id is None:
        yield "The next message starts a new root."
        return
    near = rows.index_near(view.leaf_id)
    if near is None:
        yield "No entry is shown under this filter."
    elif rows.entry(near).id != view.leaf_id:
        entry = view.tree.require(view.leaf_id)
        place = f"The tree stands at {short}, not shown here: "
        yield place + fit(view.texts.text(entry), max(10, width - cell_width(place)))


def tree_json(tree: SessionTree, shown: TreeFilter) -> dict[str, Any]:
    """The same for programs: rows in the order drawn, each with its depth and place."""
    rows = TreeView(tree).rows(shown)
    return {
        "sessionId": tree.header["id"],
        "leafId": tree.leaf_id,
        "filter": shown.value,
        "rows": [_row_json(row) for row in rows],
    }


def _row_json(row: TreeRow) -> dict[str, Any]:
    return {
        "id": row.entry.id,
        "parentId": row.entry.parent_id,
        "type": row.entry.type,
        "kind": row.kind.name.lower(),
        "timestamp": row.entry.timestamp,
        "text": row.text,
        "label": row.label,
        "onPath": row.on_path,
        "isLeaf": row.is_leaf,
        "depth": row.depth,
        "branches": row.branches,
    }
