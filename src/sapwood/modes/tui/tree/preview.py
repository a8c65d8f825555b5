"""The selected entry as the transcript would show it, unfolded, beside or below the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from sapwood.library.tree_kinds import kind_of
from sapwood.library.tree_text import row_text
from sapwood.modes.tui.side_view import SideView
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.cards import render_branch_summary, render_compaction
from sapwood.modes.tui.transcript.lines import cut, paragraph, strip
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.markdown import render_markdown
from sapwood.modes.tui.transcript.messages import (
    render_assistant,
    render_bash,
    render_custom,
    render_orphan,
    render_system,
    render_user,
)
from sapwood.modes.tui.tree.weight import weight
from sapwood.modes.tui.words import moment_text, tokens_text
from sapwood.session.entry import Entry
from sapwood.session.tree import SessionTree
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject


class Preview(SideView):
    """Shows one entry. Rendered when it is drawn, so moving on is free."""

    DEFAULT_CSS = "Preview { background: $surface; }"

    def __init__(self, tree: SessionTree, palette: Palette, *, beside: bool) -> None:
        super().__init__(palette, beside=beside)
        self.record = tree
        self._entry: Entry | None = None

    def show(self, entry: Entry | None) -> None:
        """Another entry, from its beginning."""
        if entry is not self._entry:
            self._entry = entry
            self.forget()

    def make_lines(self, width: int) -> list[Strip]:
        look = Look(self.palette, width, expanded=True)
        return entry_strips(self.record, self._entry, look) if self._entry else []


def entry_strips(tree: SessionTree, entry: Entry, look: Look) -> list[Strip]:
    """A line about the entry, then what it says. The entry is decoded for it and not kept."""
    tokens = weight(entry)
    facts = [one_line(entry.id), one_line(moment_text(str(entry.timestamp)))]
    facts += [f"~{tokens_text(tokens)} tokens"] if tokens else []
    head = strip((cut(" · ".join(facts), look.width), look.style("faint")))
    body = _render(entry.read(), look)
    if not body:
        text = row_text(tree, entry, kind_of(entry))
        body = paragraph(text, look.width, look.style("dim"))
    return [head, *body]


def _render(data: JsonObject, look: Look) -> list[Strip]:
    match data.get("type"):
        case "compaction":
            return render_compaction(data, None, look, _markdown)
        case "branch_summary":
            return render_branch_summary(data, look, _markdown)
        case "custom_message":
            return render_custom({**data, "display": True}, look, _markdown)
    message = data.get("message")
    if not isinstance(message, dict):
        return []
    match message.get("role"):
        case "user":
            return render_user(message, look)
        case "assistant":
            return render_assistant(message, {}, look, _markdown)
        case "toolResult":
            return render_orphan(message, look)
        case "bashExecution":
            return render_bash(message, look)
        case "custom":
            return render_custom({**message, "display": True}, look, _markdown)
        case "system":
            return render_system(message, look)
    return []


def _markdown(index: int, text: str, look: Look) -> list[Strip]:
    return render_markdown(text, look)
