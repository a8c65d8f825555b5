"""``/login``, ``/logout`` and ``/trust``: keys of providers, and what a project may run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.chat import Chat


async def login(chat: Chat, text: str) -> None:
    """Save a key for a provider; it never shows on screen."""
    from sapwood.modes.tui.dialogs.pick_list import PickList
    from sapwood.modes.tui.dialogs.rows import Row
    from sapwood.modes.tui.dialogs.text_field import TextField

    session = _session(chat)
    catalogue = session.catalogue
    provider: str | None = text
    if text not in catalogue.provider_ids:
        rows = [
            Row(name, name, "has a key" if catalogue.has_key(name) else "")
            for name in catalogue.provider_ids
        ]
        provider = await chat.sapwood.ask(PickList("Save a key for", rows, query=text))
    if provider is None:
        return
    where = f"Kept in {session.catalogue.auth.path}, readable by you alone."
    key = await chat.sapwood.ask(TextField(f"Key of {provider}", text=where, secret=True))
    if not key or not key.strip():
        return
    catalogue.auth.save(provider, key.strip())
    model = session.model or catalogue.default()
    if model is not None and session.model is None:
        session.set_model(model)
    chat.view.refresh_footer()
    chat.transcript.redraw()
    using = f"; using {session.model_name}" if session.model else "; /model chooses one"
    chat.status.notice(f"The key of {provider} is saved{using}")


async def logout(chat: Chat, text: str) -> None:
    """Remove a saved key; keys in the environment are not ours to remove."""
    from sapwood.modes.tui.dialogs.question import Question
    from sapwood.modes.tui.dialogs.rows import Row

    auth = _session(chat).catalogue.auth
    known = auth.providers()
    if not known:
        return chat.status.notice("No key is saved; those in the environment stay there")
    provider: str | None = text
    if text not in known:
        rows = [Row(name, name) for name in known]
        provider = await chat.sapwood.ask(Question("Remove the saved key of", rows))
    if provider is None:
        return None
    auth.remove(provider)
    return chat.status.notice(f"The saved key of {provider} is gone")


def providers(chat: Chat) -> Sequence[tuple[str, str]]:
    """Completions for ``/login``."""
    return [(name, "") for name in _session(chat).catalogue.provider_ids]


def saved(chat: Chat) -> Sequence[tuple[str, str]]:
    """Completions for ``/logout``."""
    return [(name, "") for name in _session(chat).catalogue.auth.providers()]


async def trust(chat: Chat, text: str) -> None:
    """Decide whether this project's own settings, extensions and prompts count."""
    from sapwood.agent.trust import protected_files, save_decision, saved_decision
    from sapwood.modes.tui.app import shown_folder

    session = _session(chat)
    agent_dir, project = chat.launch.agent_dir, session.cwd
    files = protected_files(project)
    names = ", ".join(path.name for path in files) or "nothing yet"
    now = {True: "trusted", False: "not trusted", None: "undecided"}
    known = saved_decision(agent_dir, project)
    answer = await chat.sapwood.choose(
        f"Trust {shown_folder(project)}?",
        [
            ("yes", "Trust it", "its settings and extensions may run code"),
            ("no", "Do not trust it", "leave them out"),
        ],
        f"In its .pi folder: {names}. Now: {now[known]}.",
    )
    if answer is None:
        return
    save_decision(agent_dir, project, answer == "yes")
    words = "trusted" if answer == "yes" else "not trusted"
    chat.status.notice(f"The project is {words}; it counts from the next start or /reload")


def _session(chat: Chat) -> AgentSession:
    assert chat.session is not None
    return chat.session
