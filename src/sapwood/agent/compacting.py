"""Making room: when a compaction starts by itself, and what one does to the session.

`compaction` decides what a smaller context looks like; here it is asked, extensions may object or
write the summary themselves, the result is appended, and everybody is told. One compaction at a
time; nothing is stored unless it succeeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from sapwood.agent import events
from sapwood.agent.activity import Activity
from sapwood.agent.interrupt import Interrupted
from sapwood.agent.recovery import MAX_COMPACTIONS
from sapwood.agent.summarizer import summarizer_for
from sapwood.compaction.compact import CompactionResult, apply_compaction, compact
from sapwood.compaction.prepare import Preparation, prepare_compaction
from sapwood.compaction.settings import should_compact
from sapwood.errors import CompactionError
from sapwood.models.failures import is_overflow
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.session.entry import Entry
    from sapwood.session.schema import JsonObject

Reason: TypeAlias = Literal["manual", "threshold", "overflow"]

NOTHING = "There is nothing to compact yet: the recent messages are kept as they are."
TOO_LARGE = (
    "The request is too large for the model, and the context could not be made smaller. Send less, "
    "offer fewer tools, or choose a model with a larger window."
)
CANCELLED = "Compaction was cancelled."


class CompactionCancelledError(CompactionError):
    """Somebody, or an extension, stopped it."""


async def make_room(conversation: Conversation) -> None:
    """Compact when the context is above the threshold; failing is told, not raised."""
    window = conversation.context_window
    if window is None or conversation.attempts.compactions >= MAX_COMPACTIONS:
        return
    settings = conversation.compaction_settings
    if not settings.enabled:
        return
    if should_compact(conversation.context_tokens(), window, settings):
        await try_compact(conversation, "threshold")


async def recover_old_overflow(conversation: Conversation) -> None:
    """Handle an overflow that the process which met it did not live to handle.

    Only one by the model in use, and newer than the last compaction.
    """
    answer = _last_answer(conversation)
    model = conversation.model
    if answer is None or model is None or conversation.attempts.compactions:
        return
    message = cast("dict[str, Any]", answer.message)
    if message.get("stopReason") != "error":
        return
    if (message.get("provider"), message.get("model")) != (model.provider, model.id):
        return
    if is_overflow(message, conversation.context_window):
        conversation.omit(answer.id)
        await try_compact(conversation, "overflow")


def _last_answer(conversation: Conversation) -> Entry | None:
    """The newest answer on the path, if no compaction and no edit came after it."""
    tree = conversation.manager.tree
    for entry in tree.ancestors(tree.leaf_id):
        if entry.type in ("compaction", "context_edit"):
            return None
        message = entry.message
        if message is not None and message.get("role") == "assistant":
            return entry
    return None


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
    _done(conversation, reason, result, entry_id, will_retry=will_retry, from_hook=from_hook)
    return result


def _prepare(conversation: Conversation, overshoot: float) -> Preparation | None:
    """The plan; it keeps less where the usual tail would not bring the input below its limit.

    Some texts hold far more tokens than estimated. What the provider counted says by how much the
    estimate has to shrink.
    """
    tree, settings = conversation.manager.tree, conversation.compaction_settings
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
    return {
        "summary": result.summary,
        "firstKeptEntryId": result.first_kept_entry_id,
        "tokensBefore": result.tokens_before,
        "estimatedTokensAfter": conversation.context_tokens(),
        "usage": result.usage,
        "details": result.details,
        "entryId": entry_id,
    }
