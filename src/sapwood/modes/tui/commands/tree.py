"""``/tree``, ``/fork`` and ``/clone``: going on from another place."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sapwood.modes.tui.transcript.content import text_of

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.dialogs.rows import Row
    from sapwood.modes.tui.tree import TreeChoice
    from sapwood.session.entry import Entry
    from sapwood.session.tree import SessionTree


async def open_tree(chat: Chat, text: str) -> None:
    """Show the tree and go where the user points; back to the tree when a summary is cancelled."""
    from sapwood.modes.tui.tree import TreeScreen

    cursor: str | None = None
    while True:
        session = _session(chat)
        screen = TreeScreen(session, cursor=cursor, palette=chat.sapwood.palette)
        choice = await chat.sapwood.ask(screen)
        if choice is None or await go_to(chat, choice):
            return
        cursor = choice.entry_id


async def go_to(chat: Chat, choice: TreeChoice) -> bool:
    """Make the move; False when its summary was cancelled or failed, and nothing changed."""
    session = _session(chat)
    if choice.summary != "none":
        chat.status.doing("Summarizing the branch you leave", "Esc cancels")
    try:
        result = await session.navigate_tree(
            choice.entry_id, summary=choice.summary, focus=choice.focus, exact=choice.exact
        )
    finally:
        chat.status.doing("")
    if result.aborted:
        chat.status.notice("Cancelled, nothing changed")
        return False
    if result.error:
        chat.status.notice(result.error, "error")
        return False
    _arrive(chat, result.editor_text, moved=result.moved)
    if result.editor_images:
        chat.editor.restore("", result.editor_images)
    return True


def _arrive(chat: Chat, editor_text: str | None, *, moved: bool) -> None:
    """Show the new place; a message to edit goes into the editor before what was written there."""
    chat.view.sync()
    if editor_text:
        chat.editor.add_text(editor_text)
    chat.status.notice(
        _arrival_words(chat, bool(editor_text)) if moved else "You are there already"
    )


def _arrival_words(chat: Chat, has_text: bool) -> str:
    if _session(chat).manager.read_only:
        return "Shown from here; the session is read only and opens where it stood"
    return "You can edit the message and send it again" if has_text else "Continues from here"


async def fork(chat: Chat, text: str) -> None:
    """A new session from before one of the user's messages, on whatever branch."""
    from sapwood.modes.tui.dialogs.pick_list import PickList

    session = _session(chat)
    rows = await asyncio.to_thread(user_rows, session.manager.tree)
    if not rows:
        return chat.status.notice("There is no message to fork from yet")
    note = "Copies the branch up to that message into a new session, which then goes on."
    entry_id = await chat.sapwood.ask(PickList("Fork before a message", rows, text=note))
    if entry_id is None:
        return None
    forked = await session.fork(entry_id)
    if forked.text:
        chat.editor.add_text(forked.text)
    return chat.status.notice("A new session; the old one is as it was")


def user_rows(tree: SessionTree) -> list[Row[str]]:
    """The user's messages, newest first: those of the active path, then those of other branches.

    The detail tells which branch; kinds are told without decoding, texts only of what is shown.
    """
    from sapwood.library.tree_kinds import Kind, kind_of
    from sapwood.modes.tui.dialogs.rows import Row

    def row(entry: Entry, detail: str) -> Row[str]:
        message = entry.message or {}
        return Row(entry.id, text_of(message.get("content"))[:300].strip() or "(no text)", detail)

    path = list(tree.ancestors(tree.leaf_id))
    active = [entry for entry in path if kind_of(entry) is Kind.USER]
    on_path = {entry.id for entry in path}
    others = [
        entry
        for entry in reversed(tree.entries)
        if entry.id not in on_path and kind_of(entry) is Kind.USER
    ]
    total = len(active)
    rows = [row(entry, f"this branch, {total - at} of {total}") for at, entry in enumerate(active)]
    return rows + [row(entry, "another branch") for entry in others]


async def clone(chat: Chat, text: str) -> None:
    """Copy the active branch into a new session."""
    await _session(chat).clone()
    chat.status.notice("A copy of this branch, in a new session; the old one is as it was")


def _session(chat: Chat) -> AgentSession:
    assert chat.session is not None
    return chat.session
