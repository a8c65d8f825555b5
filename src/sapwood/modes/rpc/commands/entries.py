"""The record itself: its entries, its tree, and where it can be forked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sapwood.modes.rpc.protocol import CommandError, Encoded
from sapwood.session.codec import encode_line

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.entry import Entry
    from sapwood.session.schema import Json
    from sapwood.session.tree import Label, TreeNode


async def get_fork_messages(driver: Driver, request: Request) -> Json:
    """The user's messages that have a text, in file order, those on other branches too."""
    from sapwood.agent.navigation import destination

    texts = [
        (entry.id, destination(entry, exact=False).editor_text)
        for entry in driver.session.manager.tree.entries
        if entry.message is not None and entry.message.get("role") == "user"
    ]
    return {"messages": [{"entryId": entry_id, "text": text} for entry_id, text in texts if text]}


async def get_entries(driver: Driver, request: Request) -> Encoded:
    """All entries in file order, or those after ``since``."""
    tree, since = driver.session.manager.tree, request.optional_text("since")
    entries = list(tree.entries)
    if since is not None:
        places = [place for place, entry in enumerate(entries) if entry.id == since]
        if not places:
            raise CommandError(f"There is no entry {since}.")
        entries = entries[places[0] + 1 :]
    leaf = encode_line(tree.leaf_id)
    return await asyncio.to_thread(_entries_text, entries, leaf)


def _entries_text(entries: Sequence[Entry], leaf: bytes) -> Encoded:
    listed = b",".join(encode_line(entry.data) for entry in entries)
    return Encoded(b'{"entries":[' + listed + b'],"leafId":' + leaf + b"}")


async def get_tree(driver: Driver, request: Request) -> Encoded:
    """The entries nested as a tree; a long session nests as deep as it is long."""
    tree = driver.session.manager.tree
    return await asyncio.to_thread(_tree_text, tree.nodes(), encode_line(tree.leaf_id))


def _tree_text(roots: Sequence[TreeNode], leaf: bytes) -> Encoded:
    """Written without recursion: what is still to be written lies on a stack, last first."""
    pieces = [b'{"tree":[']
    todo: list[TreeNode | bytes] = [b'],"leafId":' + leaf + b"}", *_separated(roots)]
    while todo:
        item = todo.pop()
        if isinstance(item, bytes):
            pieces.append(item)
            continue
        pieces += (b'{"entry":', encode_line(item.entry.data), b',"children":[')
        todo += (b"]" + _label_text(item.label) + b"}", *_separated(item.children))
    return Encoded(b"".join(pieces))


def _separated(nodes: Sequence[TreeNode]) -> list[TreeNode | bytes]:
    """The nodes last first, with commas between them."""
    mixed: list[TreeNode | bytes] = []
    for node in reversed(nodes):
        mixed += (node, b",")
    return mixed[:-1]


def _label_text(label: Label | None) -> bytes:
    if label is None:
        return b""
    stamp = encode_line(label.timestamp)
    return b',"label":' + encode_line(label.text) + b',"labelTimestamp":' + stamp
