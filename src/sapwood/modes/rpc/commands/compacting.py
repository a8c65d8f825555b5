"""Making the context smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import Json


async def compact(driver: Driver, request: Request) -> Json:
    """Answered when it is stored."""
    session = driver.session
    result = await session.compact(request.optional_text("customInstructions"))
    data = {
        "summary": result.summary,
        "firstKeptEntryId": result.first_kept_entry_id,
        "tokensBefore": result.tokens_before,
        "estimatedTokensAfter": session.get_context_usage().tokens,
        "usage": UNSET if result.usage is None else result.usage,
        "details": result.details,
    }
    return {name: value for name, value in data.items() if value is not UNSET}
