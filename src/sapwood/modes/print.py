"""Print mode: run the prompts, then the text of the final answer on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

from sapwood.agent.outside import answer_text
from sapwood.modes.headless import OK, run_prompts, tell
from sapwood.text import printable

if TYPE_CHECKING:
    from sapwood.agent.events import Event
    from sapwood.agent.session import AgentSession
    from sapwood.modes.prompts import Prompt


async def run_print(session: AgentSession, prompts: Sequence[Prompt], output: BinaryIO) -> int:
    """The exit status; see `headless`."""
    tell_once = _Notices().tell
    for text in session.notices:
        tell_once(text)
    session.subscribe(lambda event: tell_once(_notice_in(event)))
    status, answer = await run_prompts(session, prompts)
    if status == OK and answer is not None:
        _write(answer_text(answer), output)
    return status


def _write(text: str, output: BinaryIO) -> None:
    """As it is into a file or a pipe; on a terminal, nothing in it drives the terminal."""
    if not text:
        return
    shown = printable(text) if output.isatty() else text
    output.write(f"{shown}\n".encode("utf-8", "replace"))
    output.flush()


class _Notices:
    """Tells each line once, however often a run says it."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, text: str | None) -> None:
        if text and text not in self._told:
            self._told.add(text)
            tell(text)


def _notice_in(event: Event) -> str | None:
    """What an event has to say to a person."""
    if event["type"] == "notice":
        return str(event["message"])
    return event.get("errorMessage") if event["type"] == "compaction_end" else None
