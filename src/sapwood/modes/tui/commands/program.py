"""``/reload``, ``/hotkeys`` and ``/quit``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sapwood.modes.tui.keys import CHAT, EDITOR, Action, keys_of, shown_key

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat
    from sapwood.modes.tui.dialogs.panel import Fact


async def reload(chat: Chat, text: str) -> None:
    """Read keys, settings, models and extensions again."""
    chat.sapwood.reload_keys()
    problems = list(chat.sapwood.keymap_problems)
    session = chat.session
    assert session is not None
    problems += await session.reload()
    chat.sapwood.use_theme(chat.launch.theme or session.settings.values.theme)
    chat.view.refresh_footer()
    if problems:
        chat.status.notice(" · ".join(problems), "warn")
    else:
        chat.status.notice("Read again: keys, settings, models, extensions, context files")


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

    unbound = [action for action in (*CHAT, *EDITOR) if not keys_of(action, keymap)]
    rest = [Fact(action.id, action.does) for action in unbound]
    return [
        *facts("Chat", CHAT),
        *facts("Editor", EDITOR),
        Fact("Without a key"),
        *rest,
    ]


async def leave(chat: Chat, text: str) -> None:
    """End the program."""
    chat.leave()
