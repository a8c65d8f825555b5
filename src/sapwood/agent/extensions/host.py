"""All loaded extensions, and the events of a session handed to them one after the other.

Order is the contract: events reach the handlers in the order in which they happened, and within an
event in load order. ``post`` tells of something and returns at once; ``emit`` first lets everything
posted be heard, then asks and brings the answers. A handler that raises, or answers nonsense, is
reported and passed over; the session goes on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sapwood.agent.extensions.api import Command, ExtensionApi, Handler, settled
from sapwood.agent.extensions.hooks import HOOKS, check_answer, lay_on
from sapwood.agent.extensions.session import ExtensionSession, Headless, Ui
from sapwood.agent.interrupt import being_cancelled
from sapwood.agent.tools.tool import Tool
from sapwood.session.schema import Json, JsonObject
from sapwood.text import one_line


@dataclass(frozen=True, slots=True)
class ExtensionProblem:
    """What went wrong, in one line: at load (``event`` "load") or in a handler."""

    extension: str
    event: str
    message: str

    def __str__(self) -> str:
        return f"Extension {self.extension}, {self.event}: {self.message}"


@dataclass(eq=False)
class ExtensionHost:
    """``loaded`` names them in load order. ``problems`` keeps what was reported; ``on_problem``,
    if set, hears of each as it happens."""

    tools: dict[str, Tool] = field(default_factory=dict)
    commands: dict[str, Command] = field(default_factory=dict)
    loaded: list[str] = field(default_factory=list)
    problems: list[ExtensionProblem] = field(default_factory=list)
    on_problem: Callable[[ExtensionProblem], None] | None = None
    session: ExtensionSession | None = None
    ui: Ui = field(default_factory=Headless)
    _handlers: dict[str, list[tuple[str, Handler]]] = field(default_factory=dict)
    _posted: deque[tuple[str, JsonObject]] = field(default_factory=deque)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _drain: asyncio.Task[None] | None = None

    @classmethod
    def load(
        cls,
        agent_dir: Path | None,
        trusted_project: Path | None,
        *,
        paths: Sequence[Path] = (),
        discover: bool = True,
    ) -> ExtensionHost:
        """Load what is found and what ``paths`` name; one that fails is reported and left out.

        ``discover=False`` (``--no-extensions``) loads ``paths`` only. ``trusted_project`` is the
        project folder once it is trusted, else None.
        """
        from sapwood.agent.extensions.loading import find_extensions, load_extension

        host = cls()
        for source in find_extensions(agent_dir, trusted_project, paths, discover):
            api = ExtensionApi(source.name, host, source.path)
            problem = load_extension(source, api)
            if problem is None:
                host._adopt(api)
            else:
                host.report(source.name, "load", problem)
        return host

    def bind(self, session: ExtensionSession, ui: Ui | None = None) -> None:
        """Make this the session that extensions act on."""
        self.session = session
        if ui is not None:
            self.ui = ui

    def _adopt(self, api: ExtensionApi) -> None:
        self.loaded.append(api.name)
        for event, handler in api.registered.handlers:
            self._handlers.setdefault(event, []).append((api.name, handler))
        self.tools.update(api.registered.tools)
        self.commands.update(api.registered.commands)

    def listens(self, event: str) -> bool:
        """Whether anybody handles ``event``; saves building an expensive payload."""
        return event in self._handlers

    def post(self, event: str, payload: JsonObject) -> None:
        """Tell the handlers without waiting for them; must be called inside the event loop."""
        if event not in self._handlers:
            return
        self._posted.append((event, payload))
        if self._drain is None or self._drain.done():
            self._drain = asyncio.get_running_loop().create_task(self.flush())

    async def flush(self) -> None:
        """Return when everything posted so far has been handled."""
        async with self._turn:
            await self._handle_posted()

    async def emit(self, event: str, payload: JsonObject) -> JsonObject:
        """Ask the handlers and return their merged answer (see ``hooks``); empty = no objection.

        Handlers may change ``payload`` where ``hooks`` says so. Cancelling stops the handler that
        is running.
        """
        if event not in self._handlers and not self._posted and not self._turn.locked():
            return {}
        async with self._turn:
            await self._handle_posted()
            return await self._ask(event, payload)

    async def _handle_posted(self) -> None:
        while self._posted:
            event, payload = self._posted.popleft()
            await self._ask(event, payload)

    async def _ask(self, event: str, payload: JsonObject) -> JsonObject:
        merged: JsonObject = {}
        for extension, handler in tuple(self._handlers.get(event, ())):
            answer = await self._tried(extension, event, lambda: handler(payload))  # noqa: B023
            problem = check_answer(event, answer)
            if problem is not None:
                self.report(extension, event, problem)
            elif answer and event in HOOKS and lay_on(event, payload, merged, answer):
                break
        return merged

    async def run_command(self, line: str) -> bool:
        """Run ``/name arguments`` if an extension offers it; False if none does."""
        name, _, arguments = line.removeprefix("/").partition(" ")
        command = self.commands.get(name)
        if command is None:
            return False
        await self._tried(command.extension, f"/{name}", lambda: command.handler(arguments.strip()))
        return True

    async def _tried(
        self, extension: str, event: str, call: Callable[[], Json | Awaitable[Json]]
    ) -> Json:
        """The outcome of an extension's code; None when it failed, which is reported.

        Whatever it raises concerns it alone, ``sys.exit()`` and a cancellation of its own making
        too. Ctrl+C and a cancellation from outside go on.
        """
        try:
            return await settled(call())
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and being_cancelled():
                raise
            self.report(extension, event, f"{type(error).__name__}: {error}")
            return None

    def report(self, extension: str, event: str, message: str) -> None:
        """Note a problem, and tell whoever listens for them."""
        problem = ExtensionProblem(extension, event, one_line(message))
        self.problems.append(problem)
        if self.on_problem is not None:
            self.on_problem(problem)
