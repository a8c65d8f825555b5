"""The session that is driven, tied to the records that tell of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.agent.activity import Activity, BusyError
from sapwood.agent.events import session_changed
from sapwood.context.projection import project
from sapwood.errors import SapwoodError
from sapwood.modes.headless import tell
from sapwood.modes.opening import NobodyToAsk
from sapwood.modes.rpc.extension_ui import RemoteUi

if TYPE_CHECKING:
    from sapwood.agent.events import Event
    from sapwood.agent.extensions import ExtensionProblem
    from sapwood.agent.session import AgentSession
    from sapwood.modes.opening import Opening
    from sapwood.modes.rpc.records import Records

PROGRESS = "tool_execution_update"
"""Each such event replaces the one before it, so a reader who is behind does without."""


class Driver:
    """Holds one session at a time; the records stay the same."""

    def __init__(self, opening: Opening, records: Records) -> None:
        self._opening = opening
        self._unsubscribe: Callable[[], None] = lambda: None
        self._switching = asyncio.Lock()
        self.exporting = asyncio.Lock()
        """One export at a time: what they import does not bear being imported by two threads."""
        self._switched: dict[str, object] = {}
        self._counted: tuple[object, ...] = ()
        self._count = 0
        self.records = records
        self.ui = RemoteUi(records)
        self.session: AgentSession

    async def open(self) -> None:
        """Open the session that the command line asked for; raises `SapwoodError`."""
        session = await self._opening.open_session(NobodyToAsk())
        assert session is not None  # only a person backs out
        if self._opening.flags.verbose:
            for name, text in session.what_is_loaded():
                tell(f"{name}: {text}")
        self._attach(session)

    def message_count(self) -> int:
        """Messages in the context. Clients ask for the state often: counted when it has changed."""
        tree = self.session.manager.tree
        now = (tree, tree.leaf_id, len(tree.entries))
        if now != self._counted:
            self._counted, self._count = now, len(project(tree).items)
        return self._count

    def switch(self, name: str, value: object) -> None:
        """Set one of the session's `Switches`, also for those that follow it."""
        setattr(self.session.switches, name, value)
        self._switched[name] = value

    async def switch_to(self, path: Path) -> None:
        """Open another session in place of this one, with the settings of its own folder."""
        async with self._switching:
            await self._switch_to(path)

    async def _switch_to(self, path: Path) -> None:
        before = self.session
        if before.activity in (Activity.COMPACTING, Activity.NAVIGATING):
            raise BusyError("Not possible now: wait for what is going on, or abort it first.")
        if before.manager.path is not None and path.resolve() == before.manager.path.resolve():
            return
        opened = await self._opening.open_path(path, NobodyToAsk())
        assert opened is not None
        for switch, value in self._switched.items():
            setattr(opened.switches, switch, value)
        try:
            await before.abort()  # what it was doing is told before anything of the next session
            before.save_unsaved()
        except SapwoodError:
            await opened.dispose()
            raise
        self._unsubscribe()
        self._attach(opened)
        self.records.write(session_changed(opened.session_id, str(path)))
        await before.dispose()

    def _attach(self, session: AgentSession) -> None:
        self.session = session
        self._unsubscribe = session.subscribe(self._on_event)
        session.extensions.ui = self.ui
        session.extensions.on_problem = self._on_problem
        for text in session.notices:
            tell(text)

    def _on_event(self, event: Event) -> None:
        if event["type"] != PROGRESS or not self.records.is_behind:
            self.records.write(event)

    def _on_problem(self, problem: ExtensionProblem) -> None:
        self.records.write(
            {
                "type": "extension_error",
                "extensionPath": problem.extension,
                "event": problem.event,
                "error": problem.message,
            }
        )
