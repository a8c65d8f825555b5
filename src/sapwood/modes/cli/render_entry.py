"""One entry in full: where it stands in the tree, then what it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sapwood.library.tree_kinds import Kind, kind_of
from sapwood.modes.cli.output import paint, short_time
from sapwood.modes.cli.render_context import message_words
from sapwood.modes.cli.render_tree import short_ids
from sapwood.session.entry import Entry
from sapwood.session.tree import SessionTree
from sapwood.text import one_line, printable

_ENVELOPE = ("type", "id", "parentId", "timestamp")


def entry_lines(tree: SessionTree, entry: Entry) -> Iterator[str]:
    short = short_ids(tree)
    message = entry.message
    role = f" · {one_line(str(message.get('role')))}" if message else ""
    yield paint(f"{one_line(entry.type)}{role} · {one_line(entry.id)}", bold=True)
    parent = tree.get(entry.parent_id) if entry.parent_id is not None else None
    children = ", ".join(short(child) for child in tree.children(entry.id)) or "none"
    yield f"{short_time(entry.timestamp)} · line {entry.line}"
    yield f"parent {short(parent) if parent else 'none'} · followed by {children}"
    if (label := tree.label(entry.id)) is not None:
        yield f"label {one_line(label)}"
    yield ""
    yield from _body(entry, message)


def _body(entry: Entry, message: dict[str, Any] | None) -> Iterator[str]:
    """Text as text; everything else as JSON."""
    if message and kind_of(entry) in (Kind.USER, Kind.ASSISTANT, Kind.CALLS, Kind.TOOL):
        if text := message_words(message, full=True):
            yield printable(text)
        rest = {key: value for key, value in message.items() if key != "content"}
    elif entry.type in ("compaction", "branch_summary"):
        yield printable(str(entry.data.get("summary", "")))
        rest = _without(entry.data, *_ENVELOPE, "summary")
    else:
        rest = _without(entry.data, *_ENVELOPE)
    if rest:
        yield ""
        yield printable(json.dumps(rest, ensure_ascii=False, indent=2))


def _without(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}
