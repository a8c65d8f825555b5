"""Messages to the model, now or later, and stopping what they started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sapwood.agent.activity import Activity
from sapwood.modes.rpc.protocol import CommandError
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import ImageBlock, Json

_QUEUED = {"disposition": "queued"}


async def prompt(driver: Driver, request: Request) -> Json:
    """Answered as soon as it is clear what becomes of it; the task goes on until it is settled."""
    session = driver.session
    text, images = _message(request)
    behaviour = request.optional_text("streamingBehavior")
    if behaviour not in (None, "steer", "followUp"):
        raise CommandError('streamingBehavior is "steer" or "followUp".')
    if await session.extensions.run_command(text):
        return {"disposition": "handled"}
    if session.activity not in (Activity.RUNNING, Activity.RETRYING):
        await session.prompt(
            text, images, on_accepted=lambda what: request.reply({"disposition": what})
        )
        return UNSET  # it is answered already
    if behaviour == "steer":
        session.steer(text, images)
    elif behaviour == "followUp":
        session.follow_up(text, images)
    else:
        raise CommandError(
            "A run is in progress: queue the message with streamingBehavior "
            '"steer" or "followUp", or abort first.'
        )
    return _QUEUED


async def steer(driver: Driver, request: Request) -> Json:
    driver.session.steer(*_queueable(driver.session, request))
    return _QUEUED


async def follow_up(driver: Driver, request: Request) -> Json:
    driver.session.follow_up(*_queueable(driver.session, request))
    return _QUEUED


def _message(request: Request) -> tuple[str, Sequence[ImageBlock]]:
    text, images = request.text("message"), request.images()
    if not text.strip() and not images:
        raise CommandError("The message is empty.")
    return text, images


def _queueable(session: AgentSession, request: Request) -> tuple[str, Sequence[ImageBlock]]:
    text, images = _message(request)
    name = text.removeprefix("/").partition(" ")[0]
    if text.startswith("/") and name in session.extensions.commands:
        raise CommandError(f"/{name} is a command, which cannot wait in a queue; use prompt.")
    return text, images


async def clear_queue(driver: Driver, request: Request) -> Json:
    taken = driver.session.take_back_queued()
    return {
        "steering": [message.text for message in taken.steering],
        "followUp": [message.text for message in taken.follow_up],
    }


async def abort(driver: Driver, request: Request) -> Json:
    """Answered when it is over and stored."""
    await driver.session.abort()
    return UNSET


async def abort_retry(driver: Driver, request: Request) -> Json:
    driver.session.abort_retry()
    return UNSET
