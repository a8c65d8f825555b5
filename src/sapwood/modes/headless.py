"""A session without a terminal: run the prompts, stop in order, say how it ended.

Shared by the print and the JSON mode. Exit codes: 0 answered, 1 the run ended in an error (one line
on standard error), 130 interrupted (143 by SIGTERM, 129 by SIGHUP). A second signal does not wait
any more.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError
from sapwood.text import one_line

if TYPE_CHECKING:
    from asyncio import Task

    from sapwood.agent.events import Event
    from sapwood.agent.session import AgentSession
    from sapwood.modes.prompts import Prompt
    from sapwood.session.schema import AssistantMessage

OK, FAILED, INTERRUPTED = 0, 1, 130


def tell(text: str) -> None:
    """One line on standard error; standard output belongs to answers and records."""
    print(f"sapwood: {one_line(text)}", file=sys.stderr, flush=True)


async def run_prompts(
    session: AgentSession, prompts: Sequence[Prompt]
) -> tuple[int, AssistantMessage | None]:
    """Send the prompts one after the other until one fails: the exit status, and the last answer.

    There may be none: an extension can handle a prompt itself.
    """
    answers: list[AssistantMessage] = []

    def listen(event: Event) -> None:
        if event["type"] == "message_end" and event["message"]["role"] == "assistant":
            answers[:] = [event["message"]]

    stop_listening = session.subscribe(listen)
    try:
        status = await _run_each(session, prompts, answers)
    finally:
        stop_listening()
    return status, answers[0] if answers else None


async def _run_each(
    session: AgentSession, prompts: Sequence[Prompt], answers: Sequence[AssistantMessage]
) -> int:
    interruption = _Interruption(session)
    session.extensions.on_problem = lambda problem: tell(str(problem))
    try:
        for prompt in prompts:
            await session.prompt(_in_full(session, prompt), prompt.images)
            if interruption.signal is not None:
                return 128 + interruption.signal
            error = failure_of(answers[0]) if answers else None
            if error is not None:
                tell(error)
                return FAILED
    except SapwoodError:
        if interruption.signal is not None:  # it was the signal that ended something needed
            return 128 + interruption.signal
        raise
    finally:
        interruption.restore()
    return OK


def _in_full(session: AgentSession, prompt: Prompt) -> str:
    """The text to send. With material before it, a template or skill could not be told by its
    place at the start any more."""
    if prompt.material:
        prompt = replace(prompt, text=session.shorthand.expand(prompt.text))
    return prompt.whole


def failure_of(answer: AssistantMessage) -> str | None:
    """Why an answer is none, in one line; None when it is one."""
    if answer["stopReason"] == "error":
        return answer.get("errorMessage") or "The request failed."
    if answer["stopReason"] == "aborted":
        return "The run was aborted."
    return None


class _Interruption:
    """Ctrl+C, SIGTERM and SIGHUP abort the run, which is then stored; a second one ends the
    process. One that is ignored stays so (``nohup``, jobs in the background of a script).

    The handlers are the process's own and not the event loop's, which hears nothing while a
    handler of an extension keeps it busy.
    """

    def __init__(self, session: AgentSession) -> None:
        self.signal: int | None = None
        self._session = session
        from asyncio import get_running_loop

        self._loop = get_running_loop()
        self._aborting: Task[None] | None = None
        self._before = {
            number: signal.signal(number, self._handle)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    def _handle(self, number: int, frame: object) -> None:
        if self.signal is not None:
            os._exit(128 + number)
        self.signal = number
        self._loop.call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        self._aborting = self._loop.create_task(self._session.abort())

    def restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
