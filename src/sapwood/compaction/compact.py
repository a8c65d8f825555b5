"""From a preparation to a result: a summary by a model if one can give it, else by the extractor.

Nothing is stored here. Whatever a model does, the result is usable: its answers are checked, wasted
requests are bounded, and the extractor stands behind it with a notice. The requests, rules and pins
that must survive are put in from the record, whoever wrote the rest. `apply_compaction` appends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sapwood.compaction.carried import with_carried, without_carried
from sapwood.compaction.extract import extract
from sapwood.compaction.files import file_lists
from sapwood.compaction.prepare import Preparation
from sapwood.compaction.prompts import FIRST, TURN, UPDATE, compaction_prompt
from sapwood.compaction.sections import TURN_IN_PROGRESS, says_something
from sapwood.compaction.settings import summary_budget
from sapwood.compaction.summarizer import Summarizer
from sapwood.compaction.trim import Edit
from sapwood.compaction.writer import MakePrompt, SummaryFailedError, SummaryWriter
from sapwood.errors import CompactionError
from sapwood.session import UNSET, SessionManager
from sapwood.session.schema import FileDetails, Usage

RETRY_DELAY = 1.0
"""Seconds before a failed summary request is sent again."""

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """What to append. `summary` None: the edits alone make the context fit.

    `tokens_before` as the reference counts, `tokens_after` an estimate of the context that follows;
    `usage` is the sum over all requests. `notices` are lines for the user.
    """

    summary: str | None
    first_kept_entry_id: str | None
    tokens_before: int
    tokens_after: int
    usage: Usage | None
    details: FileDetails
    edits: tuple[Edit, ...] = ()
    notices: tuple[str, ...] = ()
    from_extractor: bool = False


async def compact(
    preparation: Preparation,
    summarizer: Summarizer | None,
    focus: str | None = None,
    *,
    notify: Notify = lambda line: None,
    retry_delay: float = RETRY_DELAY,
) -> CompactionResult:
    """Write the summary of a preparation; without a summarizer the extractor does.

    Raises `CompactionError` when no summary is smaller than what it would replace. Cancelling the
    task cancels the request; nothing is stored then.
    """
    if preparation.first_kept_entry_id is None:
        return _result(preparation, None, None, (), from_extractor=False)
    if summarizer is None:
        return _extracted(preparation, None, ())
    writer = SummaryWriter(
        summarizer,
        summary_budget(preparation.context_window, preparation.settings),
        notify=notify,
        retry_delay=retry_delay,
    )
    try:
        draft = await _write(writer, preparation, focus)
        summary = finish_summary(draft, preparation)
        if preparation.gain(summary) <= 0:
            raise SummaryFailedError("the model's summary was no smaller than what it replaces")
    except SummaryFailedError as failure:
        notice = f"The built-in extractor wrote the summary: {failure}."
        notify(notice)
        return _extracted(preparation, writer.usage, (notice,))
    return _result(preparation, summary, writer.usage, (), from_extractor=False)


def _extracted(
    preparation: Preparation, usage: Usage | None, notices: tuple[str, ...]
) -> CompactionResult:
    """The extractor's summary; the edits alone where a summary would save nothing."""
    try:
        summary = extracted_summary(preparation)
    except CompactionError:
        if not preparation.edits:
            raise
        return _result(preparation, None, usage, (), from_extractor=False)
    return _result(preparation, summary, usage, notices, from_extractor=True)


def extracted_summary(preparation: Preparation) -> str:
    """The extractor's summary; raises `CompactionError` when it would not save anything."""
    budget = preparation.summary_budget
    for share in (1, 3, 9):
        draft = extract(
            preparation.messages,
            previous=preparation.previous_summary,
            budget=budget // share,
            first_request=preparation.carried.first_request,
            said=preparation.carried.texts,
        )
        summary = finish_summary(draft, preparation)
        if preparation.gain(summary) > 0 and says_something(summary):
            return summary
    raise CompactionError("There is nothing to gain: a summary would be no smaller.")


def finish_summary(draft: str, preparation: Preparation) -> str:
    """The draft with what must be carried and the file lists."""
    return with_carried(draft, preparation.carried) + file_lists(preparation.files)


def apply_compaction(
    manager: SessionManager, result: CompactionResult, from_hook: bool = False
) -> str:
    """Append a result; returns the id of the last entry appended.

    The edits go first: they then lie in the kept range of the compaction, and a crash in between
    leaves a context that is merely shorter.
    """
    last = ""
    for edit in result.edits:
        last = manager.append_context_edit(edit.target_id, edit.replacement)
    if result.summary is None:
        return last
    return manager.append_compaction(
        result.summary,
        result.first_kept_entry_id,
        result.tokens_before,
        details=result.details,
        from_hook=from_hook,
        usage=UNSET if result.usage is None else result.usage,
    )


async def _write(writer: SummaryWriter, preparation: Preparation, focus: str | None) -> str:
    """The model's part: the history, then the first part of a split turn, one after the other."""
    previous = preparation.previous_summary
    previous = without_carried(previous) if previous is not None else None
    history = [item.message for item in preparation.to_summarize]
    prefix = [item.message for item in preparation.turn_prefix]
    if not prefix or not (history or previous):
        task = TURN if prefix else FIRST
        return await writer.write(history or prefix, _prompts(task, focus), previous)
    if not history:
        return await writer.write(prefix, _prompts(TURN, focus), previous)
    earlier = await writer.write(history, _prompts(FIRST, focus), previous)
    turn = await writer.write(prefix, _prompts(TURN, focus))
    return f"{earlier}\n\n---\n\n{TURN_IN_PROGRESS}\n\n{turn}"


def _prompts(task: str, focus: str | None) -> MakePrompt:
    def make(conversation: str, previous: str | None) -> str:
        steps = task if previous is None else UPDATE if task == FIRST else f"{task}\n\n{UPDATE}"
        return compaction_prompt(conversation, steps, previous, focus)

    return make


def _result(
    preparation: Preparation,
    summary: str | None,
    usage: Usage | None,
    notices: tuple[str, ...],
    *,
    from_extractor: bool,
) -> CompactionResult:
    saved = sum(edit.saved_tokens for edit in preparation.edits)
    only_edited = preparation.estimated_before - saved
    return CompactionResult(
        summary,
        None if summary is None else preparation.first_kept_entry_id,
        preparation.tokens_before,
        only_edited if summary is None else preparation.estimated_after(summary),
        usage,
        preparation.files.details(),
        preparation.edits,
        (*notices, *preparation.carried.notices),
        from_extractor,
    )
