"""``/reload``, ``/hotkeys`` and ``/quit``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sapwood.modes.tui.keys import CHAT, EDITOR, SEARCH, Action, keys_of, shown_key

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.dialogs.panel import Fact


async def reload(chat: Chat, text: str) -> None:
    """Read keys, settings, models, extensions and context files again."""
    chat.sapwood.reload_keys()
    if await reopen(chat) and not chat.status.status.notice:
        chat.status.notice("Read again: keys, settings, models, extensions, context files")


async def reopen(chat: Chat) -> bool:
    """Open the same session anew, as at the start; False with a notice when that cannot be now.

    Raises `SettingsError` for settings that cannot be used; nothing has happened then.
    """
    from sapwood.agent.settings import Settings

    session = chat.session
    assert session is not None
    if not session.is_idle:
        chat.status.notice("Not while the agent works; the rest of it counts after /reload", "warn")
        return False
    path = session.manager.path
    stored = path is not None and path.exists()
    if not stored and session.manager.tree.entries:
        chat.status.notice("This session is not saved; opening it again would lose it", "warn")
        return False
    Settings.load(chat.launch.agent_dir, session.cwd, True)
    session.save_unsaved()
    if session.manager.read_only and path is not None:
        from sapwood.modes.tui.commands.session import switch_to

        return await switch_to(chat, path)
    await session.dispose()
    opened = (
        await chat.launch.open_path(path, chat.sapwood)
        if stored and path is not None
        else await chat.launch.open_session(chat.sapwood)
    )
    if opened is None:
        chat.leave()
        return False
    chat.attach(opened)
    return True


async def show_keys(chat: Chat, text: str) -> None:
    """All keys in a panel, as they are now."""
    from sapwood.modes.tui.dialogs.panel import Panel

    note = f"Change them in {chat.launch.agent_dir / 'keybindings.json'}, then /reload."
    await chat.sapwood.ask(Panel("Keys", key_facts(chat.sapwood.keys_changed), text=note))


def key_facts(keymap: Mapping[str, str]) -> list[Fact]:
    """Every action with the keys in force; those without a key come last."""
    from sapwood.modes.tui.dialogs.panel import Fact

    def facts(title: str, actions: tuple[Action, ...]) -> list[Fact]:
        bound = [(keys_of(action, keymap), action) for action in actions]
        rows = [
            Fact(" ".join(shown_key(key) for key in keys), action.does)
            for keys, action in bound
            if keys
        ]
        return [Fact(title), *rows]

    from sapwood.modes.tui.picker.keys import PICKER
    from sapwood.modes.tui.tree.keys import TREE

    unbound = [action for action in (*CHAT, *EDITOR) if not keys_of(action, keymap)]
    rest = [Fact(action.id, action.does) for action in unbound]
    return [
        *facts("Chat", CHAT),
        *facts("Editor", EDITOR),
        *facts("Search", SEARCH),
        *facts("Tree", TREE),
        *facts("Sessions", PICKER),
        Fact("Without a key"),
        *rest,
    ]


async def leave(chat: Chat, text: str) -> None:
    """End the program."""
    chat.leave()
