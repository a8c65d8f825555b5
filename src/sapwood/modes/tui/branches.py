"""How many branches a tree has, and the prompts along the active one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sapwood.modes.tui.transcript.content import text_of

if TYPE_CHECKING:
    from sapwood.session.tree import SessionTree

CONVERSATION = frozenset({"message", "custom_message", "compaction", "branch_summary"})


def count_branches(tree: SessionTree) -> int:
    """Ends of the conversation: entries of it that none of it follows. At least 1.

    Bookkeeping entries (labels, settings, extension state) are looked through.
    """
    followed: set[str] = set()
    tips = 0
    spoken = [entry for entry in tree.entries if entry.type in CONVERSATION]
    for entry in spoken:
        parent = tree.get(entry.parent_id) if entry.parent_id is not None else None
        steps = 0
        while parent is not None and parent.type not in CONVERSATION and steps < 1_000:
            parent = tree.get(parent.parent_id) if parent.parent_id is not None else None
            steps += 1
        if parent is not None:
            followed.add(parent.id)
    tips = sum(entry.id not in followed for entry in spoken)
    return max(tips, 1)


def prompts_on_path(tree: SessionTree) -> Iterator[str]:
    """What the user wrote on the active path, newest first; decodes only as far as it is read."""
    for entry in tree.ancestors(tree.leaf_id):
        if entry.type != "message":
            continue
        message = entry.message
        if message is not None and message.get("role") == "user":
            yield text_of(message.get("content"))


def has_prompt_since(tree: SessionTree, leaf_id: str | None) -> bool:
    """Whether the user wrote something on the active path below an entry."""
    for entry in tree.ancestors(tree.leaf_id):
        if entry.id == leaf_id:
            return False
        if entry.message is not None and entry.message.get("role") == "user":
            return True
    return False
