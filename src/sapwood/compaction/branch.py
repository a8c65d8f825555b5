"""What was done on a branch that is left: collected, summarized, and put where the work goes on.

The span runs from the old leaf to the common ancestor with the target; compactions on the way count
as their summaries, edits apply, tool results and excluded content stay out. The newest messages go
in first until the budget is full. Collecting and preparing are pure; nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sapwood.compaction.carried import Carried, carried_before, with_carried
from sapwood.compaction.compact import RETRY_DELAY, Notify
from sapwood.compaction.extract import BRANCH_SECTIONS, extract
from sapwood.compaction.files import FileOps, call_outcomes, file_lists
from sapwood.compaction.prompts import branch_prompt
from sapwood.compaction.settings import BranchSummarySettings
from sapwood.compaction.summarizer import Summarizer
from sapwood.compaction.writer import SummaryFailedError, SummaryWriter
from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import project_entries
from sapwood.errors import CompactionError
from sapwood.session import UNSET, SessionManager
from sapwood.session.entry import Entry
from sapwood.session.javascript import parse_date
from sapwood.session.replay import edits_in_force
from sapwood.session.schema import FileDetails, Message, Usage
from sapwood.session.tree import SessionTree

ROOM_FOR_SUMMARY = 0.9
"""A summary that breaks the budget still goes in while less than this share of it is used."""

SUMMARY_TOKENS = 2048
"""How long a branch summary may get."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The entries that are left, oldest first, and where both paths part."""

    entries: tuple[Entry, ...]
    common_ancestor_id: str | None
    from_id: str | None


@dataclass(frozen=True, slots=True)
class BranchPreparation:
    """The messages to summarize, oldest first; `omitted` older ones found no room."""

    branch: Branch
    messages: tuple[Message, ...]
    total_tokens: int
    omitted: int
    file_ops: FileOps
    carried: Carried


@dataclass(frozen=True, slots=True)
class BranchSummaryResult:
    """What `apply_branch_summary` appends."""

    summary: str
    from_id: str
    usage: Usage | None
    details: FileDetails
    notices: tuple[str, ...] = ()
    from_extractor: bool = False


def collect_branch(tree: SessionTree, old_leaf: str | None, target: str | None) -> Branch:
    """The entries between `old_leaf` and its last common ancestor with `target`."""
    if old_leaf is None:
        return Branch((), None, None)
    on_target = {entry.id for entry in tree.ancestors(target)} if target is not None else set()
    left: list[Entry] = []
    for entry in tree.ancestors(old_leaf):
        if entry.id in on_target:
            return Branch(tuple(reversed(left)), entry.id, old_leaf)
        left.append(entry)
    return Branch(tuple(reversed(left)), None, old_leaf)


