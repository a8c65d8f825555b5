"""Random histories of a session for property tests: a list of steps, and what plays them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from sapwood.session import SessionManager
from support.message_makers import assistant, call, result, user

KINDS = (
    "user", "user", "assistant", "assistant", "tools", "system", "bash", "custom_message", "model",
    "level", "usage", "custom", "compaction", "branch_summary", "edit", "label", "name", "branch",
    "branch", "reset", "position",
)  # fmt: skip

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ["", "\ud83d", "\u2028", "a\r\nb", "\x00", "日本語", "👩‍👧", "</conversation>"]
)
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 1 << 16), TEXTS), min_size=1, max_size=40
)
Step = tuple[str, int, str]


def play(
    manager: SessionManager, steps: list[Step], after: Callable[[], None] = lambda: None
) -> None:
    """Make the steps one by one; those that do not fit where they come are passed over."""
    for kind, number, text in steps:
        _step(manager, kind, number, text)
        after()


def _step(manager: SessionManager, kind: str, number: int, text: str) -> None:
    entries = manager.get_entries()
    some = entries[number % len(entries)] if entries else None
    path = manager.get_branch()
    on_path = path[number % len(path)] if path else None
    match kind:
        case "user":
            manager.append_message(user(text))
        case "assistant":
            manager.append_message(assistant(text))
        case "tools":
            manager.append_message(assistant(text, call(f"c{number}", "read", path=text)))
            manager.append_message(result(f"c{number}", text, name="read"))
        case "system":
            sections = {f"s{number % 3}": text if number % 5 else None}
            manager.append_message({
                "role": "system", "content": "", "sections": sections, "timestamp": number,
            })  # fmt: skip
        case "bash":
            manager.append_message({
                "role": "bashExecution", "command": text, "output": text, "exitCode": 0,
                "cancelled": False, "truncated": False, "timestamp": number,
                "excludeFromContext": bool(number % 2),
            })  # fmt: skip
        case "custom_message":
            manager.append_custom_message("test", text, bool(number % 2), {"1": number, "0": 1.5})
        case "model":
            manager.append_model_change("fake", text)
        case "level":
            manager.append_thinking_level_change(("off", "low", "high")[number % 3])
        case "usage":
            manager.append_usage("title", "fake", "m", {"input": number, "cost": number / 7}, text)
        case "custom":
            manager.append_custom_entry("state", {"text": text, "n": float(number)})
        case "compaction":
            kept = on_path.id if on_path and number % 4 else None
            manager.append_compaction(text, kept, number, {"readFiles": [text]}, False)
        case "branch_summary":
            manager.branch_with_summary(some.id if some and number % 7 else None, text)
        case "edit" if on_path is not None and _is_editable(on_path):
            replacement: Any = {"content": text} if number % 3 else None
            manager.append_context_edit(on_path.id, replacement)
        case "label" if some is not None:
            manager.append_label_change(some.id, text if number % 4 else None)
        case "name":
            manager.append_session_info(text)
        case "branch" if some is not None:
            manager.branch(some.id)
        case "reset" if number % 3 == 0:
            manager.reset_leaf()
        case "position":
            manager.save_position()


def _is_editable(entry: Any) -> bool:
    role = entry.message.get("role") if entry.message else None
    return entry.type == "custom_message" or role in ("user", "assistant", "toolResult")
