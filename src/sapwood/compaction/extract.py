"""A summary without a model: the record's own words under the fixed headings.

Takes what marks itself: requests, rules, decisions, open work, failures, deeds, and the sentences
that hold identifiers and numbers. The items of an earlier summary go on as older items. Every
section has a share of the budget; leftovers go to tasks, decisions and facts; newer items go before
older ones. Deterministic and linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sapwood.compaction.carried import without_carried
from sapwood.compaction.draft import (
    CONCLUDED,
    KEPT_BEFORE,
    SAID_BY_USER,
    SAID_IN_PASSING,
    Draft,
    Shelf,
)
from sapwood.compaction.facts import Facts
from sapwood.compaction.lexicon import Spoken
from sapwood.compaction.sections import Section, read_items, render
from sapwood.compaction.sentences import sentences, shorten
from sapwood.compaction.serialize import plain_text
from sapwood.compaction.signals import DECISION, DONE_BOX, OPEN_BOX, OPEN_TASK, REASON
from sapwood.compaction.work import Work, work_in
from sapwood.context.convert import to_model_message
from sapwood.session.schema import Message

EXTRACT_BUDGET = 8000
"""Tokens an extracted summary takes at most, carried material not counted."""

SECTIONS = tuple(Section)
BRANCH_SECTIONS = tuple(section for section in Section if section is not Section.CONTEXT)

FIRST_REQUEST = "First request: "
CONCLUSION = "Concluded: "
ERROR = "Error seen: "
TRIED = "Tried on another branch: "
FAILED = " failed: "
SEARCHED = "Searched in: "
SEARCHED_PATHS = 80
"""How many of the paths that were searched are told, newest first."""

_RUNS = re.compile(r" \(×\d+\)$")


def extract(
    messages: Sequence[Message],
    *,
    previous: str | None = None,
    budget: int = EXTRACT_BUDGET,
    sections: Sequence[Section] = SECTIONS,
) -> str:
    """A summary of `messages` in at most about `budget` tokens.

    `previous` is the summary of what came before them. Requests and rules that must stand verbatim
    are not written here; see `carried`.
    """
    messages = [message for message in messages if to_model_message(message) is not None]
    draft, facts = Draft(), Facts()
    if previous:
        _take_over(draft, facts, previous)
    work = work_in(messages)
    _add_requests(draft, messages)
    for message in messages:
        _add_prose(draft, facts, message)
    _add_work(draft, work)
    for fact, worth in facts.ranked():
        draft.add(Shelf.FACTS, fact, worth)
    headings = len(render({}, sections)) // 4
    return render(draft.fit(min(budget, EXTRACT_BUDGET) - headings, sections), sections)


_SHELF_OF = {
    Section.GOAL: Shelf.GOAL,
    Section.CONSTRAINTS: Shelf.CONSTRAINTS,
    Section.DONE: Shelf.DONE,
    Section.IN_PROGRESS: Shelf.CONCLUSIONS,
    Section.BLOCKED: Shelf.BLOCKED,
    Section.NEXT_STEPS: Shelf.TASKS,
    Section.DECISIONS: Shelf.DECISIONS,
}


def _take_over(draft: Draft, facts: Facts, previous: str) -> None:
    """The items of an earlier summary, whoever wrote it."""
    for section, items in read_items(without_carried(previous)).items():
        for item in items:
            if section is not Section.CONTEXT:
                draft.add(_SHELF_OF[section], shorten(item, 500), KEPT_BEFORE)
            elif item.startswith(ERROR):
                draft.add(Shelf.ERRORS, item, KEPT_BEFORE)
            elif item.startswith(SEARCHED):
                draft.add(Shelf.SEARCHED, item)
            else:
                facts.keep(item)


def _take_over_branch(draft: Draft, facts: Facts, summary: str) -> None:
    """The items of a branch that was left: what it was after and left open is no goal any more."""
    for section, items in read_items(without_carried(summary)).items():
        for item in items:
            match section:
                case Section.GOAL:
                    draft.add(Shelf.DONE, TRIED + shorten(item.removeprefix(FIRST_REQUEST), 300))
                case Section.NEXT_STEPS | Section.BLOCKED | Section.IN_PROGRESS | Section.CONTEXT:
                    facts.keep(f"On another branch: {item}")
                case _:
                    draft.add(_SHELF_OF[section], shorten(item, 500), KEPT_BEFORE)


def _add_requests(draft: Draft, messages: Iterable[Message]) -> None:
    """The first request and the later ones, shortened."""
    has_first = any(item.startswith(FIRST_REQUEST) for item in draft.items[Shelf.GOAL])
    for message in messages:
        if message["role"] != "user" or not (text := plain_text(message.get("content")).strip()):
            continue
        if has_first:
            draft.add(Shelf.GOAL, f"Then: {shorten(text, 200)}")
        else:
            draft.add(Shelf.GOAL, FIRST_REQUEST + shorten(text, 500), SAID_BY_USER)
            has_first = True


def _add_prose(draft: Draft, facts: Facts, message: Message) -> None:
    """Decisions, open tasks, conclusions and facts in what the user and the assistant wrote."""
    if message["role"] == "compactionSummary":
        _take_over(draft, facts, str(message.get("summary") or ""))
        return
    if message["role"] == "branchSummary":
        _take_over_branch(draft, facts, str(message.get("summary") or ""))
        return
    worth = _worth(message)
    if worth is None:
        return
    text = plain_text(message.get("content"))
    _add_boxes(draft, text)
    said = sentences(text)
    for sentence in said:
        spoken = Spoken(sentence)
        if DECISION.is_in(spoken):
            reasoned = REASON.is_in(spoken)
            if reasoned or message["role"] == "assistant":
                draft.add(Shelf.DECISIONS, sentence, worth + 0.5 * reasoned)
        if OPEN_TASK.is_in(spoken) and not sentence.startswith(("[ ]", "[x]", "[X]")):
            draft.add(Shelf.TASKS, sentence, worth)
        facts.add(sentence, worth)
    if worth == CONCLUDED and said:
        draft.add(Shelf.CONCLUSIONS, CONCLUSION + shorten(" ".join(said[:2]), 300))


def _worth(message: Message) -> float | None:
    """What the sentences of a message are worth; None when they are not to be read."""
    match message["role"]:
        case "user":
            return SAID_BY_USER
        case "assistant":
            return CONCLUDED if message.get("stopReason") == "stop" else SAID_IN_PASSING
        case "custom":
            return SAID_IN_PASSING
        case _:
            return None


def _add_boxes(draft: Draft, text: str) -> None:
    for match in DONE_BOX.finditer(text):
        draft.drop(Shelf.TASKS, match[1])
        draft.add(Shelf.DONE, match[1])
    for match in OPEN_BOX.finditer(text):
        draft.add(Shelf.TASKS, match[1], SAID_BY_USER)


def _add_work(draft: Draft, work: Work) -> None:
    _settle(draft, work)
    for deed in work.deeds.values():
        if deed.failed:
            draft.add(Shelf.BLOCKED, f"{deed.line}{FAILED}{deed.error}")
        elif not deed.text.startswith("Read "):
            draft.add(Shelf.DONE, deed.line)
    for todo in work.todos or ():
        draft.add(Shelf.TASKS, todo, SAID_BY_USER)
    for error in work.errors:
        draft.add(Shelf.ERRORS, ERROR + error)
    _add_searched(draft, work)


def _settle(draft: Draft, work: Work) -> None:
    """Drop what an earlier summary says of calls that have run again since."""
    again = {" ".join(text.split()) for text in work.deeds}
    for shelf in (Shelf.DONE, Shelf.BLOCKED):
        for item in list(draft.items[shelf]):
            if _RUNS.sub("", item.split(FAILED)[0]) in again:
                del draft.items[shelf][item]


def _add_searched(draft: Draft, work: Work) -> None:
    """One item with the paths that searches named; it takes up that of the earlier summary."""
    earlier = list(draft.items[Shelf.SEARCHED])
    paths = dict.fromkeys(path for item in earlier for path in item[len(SEARCHED) :].split(", "))
    draft.items[Shelf.SEARCHED].clear()
    for path in work.searched:
        paths.pop(path, None)
        paths[path] = None
    if paths:
        draft.add(Shelf.SEARCHED, SEARCHED + ", ".join(list(paths)[-SEARCHED_PATHS:]))
