"""Session files of any size, the same for the same seed: what the benches run on.

The shape is that of long coding sessions: requests, answers with a little thinking and a tool call,
results of a few kilobytes, a branch point now and then, and, if asked for, a compaction that keeps
the last part.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = re.findall(
    r"\w+",
    "branch build cache check commit context error file fix function index input line message "
    "module output parser path read result return session stream test tree value window write",
)
CWD = "/home/dev/project"
_START_MS = 1_764_550_000_000


class SessionWriter:
    """Makes lines one by one; ``lines`` is what the file will hold."""

    def __init__(self, seed: int, cwd: str = CWD) -> None:
        self.random = random.Random(seed)
        self.start = _START_MS + seed * 977_000
        self.leaf: str | None = None
        self.count = 0
        session_id = "".join(self.random.choices("0123456789abcdef", k=32))
        header = {"type": "session", "version": 3, "id": session_id}
        self.header = {**header, "timestamp": self._stamp(), "cwd": cwd}

    def _stamp(self) -> str:
        from sapwood.session.javascript import iso_timestamp

        return iso_timestamp(self.start + self.count * 1000)

    def words(self, size: int) -> str:
        """Prose of about ``size`` characters."""
        return " ".join(self.random.choices(WORDS, k=max(1, size // 6)))

    def entry(self, kind: str, **fields: Any) -> dict[str, Any]:
        self.count += 1
        entry = {"type": kind, "id": f"{self.count:08x}", "parentId": self.leaf}
        self.leaf = entry["id"]
        return {**entry, "timestamp": self._stamp(), **fields}

    def message(self, role: str, **fields: Any) -> dict[str, Any]:
        stamp = self.start + self.count * 1000
        return self.entry("message", message={"role": role, **fields, "timestamp": stamp})

    def turn(self, result_size: int) -> Iterator[dict[str, Any]]:
        """A request, an answer that calls a tool, its result, the closing answer."""
        pick = self.random.choice
        call = "call_" + "".join(self.random.choices(string.ascii_letters, k=20))
        path = f"src/{pick(WORDS)}/{pick(WORDS)}.py"
        yield self.message("user", content=self.words(120))
        yield self.assistant(
            {"type": "thinking", "thinking": self.words(300)},
            {"type": "text", "text": self.words(200)},
            {"type": "toolCall", "id": call, "name": "read", "arguments": {"path": path}},
        )
        text = "\n".join(self.words(70) for _ in range(max(1, result_size // 70)))
        yield self.message(
            "toolResult",
            toolCallId=call,
            toolName="read",
            content=[{"type": "text", "text": text}],
            isError=False,
        )
        yield self.assistant({"type": "text", "text": self.words(600)})

    def assistant(self, *blocks: dict[str, Any]) -> dict[str, Any]:
        tokens = {"input": 900, "output": 120, "cacheRead": 8000, "cacheWrite": 0}
        cost = {"input": 0.01, "output": 0.02, "cacheRead": 0.003, "cacheWrite": 0, "total": 0.033}
        return self.message(
            "assistant",
            content=list(blocks),
            api="anthropic-messages",
            provider="anthropic",
            model="claude-sonnet-4-5",
            usage={**tokens, "totalTokens": 9020, "cost": cost},
            stopReason="toolUse" if blocks[-1]["type"] == "toolCall" else "stop",
        )


def session(
    seed: int,
    *,
    entries: int,
    result_size: int = 6000,
    compacted: bool = False,
    branch_every: int = 0,
    cwd: str = CWD,
) -> Iterator[dict[str, Any]]:
    """The header and about ``entries`` entries.

    ``compacted``: a compaction near the end keeps the last ten turns. ``branch_every``: after so
    many entries the conversation goes back four turns and takes another way.
    """
    writer = SessionWriter(seed, cwd)
    yield writer.header
    yield writer.entry("model_change", provider="anthropic", modelId="claude-sonnet-4-5")
    prompt = writer.message("system", content="", sections={"role": writer.words(2000)})
    yield prompt
    turns: list[str] = []
    next_branch = branch_every
    compact_at = entries - 60 if compacted else 0
    while writer.count < entries:
        if branch_every and writer.count >= next_branch and len(turns) > 4:
            del turns[-3:]
            writer.leaf = turns[-1]
            next_branch += branch_every
        yield from writer.turn(result_size)
        turns.append(writer.leaf or "")
        if compact_at and writer.count >= compact_at:
            compact_at = branch_every = 0  # what follows stays on the path of the compaction
            yield writer.entry(
                "compaction",
                summary=writer.words(3000),
                firstKeptEntryId=turns[-10],
                tokensBefore=180_000,
                systemMessage=prompt["message"],
            )


def chain(seed: int, entries: int) -> Iterator[dict[str, Any]]:
    """A single line of short messages."""
    writer = SessionWriter(seed)
    yield writer.header
    for number in range(entries):
        if number % 2:
            yield writer.assistant({"type": "text", "text": writer.words(60)})
        else:
            yield writer.message("user", content=writer.words(60))


def write(path: Path, lines: Iterator[dict[str, Any]]) -> Path:
    """Write ``lines`` unless ``path`` is there already."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        with unfinished.open("w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
        unfinished.rename(path)
    return path


def sessions(folder: Path, count: int, result_size: int = 6000, cwd: str = CWD) -> Path:
    """A folder of ``count`` sessions of about 80 kB each (at the default size)."""
    for number in range(count):
        name = f"2025-12-01T00-00-00-000Z_{number:08x}.jsonl"
        write(folder / name, session(number, entries=40, result_size=result_size, cwd=cwd))
    return folder
