"""Moving in the tree: another branch, with or without a summary of the one that is left.

Selecting a user message means "edit this": the leaf becomes its parent, its text goes to the
editor. Anything else, or `exact`, means "continue here". Nothing is written before the summary is
complete, so that a move that fails or is cancelled leaves the session where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from sapwood.agent import events
from sapwood.agent.interrupt import Interrupted
from sapwood.agent.summarizer import summarizer_for
from sapwood.compaction.branch import (
    Branch,
    BranchSummaryResult,
    apply_branch_summary,
    branch_budget,
    collect_branch,
    prepare_branch_summary,
    summarize_branch,
)
from sapwood.errors import CompactionError
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.session.entry import Entry
    from sapwood.session.schema import ImageBlock, JsonObject

SummaryChoice: TypeAlias = Literal["none", "default", "focused"]


@dataclass(frozen=True, slots=True)
class Navigation:
    """What came of a move.

    ``moved`` False with neither ``aborted`` nor ``error``: the session stood there already.
    ``editor_text`` and ``editor_images``: what the message that is to be edited says.
    """

    moved: bool = False
    aborted: bool = False
    error: str | None = None
    editor_text: str | None = None
    editor_images: tuple[ImageBlock, ...] = ()
    summary_entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Destination:
    leaf_id: str | None
    editor_text: str | None = None
    editor_images: tuple[ImageBlock, ...] = ()


def destination(entry: Entry, *, exact: bool) -> Destination:
    """Where selecting `entry` leads."""
    content = None if exact else _editable_content(entry)
    if content is None:
        return Destination(entry.id)
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [block["text"] for block in blocks if block.get("type") == "text"]
    images = [cast("ImageBlock", block) for block in blocks if block.get("type") == "image"]
    return Destination(entry.parent_id, "\n".join(texts), tuple(images))


def _editable_content(entry: Entry) -> str | list[Any] | None:
    if entry.type == "custom_message":
        return entry.data.get("content") or ""
    message = entry.message
    if message is not None and message.get("role") == "user":
        return message.get("content") or ""
    return None


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the caller asked for, as the extensions may have changed it."""

    summary: SummaryChoice
    focus: str | None
    label: str | None
    replaces: bool = False
    """Whether the focus stands in place of our own instructions."""
    ready_summary: JsonObject | None = None


async def navigate(
    conversation: Conversation,
    target_id: str,
    *,
    summary: SummaryChoice = "none",
    focus: str | None = None,
    label: str | None = None,
    exact: bool = False,
) -> Navigation:
    """Move to `target_id`.

    Raises:
        EntryNotFoundError: there is no such entry.
    """
    tree = conversation.manager.tree
    old_leaf = tree.leaf_id
    target = tree.require(target_id)
    if target.id == old_leaf:
        return Navigation()
    where = destination(target, exact=exact)
    wish = _Wish(summary, focus, label)
    interrupt = conversation.summary_interrupt = conversation.interrupt.child()
    try:
        wish = await interrupt.guard(_asked(conversation, target, old_leaf, wish))
        written = await interrupt.guard(_summarized(conversation, target, old_leaf, wish))
    except Interrupted:
        return Navigation(aborted=True)
    except CompactionError as error:
        return Navigation(error=str(error))
    entry = _move(conversation, where, target, wish, written)
    conversation.follow_path()
    conversation.emit(events.tree_moved(tree.leaf_id, old_leaf))
    conversation.extensions.post(
        "session_tree",
        {
            "newLeafId": tree.leaf_id,
            "oldLeafId": old_leaf,
            "summaryEntry": entry,
            "fromExtension": wish.ready_summary is not None,
        },
    )
    return Navigation(
        moved=True,
        editor_text=where.editor_text,
        editor_images=where.editor_images,
        summary_entry=entry,
    )


async def _asked(
    conversation: Conversation, target: Entry, old_leaf: str | None, wish: _Wish
) -> _Wish:
    """The wish after the extensions had their say; raises `Interrupted` when one cancels."""
    if not conversation.extensions.listens("session_before_tree"):
        return wish
    left = collect_branch(conversation.manager.tree, old_leaf, target.id)
    preparation = {
        "targetId": target.id,
        "oldLeafId": old_leaf,
        "commonAncestorId": left.common_ancestor_id,
        "entriesToSummarize": left.entries,
        "userWantsSummary": wish.summary != "none",
        "customInstructions": wish.focus,
        "replaceInstructions": False,
        "label": wish.label,
    }
    answer = await conversation.extensions.emit("session_before_tree", {"preparation": preparation})
    if answer.get("cancel"):
        raise Interrupted
    wants = wish.summary != "none"
    return replace(
        wish,
        summary="focused" if "customInstructions" in answer and wants else wish.summary,
        focus=answer.get("customInstructions", wish.focus),
        label=answer.get("label", wish.label),
        replaces=answer.get("replaceInstructions", False),
        ready_summary=answer.get("summary"),
    )


async def _summarized(
    conversation: Conversation, target: Entry, old_leaf: str | None, wish: _Wish
) -> BranchSummaryResult | None:
    branch = collect_branch(conversation.manager.tree, old_leaf, target.id)
    if wish.ready_summary is not None:
        return _by_extension(branch, wish.ready_summary)
    if wish.summary == "none" or not branch.entries:
        return None
    window = conversation.context_window
    budget = branch_budget(window, conversation.settings.branch_summary) if window else 0
    preparation = prepare_branch_summary(branch, budget)
    if not preparation.messages:
        return None
    focus = wish.focus if wish.summary == "focused" else None
    summarizer = summarizer_for(conversation, "branchSummary")
    return await summarize_branch(
        preparation,
        summarizer,
        focus,
        focus_is_task=wish.replaces,
        notify=conversation.notice,
    )


def _by_extension(branch: Branch, ready: JsonObject) -> BranchSummaryResult:
    return BranchSummaryResult(
        ready["summary"], branch.from_id or "", ready.get("usage"), ready.get("details", UNSET)
    )


def _move(
    conversation: Conversation,
    where: Destination,
    target: Entry,
    wish: _Wish,
    written: BranchSummaryResult | None,
) -> Entry | None:
    manager = conversation.manager
    entry = None
    if written is not None:
        by_extension = wish.ready_summary is not None
        entry_id = apply_branch_summary(manager, where.leaf_id, written, by_extension)
        entry = manager.get_entry(entry_id)
    elif where.leaf_id is None:
        manager.reset_leaf()
    else:
        manager.branch(where.leaf_id)
    if wish.label:
        manager.append_label_change(entry.id if entry else target.id, wish.label)
    if not manager.read_only:  # looking around in it is possible, it is not remembered
        manager.save_position()
    return entry
