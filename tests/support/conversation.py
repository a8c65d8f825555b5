"""Small conversations as entry objects, the way they stand in a session file."""

from __future__ import annotations

from typing import Any

from sapwood.session.entry import Entry
from sapwood.session.tree import SessionTree

TIME = "2026-11-30T10:00:00.000Z"


class Talk:
    """Builds a chain of entries; each method appends one and returns its id."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.leaf: str | None = None

    def add(self, kind: str, **fields: Any) -> str:
        """Any entry, under the leaf."""
        entry_id = f"{len(self.entries):08x}"
        entry = {"type": kind, "id": entry_id, "parentId": self.leaf, "timestamp": TIME, **fields}
        self.entries.append(entry)
        self.leaf = entry_id
        return entry_id

    def message(self, role: str, content: Any, **fields: Any) -> str:
        return self.add("message", message={"role": role, "content": content, **fields})

    def user(self, text: str) -> str:
        return self.message("user", text)

    def answer(self, *content: dict[str, Any] | str, **fields: Any) -> str:
        blocks = [
            {"type": "text", "text": block} if isinstance(block, str) else block
            for block in content
        ]
        return self.message("assistant", blocks, **{"stopReason": "stop", **fields})

    def result(self, call_id: str, text: str, **fields: Any) -> str:
        return self.message(
            "toolResult",
            [{"type": "text", "text": text}],
            **{"toolCallId": call_id, "toolName": "bash", "isError": False, **fields},
        )

    def tree(self) -> SessionTree:
        header = {"type": "session", "version": 3, "id": "test", "timestamp": TIME, "cwd": "/"}
        return SessionTree(header, [Entry.of(entry) for entry in self.entries])


def call(call_id: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    """A tool call block."""
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}
