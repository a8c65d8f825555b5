"""What a compaction would do, as data: what is summarized, what stays, what must be carried.

Pure: a `Preparation` is read from the tree, nothing is changed, so a caller can look at it, cancel,
or supply a summary of its own. Without a context window the result equals the reference's. With
one, the kept tail fits below the threshold: a context above it is never "nothing to compact".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sapwood.compaction.carried import Carried, carried_before
from sapwood.compaction.cut import Cut, Slot, find_cut, slots_of
from sapwood.compaction.files import FileOps, call_outcomes
from sapwood.compaction.settings import (
    CompactionSettings,
    keep_budget,
    summary_budget,
    threshold,
)
from sapwood.compaction.trim import Edit, shorten_texts
from sapwood.context.estimate import estimate_projection, estimate_tokens
from sapwood.context.projection import Projected, Projection, project
from sapwood.session.entry import Entry
from sapwood.session.schema import Message
from sapwood.session.tree import CURRENT, Leaf, SessionTree


@dataclass(frozen=True, slots=True)
class Preparation:
    """One compaction before its summary is written. Token figures are estimates.

    `tokens_before` trusts usage that a provider reported; `estimated_before` never does, so that it
    can be compared with an estimate of what comes after. `fixed_tokens` is the prompt,
    `kept_tokens` the tail after `edits`. `first_kept_entry_id` None: nothing is summarized, the
    edits are enough.
    """

    first_kept_entry_id: str | None
    to_summarize: tuple[Projected, ...]
    turn_prefix: tuple[Projected, ...]
    kept: tuple[Projected, ...]
    is_split_turn: bool
    tokens_before: int
    estimated_before: int
    fixed_tokens: int
    kept_tokens: int
    previous_summary: str | None
    file_ops: FileOps
    carried: Carried
    edits: tuple[Edit, ...]
    settings: CompactionSettings
    context_window: int | None = None

    @property
    def messages(self) -> list[Message]:
        """Everything the summary replaces, apart from the previous summary."""
        return [item.message for item in (*self.to_summarize, *self.turn_prefix)]

    @property
    def files(self) -> FileOps:
        """`file_ops` and what the branch summaries in the span list; those the reference drops."""
        ops = self.file_ops.copy()
        for item in (*self.to_summarize, *self.turn_prefix):
            if item.entry.type == "branch_summary":
                ops.add_summary(item.entry)
        return ops

    @property
    def replaced_tokens(self) -> int:
        """Size of what the summary replaces, previous summary included."""
        previous = _summary_tokens(self.previous_summary or "")
        return previous + sum(map(estimate_tokens, self.messages))

    @property
    def summary_budget(self) -> int:
        """Tokens the summary may take: what the reserve allows, and half of what it replaces."""
        return min(summary_budget(self.context_window, self.settings), self.replaced_tokens // 2)

    def gain(self, summary: str) -> int:
        """Tokens saved by putting `summary` in the place of what it replaces."""
        return self.replaced_tokens - _summary_tokens(summary)

    def estimated_after(self, summary: str) -> int:
        """Size of the context once `summary` stands in for what it replaces."""
        return self.fixed_tokens + _summary_tokens(summary) + self.kept_tokens


def prepare_compaction(
    tree: SessionTree,
    settings: CompactionSettings,
    *,
    leaf: Leaf = CURRENT,
    context_window: int | None = None,
) -> Preparation | None:
    """Plan a compaction of the branch at `leaf`; None when there is nothing to compact.

    With a `context_window` the tokens to keep shrink, step by step, until something can be
    summarized or the tail's largest texts can be shortened, as long as the context is above
    the threshold.
    """
    plan = _Plan(tree, settings, leaf, context_window)
    keep = keep_budget(context_window, settings)
    preparation = plan.keeping(keep, even_after_compaction=False)
    if context_window is None or not plan.is_over_threshold:
        return preparation
    while preparation is None and keep > 0:
        keep //= 4
        preparation = plan.keeping(keep, even_after_compaction=True)
    return preparation or plan.only_edits()


def prepare_to_fit(
    tree: SessionTree, settings: CompactionSettings, window: int
) -> Preparation | None:
    """The plan that needs no window, unless it leaves more than fits below the threshold of one.

    For a compaction that somebody asked for where no model is at work: one giant message is then
    no reason to do nothing.
    """
    plan = _Plan(tree, settings, CURRENT, window)
    preparation = prepare_compaction(tree, settings)
    kept = plan.estimated_before if preparation is None else preparation.kept_tokens
    if not plan.is_over_threshold or kept <= threshold(window, settings):
        return preparation
    return prepare_compaction(tree, settings, context_window=window) or preparation


class _Plan:
    """The projection of one leaf, read once and cut as often as needed."""

    def __init__(
        self, tree: SessionTree, settings: CompactionSettings, leaf: Leaf, window: int | None
    ) -> None:
        self.settings, self.window = settings, window
        self.path = tree.path(leaf)
        self.projection: Projection = project(tree, leaf)
        self.slots = slots_of(self.projection)
        self.tokens_before = estimate_projection(self.projection).tokens
        self.estimated_before = sum(slot.tokens for slot in self.slots)
        self.has_compaction = self.projection.compaction is not None

    @property
    def is_over_threshold(self) -> bool:
        size = max(self.tokens_before, self.estimated_before)
        return self.window is not None and size > threshold(self.window, self.settings)

    def keeping(self, keep_tokens: int, *, even_after_compaction: bool) -> Preparation | None:
        """The plan that keeps about `keep_tokens`; None when that leaves nothing to summarize."""
        if not self.path or (self.path[-1].type == "compaction" and not even_after_compaction):
            return None
        start = 1 if self.has_compaction else 0
        cut = find_cut(self.slots, start, keep_tokens)
        if cut.first_kept >= len(self.slots) or not self.slots[cut.first_kept].entry.id:
            return None
        history_end = cut.first_kept if cut.turn_start is None else cut.turn_start
        history = _conversation(self.slots[start:history_end])
        prefix = _conversation(self.slots[history_end : cut.first_kept])
        if not history and not prefix:
            return None
        return self._preparation(cut, history, prefix)

    def only_edits(self) -> Preparation | None:
        """A plan that summarizes nothing and shortens tool results instead, if that helps."""
        edits = shorten_texts(self.slots, self._tail_limit())
        if not edits:
            return None
        return Preparation(
            first_kept_entry_id=None,
            to_summarize=(),
            turn_prefix=(),
            kept=_conversation(self.slots),
            is_split_turn=False,
            tokens_before=self.tokens_before,
            estimated_before=self.estimated_before,
            fixed_tokens=0,
            kept_tokens=self.estimated_before - sum(edit.saved_tokens for edit in edits),
            previous_summary=None,
            file_ops=FileOps(),
            carried=Carried(),
            edits=tuple(edits),
            settings=self.settings,
            context_window=self.window,
        )

    def _preparation(
        self, cut: Cut, history: tuple[Projected, ...], prefix: tuple[Projected, ...]
    ) -> Preparation:
        first_kept = self.slots[cut.first_kept].entry
        kept = [slot for slot in self.slots[cut.first_kept :] if not slot.has_role({"system"})]
        kept_tokens = sum(slot.tokens for slot in kept)
        edits = shorten_texts(kept, self._tail_limit()) if self.window is not None else []
        budget = summary_budget(self.window, self.settings)
        return Preparation(
            first_kept_entry_id=first_kept.id,
            to_summarize=history,
            turn_prefix=prefix,
            kept=_conversation(kept),
            is_split_turn=cut.turn_start is not None,
            tokens_before=self.tokens_before,
            estimated_before=self.estimated_before,
            fixed_tokens=self._fixed_tokens(),
            kept_tokens=kept_tokens - sum(edit.saved_tokens for edit in edits),
            previous_summary=self._previous_summary(),
            file_ops=self._file_ops([*history, *prefix]),
            carried=carried_before(self.path, self._path_index(first_kept), budget),
            edits=tuple(edits),
            settings=self.settings,
            context_window=self.window,
        )

    def _fixed_tokens(self) -> int:
        return sum(
            estimate_tokens(message)
            for slot in self.slots
            for message in slot.messages
            if message["role"] == "system"
        )

    def _tail_limit(self) -> int:
        """Tokens the tail may have: what the threshold leaves beside prompt and summary."""
        if self.window is None:
            return self.estimated_before
        room = threshold(self.window, self.settings) - self._fixed_tokens()
        return max(room - summary_budget(self.window, self.settings), room // 2, 0)

    def _previous_summary(self) -> str | None:
        if not self.has_compaction:
            return None
        texts = (m.get("summary") for m in self.slots[0].messages if m["role"] != "system")
        return next((str(text) for text in texts if text is not None), None)

    def _file_ops(self, items: Sequence[Projected]) -> FileOps:
        ops = FileOps()
        compaction = self.projection.compaction
        if compaction is not None and self._previous_summary() is not None:
            ops.add_summary(compaction)
        outcomes = call_outcomes(item.message for item in self.projection.items)
        ops.add_messages((item.message for item in items), outcomes)
        return ops

    def _path_index(self, entry: Entry) -> int:
        return next(index for index, other in enumerate(self.path) if other is entry)


def _conversation(slots: Sequence[Slot]) -> tuple[Projected, ...]:
    """The messages of a span, without prompts and without summaries of earlier compactions."""
    return tuple(
        Projected(message, slot.entry)
        for slot in slots
        for message in slot.messages
        if message["role"] not in ("system", "compactionSummary")
    )


def _summary_tokens(summary: str) -> int:
    return estimate_tokens(
        {"role": "compactionSummary", "summary": summary, "tokensBefore": 0, "timestamp": 0}
    )
