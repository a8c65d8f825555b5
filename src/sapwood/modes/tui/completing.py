"""Completions of the chat screen: commands, their arguments, and the files of the folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sapwood.modes.tui.editor.editor import Sources

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat

FILES_AGE = 10.0
"""Seconds after which the files of the folder are listed anew."""


def sources_for(chat: Chat) -> Sources:
    """What the editor of a chat screen asks."""
    known = _KnownFiles(chat)

    def commands() -> Sequence[tuple[str, str]]:
        from sapwood.modes.tui.commands.registry import listed

        return listed(chat.session)

    def arguments(command: str) -> Sequence[tuple[str, str]]:
        from sapwood.modes.tui.commands.registry import find

        found = find(command) if chat.session is not None else None
        return found.arguments(chat) if found and found.arguments else ()

    return Sources(commands, arguments, known.files)


class _KnownFiles:
    """The files known so far; the first question starts the listing."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._known: Sequence[str] | None = None

    def files(self) -> Sequence[str]:
        if self._known is None:
            self._known = ()
            self._chat.start(self._list())
        return self._known

    async def _list(self) -> None:
        from sapwood.modes.tui.editor.files import files_below

        chat = self._chat
        folder = chat.session.cwd if chat.session else chat.launch.cwd
        self._known = await asyncio.to_thread(files_below, folder)
        chat.editor.refresh_menu()
        chat.set_timer(FILES_AGE, self._forget)

    def _forget(self) -> None:
        self._known = None
