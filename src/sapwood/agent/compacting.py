"""What a compaction does to the session; `room` says when one starts by itself.

`compaction` decides what a smaller context looks like; here it is asked, extensions may object or
write the summary themselves, the result is appended, and everybody is told. One compaction at a
time; nothing is stored unless it succeeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from sapwood.agent import events
from sapwood.agent.activity import Activity
from sapwood.agent.interrupt import Interrupted
from sapwood.agent.summarizer import summarizer_for
from sapwood.compaction.compact import CompactionResult, apply_compaction, compact
from sapwood.compaction.prepare import Preparation, prepare_compaction, prepare_to_fit
from sapwood.compaction.settings import ASSUMED_WINDOW
from sapwood.errors import CompactionError
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.session.schema import JsonObject

Reason: TypeAlias = Literal["manual", "threshold", "overflow"]

NOTHING = "There is nothing to compact yet: the recent messages are kept as they are."
TOO_LARGE = (
    "The request is too large for the model, and the context could not be made smaller. Send less, "
    "offer fewer tools, or choose a model with a larger window."
)
UNFORESEEN = "Compaction failed for a reason nobody foresaw:"
CANCELLED = "Compaction was cancelled."


class CompactionCancelledError(CompactionError):
    """Somebody, or an extension, stopped it."""


async def try_compact(
    conversation: Conversation,
    reason: Reason,
    *,
    will_retry: bool = False,
    overshoot: float = 1.0,
) -> bool:
    """Compact; whether it was done. Why not was told by an event."""
    try:
        await compact_context(conversation, reason, will_retry=will_retry, overshoot=overshoot)
    except CompactionError:
        return False
    return True


async def compact_context(
    conversation: Conversation,
    reason: Reason,
    *,
    focus: str | None = None,
    will_retry: bool = False,
    overshoot: float = 1.0,
) -> CompactionResult:
    """Compact the active branch; `overshoot` see `recovery.CompactAndRerun`.

    Raises:
        CompactionError: nothing was stored; an event told why, unless a threshold compaction
            found nothing to do.
    """
    preparation = _prepare(conversation, overshoot)
    if preparation is None and reason == "threshold":
        raise CompactionError(NOTHING)
    interrupt = conversation.compaction_interrupt = conversation.interrupt.child()
    conversation.emit(events.compaction_start(reason))
    from_hook = False
    try:
        with conversation.activities.during(Activity.COMPACTING):
            if preparation is None:
                raise CompactionError(NOTHING)
            conversation.attempts.compactions += reason != "manual"
            result, from_hook = await interrupt.guard(
                _decide(conversation, preparation, reason, focus, will_retry)
            )
            entry_id = apply_compaction(conversation.manager, result, from_hook=from_hook)
    except (Interrupted, CompactionCancelledError):
        _failed(conversation, reason, CANCELLED, aborted=True, from_hook=from_hook)
        raise CompactionCancelledError(CANCELLED) from None
    except CompactionError as error:
        told = f"{TOO_LARGE} {error}" if reason == "overflow" else str(error)
        _failed(conversation, reason, told, aborted=False, from_hook=from_hook)
        raise
    except Exception as error:
        _failed(conversation, reason, f"{UNFORESEEN} {error}", aborted=False, from_hook=from_hook)
        raise
    _done(conversation, reason, result, entry_id, will_retry=will_retry, from_hook=from_hook)
    return result


def _prepare(conversation: Conversation, overshoot: float) -> Preparation | None:
    """The plan; it keeps less where the usual tail would not bring the input below its limit.

    Some texts hold far more tokens than estimated. What the provider counted says by how much the
    estimate has to shrink.
    """
    tree, settings = conversation.manager.tree, conversation.compaction_settings
    if conversation.context_window is None:
        return prepare_to_fit(tree, settings, ASSUMED_WINDOW)
    usual = prepare_compaction(tree, settings, context_window=conversation.context_window)
    if usual is None or overshoot <= 1:
        return usual
    room = int(usual.estimated_before / overshoot)
    if usual.fixed_tokens + usual.kept_tokens + usual.summary_budget <= room:
        return usual
    return prepare_compaction(tree, settings, context_window=room) or usual


async def _decide(
    conversation: Conversation,
    preparation: Preparation,
    reason: Reason,
    focus: str | None,
    will_retry: bool,
) -> tuple[CompactionResult, bool]:
    """The summary, by an extension (then True) or by us."""
    answer = await conversation.extensions.emit(
        "session_before_compact",
        {
            "preparation": preparation,
            "branchEntries": conversation.manager.get_branch(),
            "customInstructions": focus,
            "reason": reason,
            "willRetry": will_retry,
        },
    )
    if answer.get("cancel"):
        raise CompactionCancelledError(CANCELLED)
    if own := answer.get("compaction"):
        return _from_extension(conversation, own), True
    summarizer = summarizer_for(conversation, "compaction")
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        conversation.notice(line)

    result = await compact(preparation, summarizer, focus, notify=tell)
    for line in result.notices:
        if line not in told:
            tell(line)
    return result, False


def _from_extension(conversation: Conversation, own: JsonObject) -> CompactionResult:
    """Its compaction; without ``firstKeptEntryId`` nothing is kept but the summary."""
    first_kept = own.get("firstKeptEntryId")
    if first_kept is not None and all(
        e.id != first_kept for e in conversation.manager.get_branch()
    ):
        raise CompactionError(
            f"An extension wants to keep from {first_kept}, which is no entry here."
        )
    return CompactionResult(
        summary=own["summary"],
        first_kept_entry_id=first_kept,
        tokens_before=own["tokensBefore"],
        tokens_after=0,
        usage=own.get("usage"),
        details=own.get("details", UNSET),
    )


def _failed(
    conversation: Conversation, reason: Reason, error: str, *, aborted: bool, from_hook: bool
) -> None:
    conversation.emit(
        events.compaction_end(reason, aborted=aborted, error=None if aborted else error)
    )
    conversation.extensions.post(
        "session_compact_failed",
        {
            "reason": reason,
            "errorMessage": error,
            "aborted": aborted,
            "willRetry": False,
            "fromExtension": from_hook,
        },
    )


def _done(
    conversation: Conversation,
    reason: Reason,
    result: CompactionResult,
    entry_id: str,
    *,
    will_retry: bool,
    from_hook: bool,
) -> None:
    conversation.emit(
        events.compaction_end(
            reason, result=_shown(conversation, result, entry_id), will_retry=will_retry
        )
    )
    conversation.extensions.post(
        "session_compact",
        {
            "compactionEntry": conversation.manager.get_entry(entry_id),
            "fromExtension": from_hook,
            "reason": reason,
            "willRetry": will_retry,
        },
    )


def _shown(conversation: Conversation, result: CompactionResult, entry_id: str) -> JsonObject:
    shown: JsonObject = {
        "summary": result.summary,
        "firstKeptEntryId": result.first_kept_entry_id,
        "tokensBefore": result.tokens_before,
        "estimatedTokensAfter": conversation.context_tokens(),
        "usage": result.usage,
        "details": result.details,
        "entryId": entry_id,
    }
    return {name: value for name, value in shown.items() if value is not UNSET}
