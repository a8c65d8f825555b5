"""What the tree screen ends with, and the questions on the way there.

Each question is a step; Escape goes back by one: from the focus to the three ways of leaving, from
there to what to do with a message of the user's, from there to the tree.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sapwood.modes.tui.dialogs.question import Question
from sapwood.modes.tui.dialogs.rows import Row
from sapwood.modes.tui.dialogs.text_field import TextBox
from sapwood.modes.tui.tree.weight import Held

if TYPE_CHECKING:
    from textual.screen import Screen

    from sapwood.agent.navigation import SummaryChoice

Ask = Callable[["Screen[Any]"], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class TreeChoice:
    """Where to go on, as `AgentSession.navigate_tree` takes it.

    ``exact``: at a message of the user's, after it instead of editing it. ``focus`` goes with the
    summary ``focused``.
    """

    entry_id: str
    exact: bool = False
    summary: SummaryChoice = "none"
    focus: str | None = None


async def choose_how(ask: Ask, entry_id: str, held: Held, *, editable: bool) -> TreeChoice | None:
    """Ask what there is to ask about going to an entry; None: back to the tree.

    ``held`` is what the branch that is left holds; when that is nothing, or the settings say so
    (an empty `Held`), leaving is not asked about.
    """
    while True:
        exact = False
        if editable:
            answer = await ask(_edit_question())
            if answer is None:
                return None
            exact = answer == "exact"
        if not held:
            return TreeChoice(entry_id, exact)
        choice = await _how_to_leave(ask, entry_id, held, exact=exact)
        if choice is not None or not editable:
            return choice


async def _how_to_leave(ask: Ask, entry_id: str, held: Held, *, exact: bool) -> TreeChoice | None:
    summary: SummaryChoice | None = None
    while True:
        summary = await ask(_leaving_question(held, summary))
        if summary is None:
            return None
        if summary != "focused":
            return TreeChoice(entry_id, exact, summary)
        focus = await ask(TextBox("What should the summary attend to?"))
        if focus is not None and focus.strip():
            return TreeChoice(entry_id, exact, summary, focus.strip())


def _edit_question() -> Question[str]:
    return Question(
        "This is a message of yours",
        [
            Row(
                "edit", "Edit this message", "its text goes to the editor; sending it branches off"
            ),
            Row("exact", "Continue exactly here", "it stays, the next message goes below it"),
        ],
    )


def _leaving_question(held: Held, before: SummaryChoice | None) -> Question[SummaryChoice]:
    rows: list[Row[SummaryChoice]] = [
        Row("none", "No summary", "the model will not know of it"),
        Row("default", "Summarize", "what was done there goes along"),
        Row("focused", "Summarize with a focus", "you say what matters"),
    ]
    shown = [Row(row.value, row.label, row.detail, row.value == before) for row in rows]
    return Question("Summarize the branch you leave?", shown, f"{held}. It stays in the tree.")
