"""``/compact`` and ``/retain``: what the model keeps of the conversation."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sapwood.modes.tui.transcript.content import field, text_of

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.dialogs.rows import Row
    from sapwood.session.tree import SessionTree


async def compact(chat: Chat, text: str) -> None:
    """Compact now; the text says what the summary should pay attention to."""
    from sapwood.errors import CompactionError

    try:
        await _session(chat).compact(text or None)
    except CompactionError as error:
        if not chat.status.status.notice:
            chat.status.notice(str(error), "warn")
    finally:
        chat.status.doing("")


async def retain(chat: Chat, text: str) -> None:
    """Choose messages that every later summary carries verbatim; again to take a pin away."""
    from sapwood.compaction.retain import set_retained
    from sapwood.modes.tui.dialogs.pick_list import PickList

    session = _session(chat)
    rows = await asyncio.to_thread(pin_rows, session.manager.tree)
    if not rows:
        return chat.status.notice("There is no message to pin yet")
    note = "A pinned message stays word for word in every later summary of this branch."
    picked = await chat.sapwood.ask(PickList("Pin or unpin a message", rows, text=note))
    if picked is None:
        return None
    entry_id, pinned = picked
    set_retained(session.manager, entry_id, not pinned)
    chat.view.sync()
    return chat.status.notice("The pin is gone" if pinned else "Pinned")


def pin_rows(tree: SessionTree) -> list[Row[tuple[str, bool]]]:
    """Messages of the active path, newest first; pinned ones are marked."""
    from sapwood.compaction.retain import pin_states
    from sapwood.modes.tui.dialogs.rows import Row

    path = tree.path()
    pinned = {entry_id for entry_id, on in pin_states(path).items() if on}
    rows: list[Row[tuple[str, bool]]] = []
    for entry in reversed(path):
        message = entry.message
        role = field(message, "role")
        if message is None or role not in {"user", "assistant"}:
            continue
        words = text_of(message.get("content"))[:300].strip()
        if words:
            on = entry.id in pinned
            who = "you" if role == "user" else "answer"
            rows.append(Row((entry.id, on), words, f"{who} · pinned" if on else who, current=on))
    return rows


def _session(chat: Chat) -> AgentSession:
    assert chat.session is not None
    return chat.session
