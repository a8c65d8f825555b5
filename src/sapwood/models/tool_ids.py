"""Tool call ids as the next provider accepts them.

Sessions move between providers, and each has its own rule for ids. An id that already fits is sent
as it is; any other gets a stand-in, the same for the call and its result. An id that a server used
twice (some count from zero in every answer) is told apart.
"""

from __future__ import annotations

import hashlib
import re

from sapwood.models.model import Model

_RULES: dict[str, tuple[re.Pattern[str], int]] = {
    "anthropic-messages": (re.compile(r"[a-zA-Z0-9_-]{1,64}"), 64),
    "openai-responses": (re.compile(r"[a-zA-Z0-9_-]{1,64}"), 64),
    "openai-completions": (re.compile(r"[a-zA-Z0-9_-]{1,40}"), 40),
    "google-generative-ai": (re.compile(r"[a-zA-Z0-9_-]{1,64}"), 64),
    "scripted": (re.compile(r".+", re.DOTALL), 1 << 16),
}
_MISTRAL = (re.compile(r"[a-zA-Z0-9]{9}"), 9)


def call_part(tool_call_id: str) -> str:
    """The call's own id. The Responses API adds its item id behind a bar: ``call_1|fc_2``."""
    return tool_call_id.partition("|")[0]


def item_part(tool_call_id: str) -> str | None:
    """The Responses API's item id inside a stored id, if it has one."""
    return tool_call_id.partition("|")[2] or None


class ToolCallIds:
    """The ids of one request: give it the calls and results in message order."""

    def __init__(self, model: Model) -> None:
        self._fits, self._length = _MISTRAL if model.provider == "mistral" else _RULES[model.api]
        self._current: dict[str, str] = {}
        self._used: set[str] = set()

    def for_call(self, tool_call_id: str) -> str:
        """The id to send for a call; a second call under the same id gets another."""
        wire = call_part(tool_call_id)
        attempt = 0
        while wire in self._used or not self._fits.fullmatch(wire):
            wire = self._stand_in(tool_call_id, attempt)
            attempt += 1
        self._used.add(wire)
        self._current[tool_call_id] = wire
        return wire

    def for_result(self, tool_call_id: str) -> str:
        """The id to send for a result: that of the latest call stored under `tool_call_id`."""
        return self._current.get(tool_call_id) or self.for_call(tool_call_id)

    def _stand_in(self, tool_call_id: str, attempt: int) -> str:
        digest = hashlib.sha256(f"{attempt}:{tool_call_id}".encode(errors="replace")).hexdigest()
        if self._length < 16:
            return digest[: self._length]
        readable = re.sub(r"[^a-zA-Z0-9_-]", "_", call_part(tool_call_id))
        return f"{readable[: self._length - 9]}_{digest[:8]}"
