"""How heavy entries are: estimated tokens of one, and what a branch that is left holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sapwood.context.estimate import estimate_tokens
from sapwood.library.tree_kinds import Kind, kind_of
from sapwood.modes.tui.words import count_text, tokens_text
from sapwood.session.entry import Entry


@dataclass(frozen=True, slots=True)
class Held:
    """What a branch holds: conversation entries, the user's messages among them, tokens."""

    entries: int = 0
    prompts: int = 0
    tokens: int = 0

    def __bool__(self) -> bool:
        return self.entries > 0

    def __str__(self) -> str:
        prompts = f" ({count_text(self.prompts, 'message')} of yours)" if self.prompts else ""
        entries = count_text(self.entries, "entry", "entries")
        return f"You leave {entries}{prompts}, about {tokens_text(self.tokens)} tokens"


def weight(entry: Entry) -> int:
    """Estimated tokens of an entry where it stands in a context; 0 for bookkeeping.

    The line is decoded for it and not kept.
    """
    message = _as_message(entry.read())
    return estimate_tokens(message) if message is not None else 0


def held_by(branch: Iterable[Entry]) -> Held:
    """What a branch holds."""
    entries = prompts = tokens = 0
    for entry in branch:
        message = _as_message(entry.read())
        if message is None:
            continue
        entries += 1
        prompts += kind_of(entry) is Kind.USER
        tokens += estimate_tokens(message)
    return Held(entries, prompts, tokens)


def _as_message(data: Any) -> Any:
    """The message that an entry puts into a context; None when it puts none there."""
    if not isinstance(data, dict):
        return None
    match data.get("type"):
        case "message":
            message = data.get("message")
            known = isinstance(message, dict) and isinstance(message.get("role"), str)
            return message if known else None
        case "custom_message":
            return {"role": "custom", "content": data.get("content")}
        case "compaction":
            return {"role": "compactionSummary", "summary": data.get("summary")}
        case "branch_summary":
            return {"role": "branchSummary", "summary": data.get("summary")}
    return None
