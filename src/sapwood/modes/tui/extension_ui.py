"""How extensions talk to the person in the terminal UI."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sapwood.agent.extensions.session import Level
    from sapwood.modes.tui.app import SapwoodApp

Answer = TypeVar("Answer")


class ExtensionUi:
    """Notices and questions; see ``agent.extensions.Ui``."""

    def __init__(self, app: SapwoodApp) -> None:
        self._app = app

    def notify(self, text: str, level: Level) -> None:
        kind = {"warning": "warn", "error": "error"}.get(level, "info")
        self._app.chat.status.notice(text, kind)  # type: ignore[arg-type]

    async def confirm(self, question: str) -> bool:
        from sapwood.modes.tui.dialogs.question import confirm

        asking = self._app.ask(confirm(question, "Yes", "No"))
        return await self._in_worker(asking) is True

    async def select(self, question: str, options: Sequence[str]) -> str | None:
        answers = [(option, option, "") for option in options]
        return await self._in_worker(self._app.choose(question, answers))

    async def input(self, question: str, placeholder: str) -> str | None:
        from sapwood.modes.tui.dialogs.text_field import TextField

        asking = self._app.ask(TextField(question, placeholder=placeholder))
        return await self._in_worker(asking)

    async def _in_worker(self, asking: Coroutine[Any, Any, Answer]) -> Answer:
        """Screens can only be awaited in a worker; hooks run in tasks of the session."""
        worker = self._app.run_worker(asking, exit_on_error=False)
        try:
            return await worker.wait()
        except asyncio.CancelledError:
            worker.cancel()
            raise
