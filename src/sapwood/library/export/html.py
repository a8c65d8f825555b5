"""A session as one page: no network, readable without scripts, all branches in it.

Everything from the session is escaped by the template; the page's own script gets nothing but the
parents of the entries, as numbers. A policy with a nonce forbids every other script and every
request. Lists are plain, so no depth of a tree is too deep.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sapwood.library.export.cards import SETTINGS, Cards, is_hidden, kind_name, plain_line
from sapwood.library.export.prose import code, prose, stylesheet
from sapwood.library.tree_rows import TreeFilter, TreeRow, TreeRows, TreeView
from sapwood.session.tree import CURRENT, Leaf, SessionTree

MAX_DEPTH = 6
"""Levels of indentation in the sidebar."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A chain of entries off the active path, by position. ``title`` is its first row."""

    title: str
    positions: range


def html_pages(tree: SessionTree, leaf: Leaf = CURRENT) -> Iterator[bytes]:
    """The page in pieces. What is on the path to ``leaf`` is marked as active."""
    view = TreeView(tree, leaf)
    rows = view.rows(TreeFilter.ALL)
    cards = Cards(tree, leaf)
    active = sum(entry.id in view.path for entry in view.entries)
    page = _template().generate(
        title=_title(tree),
        facts=_facts(tree, len(rows)),
        nonce=secrets.token_urlsafe(16),
        style=_resource("page.css"),
        script=_resource("page.js"),
        light=stylesheet("default"),
        dark=stylesheet("github-dark"),
        rows=rows,
        card=lambda position: cards.card(view.entries[position]),
        active=range(active),
        branches=_branches(view.up, rows, active),
        parents=json.dumps(view.up, separators=(",", ":")),
        depth=lambda row: min(row.depth, MAX_DEPTH),
        row_class=lambda row: _row_class(row, cards),
        is_outdated=lambda row: _is_outdated(row, cards),
    )
    return (piece.encode("utf-8", "replace") for piece in page)


def _branches(up: Sequence[int], rows: TreeRows, active: int) -> list[Branch]:
    """What follows the active path in the view's order, cut where a chain starts."""
    rest = range(active, len(up))
    starts = [place for place in rest if place == active or up[place] != place - 1]
    ends = [*starts[1:], len(up)]
    return [
        Branch(plain_line(rows[start].text), range(start, end))
        for start, end in zip(starts, ends, strict=False)
    ]


def _row_class(row: TreeRow, cards: Cards) -> str:
    marks = [
        kind_name(row.kind),
        "on-path" if row.on_path else "",
        "leaf" if row.is_leaf else "",
        "hidden-item" if is_hidden(row.entry, row.kind) else "",
        "out-of-context" if _is_outdated(row, cards) else "",
    ]
    return " ".join(filter(None, marks))


def _is_outdated(row: TreeRow, cards: Cards) -> bool:
    """Whether an entry of the active path was part of the context and is no more."""
    return row.on_path and row.kind not in SETTINGS and not cards.is_in_context(row.entry)


def _title(tree: SessionTree) -> str:
    return plain_line(tree.name or f"Session {tree.header['id']}")


def _facts(tree: SessionTree, count: int) -> list[tuple[str, str]]:
    header = tree.header
    facts = [
        ("Session", plain_line(header["id"])),
        ("Started", plain_line(header.get("timestamp"))),
        ("Folder", plain_line(header.get("cwd"))),
        ("Entries", f"{count:,}"),
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
