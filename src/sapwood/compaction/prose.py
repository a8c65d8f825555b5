"""Decisions, open tasks, conclusions and facts in what the user and the assistant wrote.

Closing answers count more than talk between tool calls: what is "next" there is done in the next
breath. A thought of a decision ("we could", 建议) is none, and a line that only announces a list is
nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sapwood.compaction.draft import CONCLUDED, SAID_BY_USER, SAID_IN_PASSING, Draft, Shelf
from sapwood.compaction.facts import Facts
from sapwood.compaction.lexicon import Spoken
from sapwood.compaction.reading import worth_of
from sapwood.compaction.revisited import TAKEN_UP, mark_taken_up
from sapwood.compaction.rules import takes_back
from sapwood.compaction.sentences import joined, sentences, shorten, shorten_middle, without_code
from sapwood.compaction.serialize import plain_text
from sapwood.compaction.signals import (
    DECISION,
    DONE_BOX,
    FIRST_PERSON,
    HEDGE,
    NO_DECISION,
    OPEN_BOX,
    OPEN_TASK,
    REASON,
)
from sapwood.session.schema import Message

CONCLUSION = "Reported: "
LAST_ANSWER = "Last report: "
CONCLUSION_LENGTH = 300
LAST_ANSWER_LENGTH = 600

_BOX = ("[ ]", "[x]", "[X]")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)、])\s*(\S.*)$")


def add_prose(draft: Draft, facts: Facts, message: Message, text: str) -> None:
    """Read one message, that is `text` of it."""
    worth = worth_of(message)
    if worth is None or not text:
        return
    if worth == CONCLUDED:
        mark_taken_up(draft, text)
    _add_boxes(draft, text)
    said = [part for part in sentences(text) if not part.startswith(_BOX)]
    by_user = message["role"] == "user"
    for sentence in said:
        if sentence.endswith((":", "：")) or (by_user and sentence.endswith(("?", "？"))):
            continue
        spoken = Spoken(sentence)
        if _is_decision(sentence, spoken, by_user):
            draft.add(Shelf.DECISIONS, sentence, worth + 0.5 * REASON.is_in(spoken))
        if worth != SAID_IN_PASSING and OPEN_TASK.is_in(spoken):
            draft.add(Shelf.TASKS, sentence, worth)
        facts.add(sentence, worth)
    if worth != SAID_IN_PASSING:
        _add_listed_tasks(draft, text, worth)
    if worth == CONCLUDED and said:
        draft.add(Shelf.CONCLUSIONS, CONCLUSION + shorten(joined(said[:2]), CONCLUSION_LENGTH))


def add_last_answer(draft: Draft, messages: Sequence[Message]) -> None:
    """How things stood at the end of the span: its last closing answer, at more length."""
    closing = (m for m in reversed(messages) if worth_of(m) == CONCLUDED)
    text = next((text for m in closing if (text := plain_text(m.get("content")).strip())), "")
    if not text:
        return
    said = sentences(text)
    draft.drop(Shelf.CONCLUSIONS, CONCLUSION + shorten(joined(said[:2]), CONCLUSION_LENGTH))
    whole = shorten_middle(without_code(text, "[…]"), LAST_ANSWER_LENGTH)
    draft.add(Shelf.IN_PROGRESS, LAST_ANSWER + whole)


def take_over_progress(draft: Draft, item: str) -> None:
    """A line of an earlier summary's In Progress: its last report is one of several now."""
    if item.startswith(LAST_ANSWER):
        text = item.removeprefix(LAST_ANSWER)
        draft.add(Shelf.CONCLUSIONS, CONCLUSION + shorten(text, CONCLUSION_LENGTH))
    else:
        draft.add(Shelf.IN_PROGRESS, shorten(item, 500))


def _is_decision(sentence: str, spoken: Spoken, by_user: bool) -> bool:
    if sentence.endswith(("?", "？")):
        return False
    if by_user and takes_back(sentence, spoken):
        return True
    if HEDGE.is_in(spoken) or NO_DECISION.search(sentence):
        return False
    if DECISION.is_in(spoken):
        return True
    return not by_user and FIRST_PERSON.is_in(spoken) and REASON.is_in(spoken)


def _add_boxes(draft: Draft, text: str) -> None:
    for match in DONE_BOX.finditer(text):
        draft.drop(Shelf.TASKS, match[1])
        draft.drop(Shelf.TASKS, match[1] + TAKEN_UP)
        draft.add(Shelf.DONE, match[1])
    for match in OPEN_BOX.finditer(text):
        draft.add(Shelf.TASKS, match[1], SAID_BY_USER)


def _add_listed_tasks(draft: Draft, text: str, worth: float) -> None:
    """The items of a list below a line that says something is still to do."""
    in_list = False
    for line in without_code(text).split("\n"):
        item = _LIST_ITEM.match(line)
        if item and in_list:
            if not item[1].startswith(_BOX):
                draft.add(Shelf.TASKS, shorten(item[1], CONCLUSION_LENGTH), worth + 0.5)
        elif head := line.strip():
            in_list = head.endswith((":", "：")) and OPEN_TASK.is_in(Spoken(head[-200:]))
