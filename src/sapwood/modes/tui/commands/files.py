"""``/export``, ``/share``, ``/import`` and ``/copy``: sessions and answers in and out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.modes.tui.clipboard import copy_text

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.chat import Chat


async def copy(chat: Chat, text: str) -> None:
    """The last answer of this branch to the clipboard."""
    answer = _session(chat).last_assistant_text()
    if not answer:
        return chat.status.notice("There is no answer to copy yet")
    await copy_text(chat, answer)
    return chat.status.notice(f"Copied {len(answer):,} characters of the last answer")


async def export(chat: Chat, text: str) -> None:
    """Write the session: HTML, or Markdown or JSONL by the file's name."""
    chat.status.notice("Exporting")
    path = await asyncio.to_thread(_session(chat).export, text or None)
    chat.status.notice(f"Exported to {path}")


async def share(chat: Chat, text: str) -> None:
    """Publish the session as a secret gist, after a look at what was masked."""
    from sapwood.library.share import prepare_share, publish

    session = _session(chat)
    prepared = await asyncio.to_thread(prepare_share, session.manager)
    answer = await chat.sapwood.choose(
        "Share this session as a secret gist?",
        [
            ("no", "No, keep it here", ""),
            ("yes", "Yes, publish it", "whoever has the link can read all of it"),
        ],
        prepared.description,
    )
    if answer != "yes":
        return
    chat.status.notice("Publishing")
    link = await asyncio.to_thread(publish, prepared)
    await copy_text(chat, link)
    chat.status.notice(f"Shared, and copied: {link}")


async def import_file(chat: Chat, text: str) -> None:
    """Take in a session of Sapwood, Pi, Claude Code or Codex, and open it."""
    from sapwood.library.importing import import_session
    from sapwood.modes.tui.commands.session import switch_to

    session = _session(chat)
    if not text:
        return chat.status.notice("Name a file: /import <path>")
    source = session.cwd / Path(text).expanduser()
    path = await asyncio.to_thread(import_session, source, session.cwd, session.manager.session_dir)
    await switch_to(chat, path)
    return chat.status.notice(f"Imported {source.name}")


def _session(chat: Chat) -> AgentSession:
    assert chat.session is not None
    return chat.session
