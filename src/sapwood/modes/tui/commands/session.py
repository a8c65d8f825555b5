"""``/new``, ``/resume``, ``/name`` and ``/session``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.modes.tui.words import cost_text, count_text, moment_text, tokens_text

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.agent.stats import SessionStats, Spent
    from sapwood.modes.tui.app import SapwoodApp
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.dialogs.panel import Fact


async def new_session(chat: Chat, text: str) -> None:
    """An empty session in the same folder."""
    session = _session(chat)
    await session.new_session()
    chat.status.notice("A new session; /resume finds the old one")


async def resume(chat: Chat, text: str) -> None:
    """Choose another session and open it here."""
    session = _session(chat)
    manager = session.manager
    path = await pick_session(
        chat.sapwood, session.cwd, manager.session_dir, manager.path, session.set_session_name
    )
    if path is None or path == manager.path:
        return
    await switch_to(chat, path)


async def switch_to(chat: Chat, path: Path) -> bool:
    """Open a session in place of this one, as at the start: with its own folder and questions.

    False when the user backed out.
    """
    _session(chat).save_unsaved()
    opened = await chat.launch.open_path(path, chat.sapwood)
    if opened is None:
        return False
    before = _session(chat)
    chat.attach(opened)
    await before.dispose()
    return True


async def pick_session(
    app: SapwoodApp,
    cwd: Path,
    session_dir: Path | None,
    current: Path | None,
    rename_current: Callable[[str], None] | None = None,
) -> Path | None:
    """Let the user choose a session file; ``rename_current`` names the one that is open."""
    from sapwood.modes.tui.picker import SessionPicker

    picker = SessionPicker(
        cwd, session_dir, current=current, palette=app.palette, rename_current=rename_current
    )
    return await app.ask(picker)


async def name_session(chat: Chat, text: str) -> None:
    """Set the name; without one, ask. An empty name takes it away."""
    session = _session(chat)
    name: str | None = text
    if not text:
        from sapwood.modes.tui.dialogs.text_field import TextField

        field = TextField("Name of this session", session.session_name or "", text="Empty: none.")
        name = await chat.sapwood.ask(field)
    if name is None:
        return
    session.set_session_name(name)
    chat.view.refresh_footer()
    shown = session.session_name
    chat.status.notice(f"Named “{shown}”" if shown else "The session has no name now")


async def show_session(chat: Chat, text: str) -> None:
    """Everything about this session in a panel."""
    from sapwood.modes.tui.dialogs.panel import Panel

    session = _session(chat)
    stats = await asyncio.to_thread(session.get_session_stats)
    await chat.sapwood.ask(Panel("This session", session_facts(session, stats)))


def session_facts(session: AgentSession, stats: SessionStats) -> list[Fact]:
    """The panel's lines."""
    from sapwood.modes.tui.app import shown_folder
    from sapwood.modes.tui.branches import count_branches
    from sapwood.modes.tui.dialogs.panel import Fact

    manager = session.manager
    path = str(manager.path) if manager.path else "not saved"
    facts = [
        Fact("Name", session.session_name or "none; /name gives it one"),
        Fact("Id", session.session_id),
        Fact("File", path),
        Fact("Folder", shown_folder(session.cwd)),
        Fact("Started", moment_text(str(manager.header.get("timestamp", "unknown")))),
    ]
    if parent := manager.header.get("parentSession"):
        facts.append(Fact("Copied from", str(parent)))
    facts += [Fact("Conversation")]
    facts += [Fact("Messages", _roles(stats))]
    facts += [
        Fact("Tool calls", f"{stats.tool_calls:,}"),
        Fact("Branches", f"{count_branches(manager.tree):,}"),
        Fact("Compactions", f"{stats.compactions:,}"),
        Fact("Entries", f"{len(manager.tree.entries):,}"),
        Fact("Context", _context_words(session)),
        Fact("Used"),
        *_spending_facts(stats),
    ]
    if manager.diagnostics:
        facts.append(Fact("Oddities in the file"))
        facts += [Fact("", str(item.message)) for item in manager.diagnostics[:20]]
    return facts


def _roles(stats: SessionStats) -> str:
    known = {"user": "prompt", "assistant": "answer", "toolResult": "tool result"}
    parts = [count_text(stats.messages.get(role, 0), name) for role, name in known.items()]
    others = sum(count for role, count in stats.messages.items() if role not in known)
    return ", ".join(parts + ([count_text(others, "other")] if others else []))


def _context_words(session: AgentSession) -> str:
    usage = session.get_context_usage()
    mark = "about " if usage.estimated else ""
    size = f"{mark}{tokens_text(usage.tokens)} tokens"
    if usage.context_window is None or usage.percent is None:
        return f"{size}; the model's window is not known"
    return f"{size} of {tokens_text(usage.context_window)} ({usage.percent:.0f}%)"


def _spending_facts(stats: SessionStats) -> list[Fact]:
    from sapwood.modes.tui.dialogs.panel import Fact

    facts = [Fact("All branches", spent_words(stats.total))]
    facts.append(Fact("This branch", spent_words(stats.branch)))
    if stats.summaries.requests:
        facts.append(Fact("Summaries", spent_words(stats.summaries)))
    if stats.inherited.requests:
        facts.append(Fact("Inherited", f"{spent_words(stats.inherited)}, paid for elsewhere"))
    if len(stats.by_model) > 1:
        facts += [Fact(model, spent_words(spent)) for model, spent in stats.by_model.items()]
    return facts


def spent_words(spent: Spent) -> str:
    """Cost, requests and tokens of a sum."""
    cached = f", {tokens_text(spent.cache_read)} read from cache" if spent.cache_read else ""
    return (
        f"{cost_text(spent.cost)} · {count_text(spent.requests, 'request')} · "
        f"{tokens_text(spent.input)} in, {tokens_text(spent.output)} out{cached}"
    )


def _session(chat: Chat) -> AgentSession:
    assert chat.session is not None
    return chat.session
