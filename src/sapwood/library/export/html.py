"""A session as one page: no network, readable without scripts, all branches in it.

Everything from the session is escaped by the template; the page's own script gets nothing but the
parents of the entries, as numbers. A policy with a nonce forbids every other script and every
request. Lists are plain, so no depth of a tree is too deep.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sapwood.library.export.cards import SETTINGS, Cards, is_hidden, kind_name, plain_line, time
from sapwood.library.export.prose import code, prose, stylesheet
from sapwood.library.tree_kinds import Kind
from sapwood.library.tree_rows import TreeFilter, TreeRow, TreeView
from sapwood.session.entry import Entry
from sapwood.session.tree import CURRENT, Leaf, SessionTree

MAX_DEPTH = 6
"""Levels of indentation in the sidebar."""

ROWS_TOGETHER = 100
CARDS_TOGETHER = 32
"""How much the browser lays out as one. What is far from the window is not laid out at all, so that
a page of 20,000 entries is there at once; the page's script uses the same number."""

PIECE = 64 * 1024
"""Characters that are handed on at once."""

_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Item:
    """An entry in the page: the ``anchor`` of its card, and whether it has left the context."""

    row: TreeRow
    anchor: str
    classes: str
    outdated: bool

    @property
    def depth(self) -> int:
        return min(self.row.depth, MAX_DEPTH)


@dataclass(frozen=True, slots=True)
class Branch:
    """A chain of entries off the active path. ``title`` is its first row."""

    title: str
    items: Sequence[Item]


def html_pages(tree: SessionTree, leaf: Leaf = CURRENT) -> Iterator[bytes]:
    """The page in pieces. What is on the path to ``leaf`` is marked as active."""
    view = TreeView(tree, leaf)
    cards = Cards(tree, leaf)
    items = [
        _item(tree, row, position, cards) for position, row in enumerate(view.rows(TreeFilter.ALL))
    ]
    active = sum(item.row.on_path for item in items)
    branches = _branches(view.up, items, active)
    page = _template().generate(
        title=_title(tree),
        facts=_facts(tree, branches),
        nonce=secrets.token_urlsafe(16),
        style=_resource("page.css"),
        script=_resource("page.js"),
        light=stylesheet("friendly"),
        dark=stylesheet("github-dark"),
        chunks=_chunks(items, ROWS_TOGETHER),
        active=_chunks(items[:active], CARDS_TOGETHER),
        branches=branches,
        runs=lambda some: _chunks(some, CARDS_TOGETHER),
        card=lambda item: cards.card(item.row.entry),
        leaf=next((item.anchor for item in items if item.row.is_leaf), ""),
        parents=json.dumps(view.up, separators=(",", ":")),
    )
    return (piece.encode("utf-8", "replace") for piece in _joined(page))


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """A template yields word by word; files and pipes like more at a time."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def _chunks(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _branches(up: Sequence[int], items: Sequence[Item], active: int) -> list[Branch]:
    """What follows the active path in the view's order, cut where a chain starts."""
    rest = range(active, len(up))
    starts = [place for place in rest if place == active or up[place] != place - 1]
    ends = [*starts[1:], len(up)]
    return [
        Branch(plain_line(items[start].row.text), items[start:end])
        for start, end in zip(starts, ends, strict=False)
    ]


def _item(tree: SessionTree, row: TreeRow, position: int, cards: Cards) -> Item:
    outdated = row.on_path and row.kind not in SETTINGS and not cards.is_in_context(row.entry)
    failed = row.kind is Kind.TOOL and row.text.endswith("] failed")
    marks = [
        kind_name(row.kind),
        "on-path" if row.on_path else "",
        "failed" if failed else "",
        "hidden-item" if is_hidden(row.entry, row.kind) else "",
        "out-of-context" if outdated else "",
    ]
    return Item(row, _anchor(tree, row.entry, position), " ".join(filter(None, marks)), outdated)


def _anchor(tree: SessionTree, entry: Entry, position: int) -> str:
    """The entry's id, so that links to it outlive the page; a place where that cannot be."""
    if _PLAIN_ID.fullmatch(entry.id) and tree.get(entry.id) is entry:
        return f"e-{entry.id}"
    return f"n-{position}"


def _title(tree: SessionTree) -> str:
    return plain_line(tree.name or f"Session {tree.header['id']}")


def _facts(tree: SessionTree, branches: Sequence[Branch]) -> list[tuple[str, str]]:
    header = tree.header
    compactions = sum(entry.type == "compaction" for entry in tree.entries)
    facts = [
        ("Session", plain_line(header["id"])),
        ("Started (UTC)", time(header.get("timestamp", ""))),
        ("Folder", plain_line(header.get("cwd"))),
        ("Entries", f"{len(tree.entries):,}"),
        ("Branches", f"{1 + len(branches):,}" if branches else ""),
        ("Compactions", f"{compactions:,}" if compactions else ""),
    ]
    return [(name, value) for name, value in facts if value]


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(prose=prose, code=code, own=Markup)
    return environment.from_string(_resource("page.html.j2"))
