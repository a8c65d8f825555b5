"""What a compaction would do or has done, for people and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sapwood.compaction.compact import CompactionResult
from sapwood.compaction.prepare import Preparation
from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import Projected


def report(
    preparation: Preparation, result: CompactionResult, entry_id: str | None
) -> dict[str, Any]:
    """The figures of a compaction; `entry_id` None: nothing was written. Sizes are tokens."""
    summarized = (*preparation.to_summarize, *preparation.turn_prefix)
    carried = preparation.carried
    return {
        "entryId": entry_id,
        "tokensBefore": result.tokens_before,
        "estimatedTokensBefore": preparation.estimated_before,
        "estimatedTokensAfter": result.tokens_after,
        "summarized": _span(summarized),
        "kept": _span(preparation.kept),
        "splitTurn": preparation.is_split_turn,
        "updatesSummary": preparation.previous_summary is not None,
        "carried": {
            "requests": list(carried.requests),
            "rules": list(carried.rules),
            "retained": [pin.entry_id for pin in carried.pins],
        },
        "shortened": [edit.target_id for edit in result.edits],
        "details": result.details,
        "writtenBy": "extractor" if result.from_extractor else "model",
        "notices": list(result.notices),
        "summary": result.summary,
    }


def report_lines(facts: dict[str, Any], *, dry_run: bool, with_summary: bool) -> Iterator[str]:
    """The same for a terminal."""
    yield f"Context      {_tokens(facts['tokensBefore'])}"
    yield f"Summarized   {_describe(facts['summarized'])}"
    if facts["splitTurn"]:
        yield "             the first part of the last of these turns is summarized apart"
    if facts["updatesSummary"]:
        yield "             together with the summary of the last compaction"
    yield f"Kept         {_describe(facts['kept'])}"
    carried = facts["carried"]
    yield (
        f"Carried      {_count(len(carried['requests']), 'request')}, "
        f"{_count(len(carried['rules']), 'rule')}, "
        f"{_count(len(carried['retained']), 'retained entry', 'retained entries')}"
    )
    if facts["shortened"]:
        yield f"Shortened    {_count(len(facts['shortened']), 'large message')}"
    files = facts["details"]
    yield (f"Files        {len(files['readFiles'])} read, {len(files['modifiedFiles'])} modified")
    yield (
        f"Afterwards   about {_tokens(facts['estimatedTokensAfter'])} "
        f"(now about {_tokens(facts['estimatedTokensBefore'])})"
    )
    yield from facts["notices"]
    if with_summary and facts["summary"] is not None:
        yield ""
        yield facts["summary"]
        yield ""
    yield "Nothing was written." if dry_run else f"Compacted: entry {facts['entryId']}."


def _span(items: tuple[Projected, ...]) -> dict[str, Any]:
    return {
        "messages": len(items),
        "tokens": sum(estimate_tokens(item.message) for item in items),
        "firstEntryId": items[0].entry.id if items else None,
        "lastEntryId": items[-1].entry.id if items else None,
    }


def _describe(span: dict[str, Any]) -> str:
    if not span["messages"]:
        return "no messages"
    return (
        f"{_count(span['messages'], 'message')}, {_tokens(span['tokens'])}, "
        f"entries {span['firstEntryId']} to {span['lastEntryId']}"
    )


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _tokens(number: int) -> str:
    return f"{number:,} tokens"
