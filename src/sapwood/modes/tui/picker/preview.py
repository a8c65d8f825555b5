"""What a session is about: where and when, and how its active path ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from textual.strip import Strip

from sapwood.errors import SapwoodError
from sapwood.modes.tui.dialogs.panel import Fact, fact_strips
from sapwood.modes.tui.picker.drawing import folder_text, title_of
from sapwood.modes.tui.side_view import SideView
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.transcript.content import text_of
from sapwood.session.info import SessionInfo
from sapwood.session.javascript import iso_timestamp
from sapwood.session.manager import SessionManager
from sapwood.text import printable

SHOWN = 600
"""Characters of a message that a preview shows."""

LOOK_BACK = 400
"""Entries from the end in which the last messages are looked for."""

_ROLES = {"user": "You", "assistant": "Answer"}


def session_facts(info: SessionInfo, last: Sequence[Fact] = ()) -> list[Fact]:
    """``last``: how it ends, see `last_messages`; then what the list knows already."""
    facts = [Fact(title_of(info)[:200]), *last]
    facts += [Fact("Folder", folder_text(info)), Fact("Last message", _day(info.modified))]
    if info.created is not None:
        facts.append(Fact("Begun", _day(info.created)))
    facts.append(Fact("Messages", f"{info.message_count:,}, all branches"))
    facts.append(Fact("File", info.path.name))
    return facts


def last_messages(path: Path) -> list[Fact]:
    """How the active path ends, read from the file; says so when it cannot be read."""
    found: dict[str, str] = {}
    try:
        with SessionManager.open(path, writer="none") as manager:
            for entry in islice(manager.tree.ancestors(manager.tree.leaf_id), LOOK_BACK):
                message = entry.message or {}
                text = text_of(message.get("content")).strip()
                if message.get("role") in _ROLES and text:
                    found.setdefault(message["role"], _short(text))
                if len(found) == len(_ROLES):
                    break
    except SapwoodError as error:
        return [Fact("Cannot be opened", str(error))]
    return [Fact(_ROLES[role], found[role]) for role in _ROLES if role in found]


def _short(text: str) -> str:
    return printable(text[:SHOWN]) + ("…" if len(text) > SHOWN else "")


def _day(moment: int) -> str:
    return iso_timestamp(moment)[:16].replace("T", " ") + " UTC"


class SessionPreview(SideView):
    """Shows the facts of one session."""

    DEFAULT_CSS = "SessionPreview { background: $surface; }"

    def __init__(self, palette: Palette, *, beside: bool) -> None:
        super().__init__(palette, beside=beside)
        self._facts: list[Fact] = []

    def show(self, facts: list[Fact]) -> None:
        self._facts = facts
        self.forget()

    def make_lines(self, width: int) -> list[Strip]:
        return fact_strips(self._facts, width, self.palette)
