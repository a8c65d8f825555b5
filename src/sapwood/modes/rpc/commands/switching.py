"""Switches of the session; they last as long as the process and change no settings file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import Json


async def set_steering_mode(driver: Driver, request: Request) -> Json:
    driver.switch("steering_mode", request.text("mode"))
    return UNSET


async def set_follow_up_mode(driver: Driver, request: Request) -> Json:
    driver.switch("follow_up_mode", request.text("mode"))
    return UNSET


async def set_auto_compaction(driver: Driver, request: Request) -> Json:
    driver.switch("auto_compaction", request.flag("enabled"))
    return UNSET


async def set_auto_retry(driver: Driver, request: Request) -> Json:
    driver.switch("auto_retry", request.flag("enabled"))
    return UNSET
