"""The one object an extension gets: ``def extension(api): …`` registers everything through it.

Registering happens while the extension loads; all of it takes effect together, or nothing if the
extension fails. The rest works once a session is bound: in handlers, commands and tools.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sapwood.agent.extensions.hooks import EVENTS, are_blocks, is_json
from sapwood.agent.extensions.session import Completion, ExtensionSession, Level
from sapwood.agent.tools.tool import Tool, ToolContext, ToolError, ToolResult, text_result
from sapwood.errors import SapwoodError
from sapwood.session.schema import Json, JsonObject, UserBlock

if TYPE_CHECKING:
    from sapwood.agent.extensions.host import ExtensionHost
    from sapwood.session.manager import SessionManager

Handler: TypeAlias = Callable[[JsonObject], Json | Awaitable[Json]]
CommandHandler: TypeAlias = Callable[[str], Awaitable[None] | None]
ToolFunction: TypeAlias = Callable[
    [JsonObject, ToolContext], ToolResult | str | Awaitable[ToolResult | str]
]


class ExtensionError(SapwoodError):
    """An extension could not be loaded, or used the interface wrongly."""


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: ``handler`` gets the text after its name; ``path``: see `ExtensionApi`."""

    name: str
    description: str
    handler: CommandHandler
    extension: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Registered:
    """What an extension asked for while it was loaded."""

    handlers: list[tuple[str, Handler]] = field(default_factory=list)
    tools: dict[str, Tool] = field(default_factory=dict)
    commands: dict[str, Command] = field(default_factory=dict)


class ExtensionApi:
    """The face of one extension; ``name`` is its file's name or its entry point's.

    ``path``: where it comes from, a file or what the entry point names.
    """

    def __init__(self, name: str, host: ExtensionHost, path: str = "") -> None:
        self.name = name
        self.path = path
        self.registered = Registered()
        self._host = host

    # While loading

    def on(self, event: str, handler: Handler) -> None:
        """Call ``handler(event)`` whenever ``event`` happens; it may be async.

        Raises:
            ExtensionError: there is no such event.
        """
        if event not in EVENTS:
            raise ExtensionError(f"there is no event {event!r}; there are {', '.join(EVENTS)}")
        self.registered.handlers.append((event, handler))

    def tool(
        self,
        name: str,
        description: str,
        parameters: JsonObject,
        run: ToolFunction,
        *,
        hint: str = "",
        guidelines: Sequence[str] = (),
    ) -> None:
        """Offer a tool to the model. ``run(arguments, context)`` answers with text or a result.

        A tool of the same name, built in or from an earlier extension, is replaced.
        """

        async def execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
            answer = await settled(run(arguments, context))
            result = answer if isinstance(answer, ToolResult) else text_result(str(answer))
            if not are_blocks(result.content) or not is_json(result.details):
                raise ToolError(f"The tool {name} gave a result that is not JSON")
            return result

        tool = Tool(name, description, parameters, execute, hint=hint, guidelines=guidelines)
        self.registered.tools[name] = tool

    def command(self, name: str, description: str, handler: CommandHandler) -> None:
        """Offer ``/name`` to the person; ``handler(text after the name)`` may be async."""
        command = Command(name, description, handler, self.name, self.path)
        self.registered.commands[name] = command

    # While a session runs

    @property
    def session(self) -> SessionManager:
        """The record: entries, path, labels, name. For reading."""
        return self._bound.manager

    @property
    def cwd(self) -> Path:
        """The working folder of the session."""
        return self._bound.cwd

    @property
    def model_name(self) -> str | None:
        """``provider/id`` of the model in use."""
        return self._bound.model_name

    def append_entry(self, custom_type: str, data: Json = None) -> str:
        """Keep something of your own in the session; no model sees it. Returns the entry's id."""
        return self._bound.append_entry(custom_type, data)

    def send_message(
        self,
        custom_type: str,
        content: str | list[UserBlock],
        *,
        display: bool = True,
        details: Json = None,
        trigger_turn: bool = False,
    ) -> None:
        """Put a message into the context; ``trigger_turn`` lets the model answer it at once."""
        self._bound.send_message(
            custom_type, content, display=display, details=details, trigger_turn=trigger_turn
        )

    async def complete(
        self,
        prompt: str,
        *,
        system_prompt: str = "",
        model: str | None = None,
        max_tokens: int = 4096,
    ) -> Completion:
        """Ask a model, by default the one in use, outside the conversation."""
        return await self._bound.complete(
            prompt, system_prompt=system_prompt, model=model, max_tokens=max_tokens
        )

    def notify(self, text: str, level: Level = "info") -> None:
        """Show one line to the person."""
        self._host.ui.notify(f"{self.name}: {text}", level)

    async def confirm(self, question: str) -> bool:
        """Ask yes or no; no where there is nobody to ask."""
        return await self._host.ui.confirm(question)

    async def select(self, question: str, options: Sequence[str]) -> str | None:
        """Let the person choose; None where there is nobody to ask, or nothing was chosen."""
        return await self._host.ui.select(question, options)

    async def input(self, question: str, placeholder: str = "") -> str | None:
        """Let the person type a line; None where there is nobody to ask, or the answer is none."""
        return await self._host.ui.input(question, placeholder)

    @property
    def _bound(self) -> ExtensionSession:
        session = self._host.session
        if session is None:
            raise ExtensionError("there is no session yet; do this in a handler")
        return session


async def settled(value: Json | Awaitable[Json]) -> Json:
    """The value itself, awaited if it must be: handlers may be sync or async."""
    return await value if inspect.isawaitable(value) else value
