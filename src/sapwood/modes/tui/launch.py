"""What the command line hands to the UI: how to open the session, and how opening may ask back.

Cheap to import. The session is opened after the first paint, so that the prompt is there at once
whatever the session's size.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.session.schema import ImageBlock


class Asker(Protocol):
    """The one way to ask the user while a session is being opened."""

    async def choose(
        self, title: str, answers: Sequence[tuple[str, str, str]], text: str = ""
    ) -> str | None:
        """Ask; an answer is (value, label, detail). None when the user backs out."""
        ...


Prompt: TypeAlias = "tuple[str, Sequence[ImageBlock]]"
OpenSession: TypeAlias = "Callable[[Asker], Awaitable[AgentSession | None]]"
OpenPath: TypeAlias = "Callable[[Path, Asker], Awaitable[AgentSession | None]]"


@dataclass(frozen=True)
class Launch:
    """``open_session`` follows the flags; ``open_path`` opens what the picker gave (``resume``).

    Both return None when the user backed out of a question: the program then ends quietly. They
    raise a `SapwoodError` for what cannot be opened.
    """

    open_session: OpenSession
    open_path: OpenPath
    agent_dir: Path
    cwd: Path
    prompts: Sequence[Prompt] = ()
    resume: bool = False
    theme: str | None = None
    verbose: bool = False
    session_dir: Path | None = None
