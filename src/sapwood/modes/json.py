"""JSON mode: the session's header, then every event, one JSON object per line on standard output.

Lines end in LF and nothing else; text may hold U+2028. Standard output carries records alone,
everything for people goes to standard error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from sapwood.modes import streams
from sapwood.modes.headless import FAILED, run_prompts, tell
from sapwood.session.codec import encode_line

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.prompts import Prompt


async def run_json(session: AgentSession, prompts: Sequence[Prompt], output: BinaryIO) -> int:
    """The exit status; see `headless`."""
    for text in session.notices:
        tell(text)
    records = _Records(session, output)
    records.write(session.manager.header)
    if records.stopped:
        return FAILED
    session.subscribe(records.write)
    status, _ = await run_prompts(session, prompts)
    return FAILED if records.stopped else status


class _Records:
    """Writes one line per record, at once. When they go nowhere any more, the run is stopped."""

    def __init__(self, session: AgentSession, output: BinaryIO) -> None:
        self.stopped = False
        self._session = session
        self._output = output

    def write(self, record: Mapping[str, Any]) -> None:
        if self.stopped:
            return
        try:
            self._output.write(encode_line(dict(record)) + b"\n")
            self._output.flush()
        except BrokenPipeError:
            self._stop("Nobody reads the records any more; the run is stopped.")
        except OSError as error:
            self._stop(
                f"The records cannot be written ({streams.reason(error)}); the run is stopped."
            )

    def _stop(self, why: str) -> None:
        self.stopped = True
        tell(why)
        self._aborting = asyncio.get_running_loop().create_task(self._session.abort())
