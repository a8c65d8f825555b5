"""Lines of other programs' logs, written as those programs write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
)


def write_log(path: Path, records: list[Any], torn: str = "") -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(text + torn, "utf-8")
    return path


def stamp(second: int) -> str:
    return f"2025-11-03T10:{second // 60:02d}:{second % 60:02d}.250Z"


class ClaudeLog:
    """A Claude Code log that grows record by record, each below the one before unless told."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, kind: str, *, parent: Any = ..., **fields: Any) -> str:
        number = len(self.records)
        uuid = f"uuid-{number}"
        self.records.append(
            {
                "type": kind, "uuid": uuid, "parentUuid": self.last if parent is ... else parent,
                "timestamp": stamp(number), "sessionId": "../../etc/passwd", "cwd": "/elsewhere",
                "version": "2.1.56", "isSidechain": False, **fields,
            }
        )  # fmt: skip
        self.last = uuid
        return uuid

    def user(self, content: Any, **fields: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def result(self, call_id: str, content: Any, *, error: bool = False, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return self.user([{**block, "is_error": error}], **fields)

    def assistant(self, message_id: str, *blocks: Any, **fields: Any) -> str:
        message = {
            "id": message_id, "role": "assistant", "model": "claude-opus-4-5",
            "content": list(blocks), "stop_reason": None,
            "usage": {
                "input_tokens": 3, "output_tokens": 11, "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
            },
        }  # fmt: skip
        return self.add("assistant", message=message, **fields)


def tool_use(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def said(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


class CodexLog:
    """A Codex rollout that grows line by line."""

    def __init__(self) -> None:
        meta = {"id": "../0199", "cwd": "/elsewhere", "cli_version": "0.58.0"}
        self.records: list[dict[str, Any]] = []
        self.add("session_meta", {**meta, "model_provider": "openai"})
        self.add("turn_context", {"model": "gpt-5-codex", "cwd": "/elsewhere"})

    def add(self, kind: str, payload: dict[str, Any]) -> None:
        line = {"timestamp": stamp(len(self.records)), "type": kind, "payload": payload}
        self.records.append(line)

    def item(self, kind: str, **fields: Any) -> None:
        self.add("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields: Any) -> None:
        self.add("event_msg", {"type": kind, **fields})

    def user(self, words: str) -> None:
        self.item("message", role="user", content=[{"type": "input_text", "text": words}])

    def assistant(self, words: str) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": words}])

    def call(self, call_id: str, name: str, **arguments: Any) -> None:
        self.item("function_call", call_id=call_id, name=name, arguments=json.dumps(arguments))

    def output(self, call_id: str, output: Any) -> None:
        self.item("function_call_output", call_id=call_id, output=output)
