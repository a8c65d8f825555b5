"""Print mode: run the prompts, then the text of the final answer on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

from sapwood.modes.headless import OK, run_prompts, tell
from sapwood.text import printable

if TYPE_CHECKING:
    from sapwood.agent.events import Event
    from sapwood.agent.session import AgentSession
    from sapwood.modes.prompts import Prompt


async def run_print(session: AgentSession, prompts: Sequence[Prompt], output: BinaryIO) -> int:
    """The exit status; see `headless`."""
    for text in session.notices:
        tell(text)
    session.subscribe(_tell_notices)
    status = await run_prompts(session, prompts)
    if status == OK:
        _write(session.last_assistant_text(), output)
    return status


def _write(text: str, output: BinaryIO) -> None:
    """As it is into a file or a pipe; on a terminal, nothing in it drives the terminal."""
    if not text:
        return
    shown = printable(text) if output.isatty() else text
    output.write(f"{shown}\n".encode("utf-8", "replace"))
    output.flush()


def _tell_notices(event: Event) -> None:
    if event["type"] == "notice":
        tell(event["message"])
    elif event["type"] == "compaction_end" and "errorMessage" in event:
        tell(event["errorMessage"])
