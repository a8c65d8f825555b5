"""Opening the first session, warming up behind the prompt, and leaving in order."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError
from sapwood.modes.tui.words import count_text

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.models.model import Model
    from sapwood.modes.tui.app import SapwoodApp
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.launch import Launch
    from sapwood.session.manager import SessionManager


async def open_first(app: SapwoodApp, launch: Launch) -> AgentSession | None:
    """The session that the command line asked for; with ``-r`` the picker chooses it.

    None when the user backed out.
    """
    if not launch.resume:
        return await launch.open_session(app)
    from sapwood.modes.tui.commands.session import pick_session

    path = await pick_session(app, launch.cwd, launch.session_dir, None)
    return await launch.open_path(path, app) if path is not None else None


def preload(model: Model | None) -> None:
    """Import what the first answer and the first dialogs need. Runs in a thread."""
    import sapwood.modes.tui.dialogs.pick_list  # noqa: F401

    if model is not None:
        from sapwood.models import clients

        with suppress(SapwoodError, ImportError):
            clients.preload(model)


async def close_and_leave(chat: Chat) -> None:
    """Stop what runs, let go of the file, and say how to come back."""
    session = chat.session
    if session is not None:
        chat.status.doing("Closing")
        farewell = resume_command(session.manager)
        await session.dispose()
        chat.view.detach()
        await _close_connections()
        if lost := len(session.unsaved):
            what = count_text(lost, "message")
            farewell = f"{what} could not be saved, the disk refuses.\n{farewell}".strip()
        chat.sapwood.farewell = farewell
        return chat.app.exit(1 if lost else 0)
    return chat.app.exit(0)


async def _close_connections() -> None:
    """End the connections to providers, if any was made; a model's client may never have come."""
    clients = sys.modules.get("sapwood.models.clients")
    if clients is not None:
        await clients.close_connections()


def resume_command(manager: SessionManager) -> str:
    """How to open this session again; empty when there is nothing to come back to."""
    path = manager.path
    if path is None or not path.exists():
        return ""
    return f"To come back: sapwood --session {shlex.quote(manager.session_id)}"
