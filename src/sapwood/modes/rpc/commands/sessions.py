"""Other sessions in place of this one, its name, and its export."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.modes.rpc.protocol import CommandError
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import Json

_DONE = {"cancelled": False}


async def new_session(driver: Driver, request: Request) -> Json:
    await driver.session.new_session(request.optional_text("parentSession"))
    return _DONE


async def switch_session(driver: Driver, request: Request) -> Json:
    await driver.switch_to(Path(os.path.expanduser(request.text("sessionPath"))))
    return _DONE


async def fork(driver: Driver, request: Request) -> Json:
    """Go on from before a user message, in a new session; its text is for the editor."""
    session, entry_id = driver.session, request.text("entryId")
    message = session.manager.tree.require(entry_id).message
    if message is None or message.get("role") != "user":
        raise CommandError(f"{entry_id} is not a message of the user; see get_fork_messages.")
    forked = await session.fork(entry_id)
    return {"text": forked.text or "", **_DONE}


async def clone(driver: Driver, request: Request) -> Json:
    await driver.session.clone()
    return _DONE


async def set_session_name(driver: Driver, request: Request) -> Json:
    name = request.text("name").strip()
    if not name:
        raise CommandError("The name must not be empty.")
    driver.session.set_session_name(name)
    return UNSET


async def export_html(driver: Driver, request: Request) -> Json:
    """Written in a thread. A page that is there already is replaced, any other file is not."""
    path = request.optional_text("outputPath")
    is_page = path is not None and path.lower().endswith((".html", ".htm"))
    export = driver.session.export_to_html
    async with driver.exporting:
        written = await asyncio.to_thread(export, path, force=is_page)
    return {"path": str(written)}
