"""An interrupt stops what is waited for and nothing else."""

from __future__ import annotations

import asyncio

import pytest

from sapwood.agent.interrupt import Interrupt, Interrupted


async def forever(seen: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise


async def test_a_request_cancels_the_guarded_work() -> None:
    interrupt, seen = Interrupt(), []
    guarded = asyncio.ensure_future(interrupt.guard(forever(seen)))
    await asyncio.sleep(0.01)
    interrupt.request()
    with pytest.raises(Interrupted):
        await guarded
    assert seen == ["cancelled"]


async def test_nothing_new_starts_after_a_request() -> None:
    interrupt, seen = Interrupt(), []
    interrupt.request()
    with pytest.raises(Interrupted):
        await interrupt.guard(forever(seen))
    assert seen == []


async def test_work_that_answers_a_cancellation_with_a_result_gives_it() -> None:
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "as far as it came"
        return "never"

    interrupt = Interrupt()
    guarded = asyncio.ensure_future(interrupt.guard(stubborn()))
    await asyncio.sleep(0.01)
    interrupt.request()
    assert await guarded == "as far as it came"


async def test_stopping_the_whole_stops_the_part_but_not_the_other_way_round() -> None:
    whole = Interrupt()
    part = whole.child()
    part.request()
    assert not whole.requested
    second = whole.child()
    guarded = asyncio.ensure_future(second.guard(forever([])))
    await asyncio.sleep(0.01)
    whole.request()
    with pytest.raises(Interrupted):
        await guarded
    assert whole.child().requested


async def test_a_cancelled_caller_is_cancelled_not_interrupted() -> None:
    interrupt, seen = Interrupt(), []
    guarded = asyncio.ensure_future(interrupt.guard(forever(seen)))
    await asyncio.sleep(0.01)
    guarded.cancel()
    with pytest.raises(asyncio.CancelledError):
        await guarded
    assert seen == ["cancelled"]
