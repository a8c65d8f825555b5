"""A small session with branches, a compaction, a branch summary, labels and hostile text."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin

START = 1_764_000_000_000
HOSTILE = "\x1b]52;c;aGk=\x07 \u202eevil\r\nrow \x9b31m <b>[bold]"


def fixed_origin() -> Origin:
    """Ids ``e00001`` … and one second between entries."""
    moments = count(START, 1000)
    numbers = count(1)
    return Origin(
        now=lambda: next(moments),
        entry_id=lambda: f"e{next(numbers):05}",
        session_id=lambda: "0123456789abcdef0123456789abcdef",
    )


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": START}


def answer(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    content = ([{"type": "text", "text": text}] if text else []) + list(calls)
    return {
        "role": "assistant",
        "content": content,
        "api": "scripted",
        "provider": "scripted",
        "model": "scripted",
        "stopReason": "toolUse" if calls else "stop",
        "usage": {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15},
        "timestamp": START,
    }


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": f"call-{name}", "name": name, "arguments": arguments}


def result(name: str, text: str) -> dict[str, Any]:
    return {
        "role": "toolResult",
        "toolCallId": f"call-{name}",
        "toolName": name,
        "content": [{"type": "text", "text": text}],
        "isError": False,
        "timestamp": START,
    }


def branched_session(cwd: Path, session_dir: Path) -> tuple[SessionManager, dict[str, str]]:
    """The session, and its entries by what they are.

    ``ask`` → ``calls`` → ``read`` → ``found`` → (``left`` → ``left_answer``: labelled "old") and
    (``summary`` of that branch → ``other`` → ``other_answer`` = the leaf).
    """
    manager = SessionManager.create(cwd, session_dir, origin=fixed_origin())
    ids: dict[str, str] = {}
    ids["model"] = manager.append_model_change("scripted", "scripted")
    ids["ask"] = manager.append_message(user("Where is the parser?"))
    ids["calls"] = manager.append_message(answer("", call("read", path="src/parser.py")))
    ids["read"] = manager.append_message(result("read", "def parse(): ..."))
    ids["found"] = manager.append_message(answer("It is in src/parser.py"))
    ids["left"] = manager.append_message(user("Rewrite it in Rust"))
    ids["left_answer"] = manager.append_message(answer("That would take a while"))
    manager.append_label_change(ids["left_answer"], "old")
    ids["summary"] = manager.branch_with_summary(ids["found"], "## Goal\nRust was considered")
    ids["other"] = manager.append_message(user("Add tests 表 for it"))
    ids["other_answer"] = manager.append_message(answer("Tests are added"))
    return manager, ids
