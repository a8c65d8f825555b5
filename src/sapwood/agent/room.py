"""When a compaction starts by itself: above the threshold, and after an overflow.

The work is in `compacting`, which is loaded when there is some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sapwood.agent.recovery import MAX_COMPACTIONS
from sapwood.compaction.settings import should_compact
from sapwood.models.failures import is_overflow

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.session.entry import Entry


async def make_room(conversation: Conversation) -> None:
    """Compact when the context is above the threshold; failing is told, not raised."""
    window = conversation.context_window
    if window is None or conversation.attempts.compactions >= MAX_COMPACTIONS:
        return
    settings = conversation.compaction_settings
    if not settings.enabled:
        return
    if should_compact(conversation.context_tokens(), window, settings):
        from sapwood.agent.compacting import try_compact

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
        from sapwood.agent.compacting import try_compact

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
