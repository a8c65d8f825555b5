"""The active path of a session as a row of blocks, each rendered when it comes into sight.

Holds no conversation: the entries are the tree's own, rendered strips are a bounded cache. Block 0
is the header (welcome), then one block per entry of the path (empty for entries that show nothing),
last the live block.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rich.style import Style
from textual.strip import Strip

from sapwood.context.estimate import estimate_tokens
from sapwood.modes.tui.transcript.cards import render_branch_summary, render_compaction
from sapwood.modes.tui.transcript.content import blocks, field
from sapwood.modes.tui.transcript.lines import BLANK, strip
from sapwood.modes.tui.transcript.live import LiveRun
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.markdown import render_markdown
from sapwood.modes.tui.transcript.messages import (
    render_assistant,
    render_custom,
    render_message,
)
from sapwood.modes.tui.transcript.tools import Outcome
from sapwood.modes.tui.transcript.view import Header
from sapwood.session.entry import Entry
from sapwood.session.tree import SessionTree

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject, Message

CACHED_LINES = 20_000
MOST_KEPT = 2_000
"""Entries that are looked through for the weight of what a compaction kept."""

_SHOWN = frozenset({"message", "compaction", "branch_summary", "custom_message"})


def _markdown(index: int, text: str, look: Look) -> list[Strip]:
    return render_markdown(text, look)


class PathBlocks:
    """Blocks of one session's active path; ``sync`` after anything was appended or moved."""

    def __init__(self, tree: SessionTree, live: LiveRun, header: Header | None = None) -> None:
        self.tree = tree
        self.live = live
        self.header = header
        self.entries: list[Entry] = []
        self._omitted: set[str] = set()
        self._unfolded: dict[str, bool] = {}
        self._cache: OrderedDict[str, tuple[Look, list[Strip]]] = OrderedDict()
        self._cached_lines = 0
        self.sync()

    def sync(self) -> bool:
        """Take in what the tree has become; True when the path only grew at its end."""
        last = self.entries[-1].id if self.entries else None
        if self.tree.leaf_id == last:
            return True
        fresh: list[Entry] = []
        grew = last is None
        for entry in self.tree.ancestors(self.tree.leaf_id):
            if entry.id == last:
                grew = True
                break
            fresh.append(entry)
        fresh.reverse()
        if not grew:
            self.entries, self._omitted = [], set()
            self.forget()
        self.entries.extend(fresh)
        for entry in fresh:
            self._take_in(entry)
        return grew

    def _take_in(self, entry: Entry) -> None:
        """A new entry may change blocks before it: a result its call, an edit its target."""
        if entry.type == "context_edit":
            target = field(entry.data, "targetId")
            if entry.data.get("replacement", target) is None:
                self._omitted.add(target)
            else:
                self._omitted.discard(target)
            self._drop(target)

    def __len__(self) -> int:
        return len(self.entries) + 2

    def lines(self, index: int, look: Look) -> list[Strip]:
        """The strips of a block, a blank line first; nothing for what is not shown."""
        if index == 0:
            return self.header(look) if self.header else []
        if index > len(self.entries):
            return _spaced(self.live.render(look))
        entry = self.entries[index - 1]
        if entry.type not in _SHOWN:
            return []
        look = self._look_of(entry, look)
        cached = self._cache.get(entry.id)
        if cached is not None and cached[0] == look:
            self._cache.move_to_end(entry.id)
            return cached[1]
        strips, final = self._render(index - 1, entry, look)
        strips = _spaced(strips)
        if final:
            self._keep(entry.id, look, strips)
        return strips

    def _look_of(self, entry: Entry, look: Look) -> Look:
        unfolded = self._unfolded.get(entry.id)
        if unfolded is None:
            return look
        return replace(look, expanded=unfolded, thinking=unfolded)

    def fold(self, index: int, unfolded: bool | None) -> None:
        """Unfold or fold one block, whatever the others are; None: as the others are."""
        if 0 < index <= len(self.entries):
            entry_id = self.entries[index - 1].id
            if unfolded is None:
                self._unfolded.pop(entry_id, None)
            else:
                self._unfolded[entry_id] = unfolded

    def fold_all_alike(self) -> None:
        """Forget which blocks were folded and unfolded one by one."""
        self._unfolded.clear()

    def toggle(self, index: int, look: Look) -> bool:
        """Fold or unfold one block; False when that changes nothing."""
        if not 0 < index <= len(self.entries):
            return False
        now = self._look_of(self.entries[index - 1], look).expanded
        before = len(self.lines(index, look))
        known = self._unfolded.get(self.entries[index - 1].id)
        self.fold(index, not now)
        if len(self.lines(index, look)) == before:
            self.fold(index, known)
            return False
        return True

    def block_of(self, position: int) -> int:
        """The block that shows the entry at a position: of a result, that of its call."""
        message = self.entries[position].message
        if message is not None and message.get("role") == "toolResult":
            call_id = field(message, "toolCallId")
            caller = self._caller(position, call_id)
            return (position if caller is None else caller) + 1
        return position + 1

    def is_prompt(self, index: int) -> bool:
        """Whether a block is something the user wrote."""
        if not 0 < index <= len(self.entries):
            return False
        message = self.entries[index - 1].message
        return message is not None and message.get("role") == "user"

    def forget(self) -> None:
        """Drop every rendered block."""
        self._cache.clear()
        self._cached_lines = 0

    def _render(self, position: int, entry: Entry, look: Look) -> tuple[list[Strip], bool]:
        """Strips of an entry, and whether they stay as they are."""
        final = True
        if entry.type == "message" and field(entry.message, "role") == "assistant":
            strips, final = self._render_assistant(position, entry.message or {}, look)
        else:
            strips = self._render_other(position, entry, look)
        if entry.id in self._omitted and strips:
            note = strip(("  left out of the context", look.style("faint")))
            strips = [note, *(line.apply_style(Style(dim=True)) for line in strips)]
        return strips, final

    def _render_other(self, position: int, entry: Entry, look: Look) -> list[Strip]:
        if entry.type == "compaction":
            return render_compaction(entry.data, self._kept(position), look, _markdown)
        if entry.type == "branch_summary":
            return render_branch_summary(entry.data, look, _markdown)
        if entry.type == "custom_message":
            return render_custom(entry.data, look, _markdown)
        message: JsonObject = entry.message or {}
        is_result = message.get("role") == "toolResult"
        if is_result and self._caller(position, field(message, "toolCallId")) is not None:
            return []
        return render_message(message, look, _markdown)

    def _kept(self, position: int) -> int | None:
        """Tokens of the prompt and of the messages that a compaction kept; None for very many."""
        data = self.entries[position].data
        first = field(data, "firstKeptEntryId")
        kept = [data.get("systemMessage")]
        for at in range(position, max(position - MOST_KEPT, 0) - 1, -1):
            entry = self.entries[at]
            kept.append(entry.message)
            if entry.id == first:
                return sum(
                    estimate_tokens(cast("Message", message))
                    for message in kept
                    if field(message, "role")
                )
        return None

    def _render_assistant(
        self, position: int, message: JsonObject, look: Look
    ) -> tuple[list[Strip], bool]:
        calls = {
            field(block, "id")
            for block in blocks(message.get("content"))
            if block.get("type") == "toolCall"
        }
        outcomes = self._results(position) if calls else {}
        running = {id_: self.live.outcomes[id_] for id_ in calls & self.live.outcomes.keys()}
        final = calls <= outcomes.keys()
        return render_assistant(message, {**running, **outcomes}, look, _markdown), final

    def _results(self, position: int) -> dict[str, Outcome]:
        """Results that follow an answer, up to the next message that is none."""
        results: dict[str, Outcome] = {}
        for entry in self.entries[position + 1 : position + 200]:
            message = entry.message
            if message is None:
                continue
            if message.get("role") != "toolResult":
                break
            results.setdefault(field(message, "toolCallId"), Outcome.of_message(message))
        return results

    def _caller(self, position: int, call_id: str) -> int | None:
        """Where the answer before these results is, if it made the call and shows the result."""
        for at in range(position - 1, max(0, position - 200) - 1, -1):
            message = self.entries[at].message
            if message is None or message.get("role") == "toolResult":
                continue
            calls = (
                block.get("type") == "toolCall" and block.get("id") == call_id
                for block in blocks(message.get("content"))
            )
            return at if any(calls) else None
        return None

    def _keep(self, entry_id: str, look: Look, strips: list[Strip]) -> None:
        self._drop(entry_id)
        self._cache[entry_id] = (look, strips)
        self._cached_lines += len(strips)
        while self._cached_lines > CACHED_LINES and len(self._cache) > 1:
            _, (_, old) = self._cache.popitem(last=False)
            self._cached_lines -= len(old)

    def _drop(self, entry_id: str) -> None:
        if (cached := self._cache.pop(entry_id, None)) is not None:
            self._cached_lines -= len(cached[1])


def _spaced(strips: list[Strip]) -> list[Strip]:
    return [BLANK, *strips] if strips else []
