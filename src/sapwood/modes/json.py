"""JSON mode: the session's header, then every event, one JSON object per line on standard output.

Lines end in LF and nothing else; text may hold U+2028. Standard output carries records alone,
everything for people goes to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sapwood.modes.headless import run_prompts, tell
from sapwood.session.codec import encode_line

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.prompts import Prompt


async def run_json(session: AgentSession, prompts: Sequence[Prompt]) -> int:
    """The exit status; see `headless`."""
    for text in session.notices:
        tell(text)
    write_record(session.manager.header)
    session.subscribe(write_record)
    return await run_prompts(session, prompts)


def write_record(record: Mapping[str, Any]) -> None:
    """One line, at once."""
    sys.stdout.buffer.write(encode_line(dict(record)) + b"\n")
    sys.stdout.buffer.flush()
