"""From the command line to a session that is driven."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError
from sapwood.modes import streams
from sapwood.modes.headless import FAILED, tell

if TYPE_CHECKING:
    from sapwood.modes.opening import Opening
    from sapwood.modes.options import AgentFlags


def run_rpc(flags: AgentFlags) -> int:
    """Open the session, serve it until the end, close it; the exit status."""
    from sapwood.modes.opening import Opening

    if any(word.startswith("@") for word in flags.messages):
        raise SapwoodError("RPC mode takes no @files; send their text with prompt.")
    if flags.messages:
        tell("RPC mode takes prompts from standard input; the message is passed over.")
    output, commands = streams.take_output(), _take_input()
    for descriptor in (output.fileno(), commands):
        os.set_blocking(descriptor, True)  # the threads that use them wait
    return asyncio.run(_serve(Opening(flags, interactive=False), commands, output.fileno()))


def _take_input() -> int:
    """Standard input for commands alone; whoever else reads, an extension say, finds the end."""
    commands = os.dup(0)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    return commands


async def _serve(opening: Opening, commands: int, output: int) -> int:
    from sapwood.models.clients import close_connections
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.lines import Lines
    from sapwood.modes.rpc.records import Records
    from sapwood.modes.rpc.server import PATIENCE, Server

    server = Server()
    records = Records(output, server.lose_reader)
    driver = Driver(opening, records)
    await driver.open()
    try:
        status = await server.serve(driver, Lines(commands))
    finally:
        with contextlib.suppress(TimeoutError):  # an extension that never ends
            await asyncio.wait_for(driver.session.dispose(), PATIENCE)
        await close_connections()
        await records.finish()
    if driver.session.unsaved:
        tell("The disk refused the last messages; they are lost.")
        return FAILED
    return status
