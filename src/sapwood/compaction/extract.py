"""A summary without a model: the record's own words under the fixed headings.

Takes what marks itself: requests, rules, decisions, open work, failures, deeds, and the sentences
that hold identifiers and numbers. The items of an earlier summary go on as older items. Every
section has a share of the budget; leftovers go to tasks, decisions and facts; newer items go before
older ones. Deterministic and linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sapwood.compaction.carried import without_carried
from sapwood.compaction.draft import CONCLUDED, FAILED_LAST, KEPT_BEFORE, SAID_BY_USER, Draft, Shelf
from sapwood.compaction.facts import Facts
from sapwood.compaction.outcome import ERROR, GONE, SEARCHED, add_work
from sapwood.compaction.prose import (
    CONCLUSION,
    LAST_ANSWER,
    add_last_answer,
    add_prose,
    take_over_progress,
)
from sapwood.compaction.reading import texts_to_read
from sapwood.compaction.requests import (
    FIRST_REQUEST,
    LATER_REQUEST,
    add_first_request,
    add_requests,
    take_over_request,
)
from sapwood.compaction.sections import Section, read_items, render
from sapwood.compaction.sentences import sentences, shorten
from sapwood.compaction.serialize import plain_text
from sapwood.compaction.work import work_in
from sapwood.context.convert import to_model_message
from sapwood.session.schema import Message

EXTRACT_BUDGET = 8000
"""Tokens an extracted summary takes at most, carried material not counted."""

SECTIONS = tuple(Section)
BRANCH_SECTIONS = tuple(section for section in Section if section is not Section.CONTEXT)

TRIED = "Tried on another branch: "
LONGEST_ITEM = 500
"""Characters of an item that an earlier summary holds."""


def extract(
    messages: Sequence[Message],
    *,
    previous: str | None = None,
    budget: int = EXTRACT_BUDGET,
    sections: Sequence[Section] = SECTIONS,
    first_request: str | None = None,
    said: Iterable[str] = (),
) -> str:
    """A summary of `messages` in at most about `budget` tokens.

    `previous` is the summary of what came before them, `first_request` what the session began with
    (None: the first request among the messages, "": it is told elsewhere). Requests and rules that
    must stand verbatim are not written here (see `carried`); `said` are those, so that they are not
    told twice.
    """
    messages = [message for message in messages if to_model_message(message) is not None]
    budget = min(budget, EXTRACT_BUDGET)
    draft, facts = Draft(), Facts()
    if first_request is None:
        first_request = "" if previous else _first_request(messages)
    if first_request:
        add_first_request(draft, first_request, budget)
    if previous:
        _take_over(draft, facts, previous)
    for message, text in zip(messages, texts_to_read(messages), strict=True):
        match message["role"]:
            case "compactionSummary":
                _take_over(draft, facts, str(message.get("summary") or ""))
            case "branchSummary":
                _take_over_branch(draft, facts, str(message.get("summary") or ""))
            case _:
                add_prose(draft, facts, message, text)
    add_requests(draft, messages, first=first_request)
    add_last_answer(draft, messages)
    add_work(draft, work_in(messages))
    for fact, worth in facts.ranked():
        draft.add(Shelf.FACTS, fact, worth)
    headings = len(render({}, sections)) // 4
    return render(draft.fit(budget - headings, sections, said), sections)


def _first_request(messages: Iterable[Message]) -> str:
    requests = (plain_text(m.get("content")).strip() for m in messages if m["role"] == "user")
    return next(filter(None, requests), "")


_SHELF_OF = {
    Section.CONSTRAINTS: Shelf.CONSTRAINTS,
    Section.DONE: Shelf.DONE,
    Section.BLOCKED: Shelf.BLOCKED,
    Section.NEXT_STEPS: Shelf.TASKS,
    Section.DECISIONS: Shelf.DECISIONS,
}


def _take_over(draft: Draft, facts: Facts, previous: str) -> None:
    """The items of an earlier summary, whoever wrote it."""
    for section, items in read_items(without_carried(previous), Section.CONTEXT).items():
        for item in items:
            match section:
                case Section.GOAL:
                    take_over_request(draft, item)
                    _add_facts(facts, item.removeprefix(LATER_REQUEST), SAID_BY_USER)
                case Section.IN_PROGRESS:
                    take_over_progress(draft, item)
                    _add_facts(facts, item.removeprefix(LAST_ANSWER), CONCLUDED)
                case Section.CONTEXT:
                    _take_over_context(draft, facts, item)
                case Section.DONE if item.startswith(CONCLUSION):
                    draft.add(Shelf.CONCLUSIONS, item)
                    _add_facts(facts, item.removeprefix(CONCLUSION), CONCLUDED)
                case _:
                    draft.add(_SHELF_OF[section], shorten(item, LONGEST_ITEM), KEPT_BEFORE)


def _add_facts(facts: Facts, text: str, worth: float) -> None:
    """The facts in an item that may have to give way: they stand by themselves then."""
    for sentence in sentences(text):
        if not sentence.endswith("…"):
            facts.add(sentence, worth)


def _take_over_context(draft: Draft, facts: Facts, item: str) -> None:
    if item.startswith(GONE):
        draft.add(Shelf.ERRORS, item, 0)
    elif item.startswith(ERROR) or FAILED_LAST in item:
        draft.add(Shelf.ERRORS, item)
    elif item.startswith(SEARCHED):
        draft.add(Shelf.SEARCHED, item)
    else:
        facts.keep(item)


def _take_over_branch(draft: Draft, facts: Facts, summary: str) -> None:
    """The items of a branch that was left: what it was after and left open is no goal any more."""
    for section, items in read_items(without_carried(summary), Section.CONTEXT).items():
        for item in items:
            match section:
                case Section.GOAL:
                    draft.add(Shelf.DONE, TRIED + shorten(item.removeprefix(FIRST_REQUEST), 300))
                case Section.NEXT_STEPS | Section.BLOCKED | Section.IN_PROGRESS | Section.CONTEXT:
                    facts.keep(f"On another branch: {item}")
                case _:
                    draft.add(_SHELF_OF[section], shorten(item, LONGEST_ITEM), KEPT_BEFORE)
