"""Commands that the user runs with ``!`` and ``!!``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sapwood.agent.conversation import now_ms
from sapwood.agent.interrupt import Interrupted
from sapwood.agent.shell import run_shell

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.agent.interrupt import Interrupt
    from sapwood.session.schema import BashExecutionMessage


async def run_user_command(
    conversation: Conversation,
    command: str,
    interrupt: Interrupt,
    exclude_from_context: bool,
    on_output: Callable[[str], None] | None,
    on_text: Callable[[str], None] | None,
) -> BashExecutionMessage:
    """Run it and make the message that tells of it; an interrupt ends the command, not the call."""
    work = run_shell(
        command,
        conversation.cwd,
        shell=conversation.settings.shell,
        on_output=on_output,
        on_text=on_text,
    )
    try:
        result = await interrupt.guard(work)
    except Interrupted:
        return _stopped(command)
    message: BashExecutionMessage = {
        "role": "bashExecution",
        "command": command,
        "output": result.output,
        "cancelled": result.cancelled,
        "truncated": result.truncated,
        "timestamp": now_ms(),
    }
    if result.exit_code is not None:
        message["exitCode"] = result.exit_code
    if result.full_output_path is not None:
        message["fullOutputPath"] = result.full_output_path
    if exclude_from_context:
        message["excludeFromContext"] = True
    return message


def _stopped(command: str) -> BashExecutionMessage:
    """The message of a command that was stopped before it began."""
    return {
        "role": "bashExecution",
        "command": command,
        "output": "",
        "cancelled": True,
        "truncated": False,
        "timestamp": now_ms(),
    }
