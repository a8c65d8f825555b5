"""What a session has used: tokens and cost per model, of the active branch, and in all.

Everything counts once, wherever it stands in the tree: answers, failed attempts, summaries, usage
entries. What a fork copied was paid for in the session it came from and is kept apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.context.estimate import ContextEstimate
    from sapwood.session.entry import Entry
    from sapwood.session.manager import SessionManager


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """Tokens in the context and in the window; None where unknown. ``percent``: 0-100.

    ``estimated``: part of ``tokens`` was not counted by the provider.
    """

    tokens: int
    context_window: int | None
    percent: float | None
    estimated: bool = True

    @classmethod
    def of(cls, estimate: ContextEstimate, context_window: int | None) -> ContextUsage:
        tokens = estimate.tokens
        percent = 100 * tokens / context_window if context_window else None
        return cls(tokens, context_window, percent, estimate.trailing_tokens > 0)


@dataclass(slots=True)
class Spent:
    """A sum of usages. Tokens; ``cost`` in US dollars."""

    requests: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def add(self, usage: Mapping[str, Any]) -> None:
        self.requests += 1
        self.input += _count(usage, "input")
        self.output += _count(usage, "output")
        self.cache_read += _count(usage, "cacheRead")
        self.cache_write += _count(usage, "cacheWrite")
        cost = usage.get("cost")
        total = cost.get("total") if isinstance(cost, dict) else None
        self.cost += total if isinstance(total, (int, float)) else 0.0


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return int(value) if isinstance(value, (int, float)) else 0


@dataclass(slots=True)
class SessionStats:
    """``total`` is what this session spent itself; ``inherited`` what it copied from its parent.

    ``branch`` is the active path, copied part included. ``summaries`` is the part of ``total`` that
    went into compactions and branch summaries. ``messages`` counts the roles in the whole file.
    """

    total: Spent = field(default_factory=Spent)
    inherited: Spent = field(default_factory=Spent)
    branch: Spent = field(default_factory=Spent)
    summaries: Spent = field(default_factory=Spent)
    by_model: dict[str, Spent] = field(default_factory=dict)
    messages: Counter[str] = field(default_factory=Counter)
    tool_calls: int = 0
    compactions: int = 0


def session_stats(manager: SessionManager) -> SessionStats:
    """Add up a whole session; this decodes every entry."""
    stats = SessionStats()
    tree = manager.tree
    on_path = {entry.id for entry in tree.ancestors(tree.leaf_id)}
    copied = copied_until(manager.header)
    models: dict[str | None, str] = {}
    for entry in tree.entries:
        models[entry.id] = model = _model_of(entry, models.get(entry.parent_id, "unknown"))
        _count_message(stats, entry)
        inherited = entry.timestamp <= copied
        stats.compactions += entry.type == "compaction" and not inherited
        for usage in usages_of(entry):
            if entry.id in on_path:
                stats.branch.add(usage)
            if inherited:
                stats.inherited.add(usage)
                continue
            stats.total.add(usage)
            stats.by_model.setdefault(model, Spent()).add(usage)
            if entry.type in ("compaction", "branch_summary"):
                stats.summaries.add(usage)
    return stats


def copied_until(header: Mapping[str, Any]) -> str:
    """Entries of a fork up to the time of its header were copied; copies keep their time."""
    return str(header.get("timestamp", "")) if header.get("parentSession") else ""


def _model_of(entry: Entry, inherited: str) -> str:
    """``provider/id`` in force at an entry: its own, else that of its parent."""
    if entry.type in ("model_change", "usage"):
        model = entry.data.get("modelId") or entry.data.get("model")
        return f"{entry.data.get('provider')}/{model}"
    message = entry.message
    if message is not None and message.get("role") == "assistant":
        return f"{message.get('provider')}/{message.get('model')}"
    return inherited


def usages_of(entry: Entry) -> Iterable[Mapping[str, Any]]:
    """The usages that an entry records."""
    if entry.type in ("compaction", "branch_summary", "usage"):
        holder: Mapping[str, Any] | None = entry.data
    else:
        holder = entry.message
    usage = holder.get("usage") if holder is not None else None
    return (usage,) if isinstance(usage, dict) else ()


def _count_message(stats: SessionStats, entry: Entry) -> None:
    message = entry.message
    if message is None:
        return
    stats.messages[str(message.get("role"))] += 1
    content = message.get("content")
    if message.get("role") == "assistant" and isinstance(content, list):
        stats.tool_calls += sum(
            isinstance(block, dict) and block.get("type") == "toolCall" for block in content
        )
