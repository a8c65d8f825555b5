"""Commands that the user runs with ``!`` and ``!!``: run at once, stored where they may stand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from sapwood.agent.conversation import now_ms
from sapwood.agent.interrupt import Interrupt, Interrupted
from sapwood.agent.shell import run_shell
from sapwood.errors import SessionWriteError

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.agent.shell import ShellResult
    from sapwood.session.schema import BashExecutionMessage


class UserCommands:
    """The commands of one conversation, any number at a time."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._running: set[Interrupt] = set()
        self._none_runs = asyncio.Event()
        self._none_runs.set()

    async def run(
        self,
        command: str,
        *,
        exclude_from_context: bool,
        on_output: Callable[[str], None] | None,
        on_text: Callable[[str], None] | None,
    ) -> BashExecutionMessage:
        """See `AgentSession.execute_bash`."""
        conversation, manager = self._conversation, self._conversation.manager
        interrupt = Interrupt()
        self._running.add(interrupt)
        self._none_runs.clear()
        work = run_shell(
            command,
            conversation.cwd,
            shell=conversation.settings.shell,
            on_output=on_output,
            on_text=on_text,
        )
        try:
            result = await _finished(interrupt, work)
            message = _message(command, result, exclude_from_context=exclude_from_context)

            def store() -> None:
                if conversation.manager is manager:  # else another session has taken its place
                    self._store(message)

            conversation.at_boundary(store)
        finally:
            self._running.discard(interrupt)
            if not self._running:
                self._none_runs.set()
        return message

    def _store(self, message: BashExecutionMessage) -> None:
        try:
            self._conversation.record_settings()
        except SessionWriteError:
            self._conversation.unsaved.append(message)
            raise
        self._conversation.store_whole(message)

    def stop(self) -> None:
        """Ask all of them to end."""
        for interrupt in tuple(self._running):
            interrupt.request()

    async def end(self) -> None:
        """Stop them and return when each has handed over what it said."""
        self.stop()
        await self._none_runs.wait()


async def _finished(
    interrupt: Interrupt, work: Coroutine[Any, Any, ShellResult]
) -> ShellResult | None:
    """How it ended; an interrupt ends the command, not the call. None if it never began."""
    try:
        return await interrupt.guard(work)
    except Interrupted:
        return None


def _message(
    command: str, result: ShellResult | None, *, exclude_from_context: bool
) -> BashExecutionMessage:
    message: BashExecutionMessage = {
        "role": "bashExecution",
        "command": command,
        "output": result.output if result else "",
        "cancelled": result is None or result.cancelled,
        "truncated": result is not None and result.truncated,
        "timestamp": now_ms(),
    }
    if result is not None and result.exit_code is not None:
        message["exitCode"] = result.exit_code
    if result is not None and result.full_output_path is not None:
        message["fullOutputPath"] = result.full_output_path
    if exclude_from_context:
        message["excludeFromContext"] = True
    return message