def branch_budget(context_window: int, settings: BranchSummarySettings) -> int:
    """Tokens of the branch that a summary request may hold."""
    return max(context_window - settings.reserve_tokens, context_window // 2)


def prepare_branch_summary(branch: Branch, budget: int = 0) -> BranchPreparation:
    """Choose what to summarize; `budget` in estimated tokens, 0 = no limit.

    The rules and pins of the branch are carried; its latest request is not: the user has left it.
    """
    messages = _messages(branch.entries)
    chosen: list[Message] = []
    ops = FileOps()
    for entry in branch.entries:
        if entry.type == "branch_summary":
            ops.add_summary(entry)
    outcomes = call_outcomes(messages)
    total = 0
    candidates = [message for message in messages if message["role"] != "toolResult"]
    for message in reversed(candidates):
        ops.add_messages([message], outcomes)
        tokens = estimate_tokens(message)
        if budget and total + tokens > budget:
            is_summary = message["role"] in ("compactionSummary", "branchSummary")
            if is_summary and total < budget * ROOM_FOR_SUMMARY:
                chosen.append(message)
                total += tokens
            break
        chosen.append(message)
        total += tokens
    carried = carried_before(
        branch.entries, len(branch.entries), SUMMARY_TOKENS, with_requests=False
    )
    return BranchPreparation(
        branch,
        tuple(reversed(chosen)),
        total,
        len(candidates) - len(chosen),
        ops,
        carried,
    )


def _messages(entries: Sequence[Entry]) -> list[Message]:
    """The messages of a branch as its edits leave them; every summary on it is one of them."""
    projected: dict[int, list[Message]] = {}
    for item in project_entries(entries):
        projected.setdefault(id(item.entry), []).append(item.message)
    edits = edits_in_force(entries)
    messages: list[Message] = []
    for entry in entries:
        is_summary = entry.type in ("compaction", "branch_summary")
        if is_summary and edits.get(entry.id, UNSET) is not None:
            messages.append(_summary_message(entry))
        else:
            messages += projected.get(id(entry), [])
    return messages


def _summary_message(entry: Entry) -> Message:
    """The summary that an entry holds, as a message; an empty one counts here too."""
    time = parse_date(entry.data.get("timestamp"))
    timestamp = int(time) if isfinite(time) else None
    summary: Any = entry.data.get("summary")
    if entry.type == "compaction":
        return {
            "role": "compactionSummary",
            "summary": summary,
            "tokensBefore": entry.data.get("tokensBefore", 0),
            "timestamp": timestamp,
        }
    return {
        "role": "branchSummary",
        "summary": summary,
        "fromId": entry.data.get("fromId", ""),
        "timestamp": timestamp,
    }


async def summarize_branch(
    preparation: BranchPreparation,
    summarizer: Summarizer | None,
    focus: str | None = None,
    *,
    focus_is_task: bool = False,
    notify: Notify = lambda line: None,
    retry_delay: float = RETRY_DELAY,
) -> BranchSummaryResult:
    """Write the summary; without a summarizer, or when it fails, the extractor does.

    `focus` adds to the task; with `focus_is_task` it is the task, within the same headings.
    Raises `CompactionError` when the branch holds nothing to summarize.
    """
    if preparation.branch.from_id is None or not preparation.messages:
        raise CompactionError("The branch holds nothing to summarize.")
    usage: Usage | None = None
    notices: tuple[str, ...] = preparation.carried.notices
    draft: str | None = None
    if summarizer is not None:
        prompts = _prompts(preparation, focus, focus_is_task)
        writer = SummaryWriter(summarizer, SUMMARY_TOKENS, notify=notify, retry_delay=retry_delay)
        try:
            draft = await writer.write(preparation.messages, prompts)
        except SummaryFailedError as failure:
            notices = (f"The built-in extractor wrote the summary: {failure}.", *notices)
            notify(notices[0])
        usage = writer.usage
    from_extractor = draft is None
    if draft is None:
        draft = extract(
            preparation.messages,
            budget=SUMMARY_TOKENS,
            sections=BRANCH_SECTIONS,
            said=preparation.carried.texts,
        )
    return BranchSummaryResult(
        _finish(draft, preparation),
        preparation.branch.from_id,
        usage,
        preparation.file_ops.details(),
        notices,
        from_extractor,
    )


def apply_branch_summary(
    manager: SessionManager,
    target: str | None,
    result: BranchSummaryResult,
    from_hook: bool = False,
) -> str:
    """Move to `target` and append the summary there; returns the id of its entry."""
    return manager.branch_with_summary(
        target,
        result.summary,
        details=result.details,
        from_hook=from_hook,
        usage=UNSET if result.usage is None else result.usage,
    )


def _prompts(
    preparation: BranchPreparation, focus: str | None, focus_is_task: bool
) -> Callable[[str, str | None], str]:
    task = focus if focus_is_task else None

    def make(conversation: str, previous: str | None) -> str:
        return branch_prompt(
            conversation, preparation.omitted, previous, None if task else focus, task
        )

    return make


def _finish(draft: str, preparation: BranchPreparation) -> str:
    text = with_carried(draft, preparation.carried)
    if preparation.omitted:
        text = (
            f"The oldest {preparation.omitted} messages of this branch are not covered.\n\n{text}"
        )
    return text + file_lists(preparation.file_ops)
