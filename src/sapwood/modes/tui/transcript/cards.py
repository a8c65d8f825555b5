"""Cards: what a compaction or a branch summary stands for, folded to one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from sapwood.modes.tui.transcript.content import field
from sapwood.modes.tui.transcript.lines import BLANK, cut, strip
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.messages import MarkdownLines
from sapwood.modes.tui.words import tokens_text

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject


def render_compaction(
    data: JsonObject, kept: int | None, look: Look, markdown: MarkdownLines
) -> list[Strip]:
    """The line where older messages end for the model, and the summary that replaced them.

    ``kept``: the tokens that the newest messages before it weigh, None when that is not known.
    """
    summary = field(data, "summary")
    return _card(f"Compacted{_saved(data, summary, kept)}", summary, look, markdown)


def _saved(data: JsonObject, summary: str, kept: int | None) -> str:
    before = data.get("tokensBefore")
    if not isinstance(before, int):
        return ""
    if kept is None:
        return f" · {tokens_text(before)} tokens"
    after = kept + len(summary) // 4
    saved = f", {tokens_text(before - after)} saved" if before > after else ""
    return f" · {tokens_text(before)} → ~{tokens_text(after)} tokens{saved}"


def render_branch_summary(data: JsonObject, look: Look, markdown: MarkdownLines) -> list[Strip]:
    """What was learnt on a branch that was left."""
    return _card("Summary of the branch left behind", field(data, "summary"), look, markdown)


def _card(title: str, summary: str, look: Look, markdown: MarkdownLines) -> list[Strip]:
    hint = "" if look.expanded or not summary else " · Ctrl+O"
    words = cut(f"{title}{hint}", look.width - 8)
    rule = "─" * max(look.width - len(words) - 8, 0)
    head = strip(
        ("  ── ", look.style("faint")),
        (words, look.style("accent")),
        (f" {rule}", look.style("faint")),
    )
    if not look.expanded or not summary.strip():
        return [head]
    return [head, BLANK, *markdown(0, summary, look)]
