"""Print mode: run the prompts, then the text of the final answer on standard output."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sapwood.modes.headless import OK, run_prompts, tell

if TYPE_CHECKING:
    from sapwood.agent.events import Event
    from sapwood.agent.session import AgentSession
    from sapwood.modes.prompts import Prompt


async def run_print(session: AgentSession, prompts: Sequence[Prompt]) -> int:
    """The exit status; see `headless`."""
    for text in session.notices:
        tell(text)
    session.subscribe(_tell_notices)
    status = await run_prompts(session, prompts)
    if status == OK:
        text = session.last_assistant_text()
        sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "replace") if text else b"")
        sys.stdout.buffer.flush()
    return status


def _tell_notices(event: Event) -> None:
    if event["type"] == "notice":
        tell(event["message"])
    elif event["type"] == "compaction_end" and "errorMessage" in event:
        tell(event["errorMessage"])
