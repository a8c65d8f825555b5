"""How extensions talk to the person: through the program at the other end, which shows a dialog.

A question is a record with an id; an ``extension_ui_response`` with that id answers it. Whatever is
no fitting answer counts as none.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sapwood.session.schema import JsonObject

if TYPE_CHECKING:
    from sapwood.agent.extensions.session import Level
    from sapwood.modes.rpc.records import Records

ANSWER = "extension_ui_response"


class RemoteUi:
    """Notices and questions; see ``agent.extensions.Ui``."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._asked: dict[str, asyncio.Future[JsonObject]] = {}
        self._is_alone = False

    def notify(self, text: str, level: Level) -> None:
        self._request("notify", message=text, notifyType=level)

    async def confirm(self, question: str) -> bool:
        answer = await self._ask("confirm", title=question, message="")
        return answer.get("confirmed") is True

    async def select(self, question: str, options: Sequence[str]) -> str | None:
        offered = list(options)
        chosen = (await self._ask("select", title=question, options=offered)).get("value")
        return chosen if chosen in offered else None

    async def input(self, question: str, placeholder: str) -> str | None:
        typed = (await self._ask("input", title=question, placeholder=placeholder)).get("value")
        return typed if isinstance(typed, str) else None

    def answer(self, record: JsonObject) -> None:
        """Take an answer; one to no open question is ignored."""
        request_id = record.get("id")
        asked = self._asked.get(request_id) if isinstance(request_id, str) else None
        if asked is not None and not asked.done():
            asked.set_result({} if record.get("cancelled") else record)

    def give_up(self) -> None:
        """Nobody will answer any more, neither what was asked nor what will be."""
        self._is_alone = True
        for request_id in self._asked:
            self.answer({"id": request_id, "cancelled": True})

    def _request(self, method: str, **fields: object) -> str:
        request_id = str(uuid.uuid4())
        self._records.write(
            {"type": "extension_ui_request", "id": request_id, "method": method, **fields}
        )
        return request_id

    async def _ask(self, method: str, **fields: object) -> JsonObject:
        if self._is_alone:
            return {}
        request_id = self._request(method, **fields)
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = answer
        try:
            return await answer
        finally:
            del self._asked[request_id]
