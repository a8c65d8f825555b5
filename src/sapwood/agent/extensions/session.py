"""What an extension can reach of the session it runs in.

The session hands the host something of this shape with ``ExtensionHost.bind``, the terminal UI
something of the shape of ``Ui``. Until then, and where there is no terminal, ``Headless`` answers:
messages go to standard error and every question gets the cautious answer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from sapwood.session.schema import Json, UserBlock
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.manager import SessionManager

Level: TypeAlias = Literal["info", "warning", "error"]


class Completion(Protocol):
    """The answer of a model to one prompt outside the conversation."""

    @property
    def text(self) -> str: ...
    @property
    def usage(self) -> Json: ...
    @property
    def error(self) -> str | None: ...


class ExtensionSession(Protocol):
    """The session, as far as extensions may use it."""

    @property
    def manager(self) -> SessionManager: ...
    @property
    def cwd(self) -> Path: ...
    @property
    def model_name(self) -> str | None:
        """``provider/id`` of the model in use."""

    async def complete(
        self, prompt: str, *, system_prompt: str, model: str | None, max_tokens: int
    ) -> Completion:
        """Ask a model (a pattern, None = the one in use) without touching the conversation."""

    def append_entry(self, custom_type: str, data: Json) -> str:
        """Append a ``custom`` entry, which no model sees; its id."""

    def send_message(
        self,
        custom_type: str,
        content: str | list[UserBlock],
        *,
        display: bool,
        details: Json,
        trigger_turn: bool,
    ) -> None:
        """Add a ``custom_message`` to the context, at the next place where one may stand."""


class Ui(Protocol):
    """How an extension talks to the person."""

    def notify(self, text: str, level: Level) -> None: ...
    async def confirm(self, question: str) -> bool: ...
    async def select(self, question: str, options: Sequence[str]) -> str | None: ...
    async def input(self, question: str, placeholder: str) -> str | None: ...


class Headless:
    """Nobody to ask: no is the answer, no option is chosen, nothing is typed."""

    def notify(self, text: str, level: Level) -> None:
        print(one_line(text), file=sys.stderr)

    async def confirm(self, question: str) -> bool:
        return False

    async def select(self, question: str, options: Sequence[str]) -> str | None:
        return None

    async def input(self, question: str, placeholder: str) -> str | None:
        return None
