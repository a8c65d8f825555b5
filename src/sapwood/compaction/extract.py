"""A summary without a model: the record's own words under the fixed headings.

Takes what marks itself: requests, rules, decisions, open work, failures, deeds, and the sentences
that hold identifiers and numbers. The items of an earlier summary go on as older items. Every
section has a share of the budget; what one leaves over, the next may use; newer items go before
older ones. Deterministic and linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sapwood.compaction.carried import without_carried
from sapwood.compaction.facts import Facts
from sapwood.compaction.sections import Section, read_items, render
from sapwood.compaction.sentences import sentences, shorten
from sapwood.compaction.serialize import plain_text
from sapwood.compaction.signals import DECISION, DONE_BOX, OPEN_BOX, OPEN_TASK, REASON
from sapwood.compaction.untrusted import disarm_tags
from sapwood.compaction.work import Work, work_in
from sapwood.session.schema import Message
from sapwood.text import utf16_len

EXTRACT_BUDGET = 8000
"""Tokens an extracted summary takes at most, carried material not counted."""

SECTIONS = tuple(Section)
BRANCH_SECTIONS = tuple(section for section in Section if section is not Section.CONTEXT)

_SHARES = {
    Section.NEXT_STEPS: 0.16,
    Section.DECISIONS: 0.14,
    Section.CONTEXT: 0.34,
    Section.GOAL: 0.10,
    Section.CONSTRAINTS: 0.04,
    Section.BLOCKED: 0.06,
    Section.IN_PROGRESS: 0.06,
    Section.DONE: 0.10,
}
"""Share of the budget per section, in the order in which leftovers are handed on."""

FIRST_REQUEST = "First request: "
CONCLUSION = "Concluded: "
ERROR = "Error seen: "
FAILED = " failed: "

_RUNS = re.compile(r" \(×\d+\)$")


@dataclass(slots=True)
class _Draft:
    """Candidates per section, oldest first; each once."""

    items: dict[Section, dict[str, None]] = field(
        default_factory=lambda: {section: {} for section in Section}
    )

    def add(self, section: Section, item: str) -> None:
        """Add an item as the newest; one that is there already moves to the end."""
        text = disarm_tags(" ".join(item.split()))
        self.items[section].pop(text, None)
        self.items[section][text] = None

    def drop(self, section: Section, item: str) -> None:
        self.items[section].pop(disarm_tags(" ".join(item.split())), None)


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
    draft = _Draft()
    facts = Facts()
    if previous:
        _take_over(draft, facts, previous)
    work = work_in(messages)
    _add_requests(draft, messages)
    for message in messages:
        _add_prose(draft, facts, message)
    _add_work(draft, work)
    _add_conclusions(draft, messages)
    for fact in facts.ranked():
        draft.add(Section.CONTEXT, fact)
    for error in work.errors:
        draft.add(Section.CONTEXT, ERROR + error)
    return render(_fit(draft, min(budget, EXTRACT_BUDGET), sections), sections)


def _take_over(draft: _Draft, facts: Facts, previous: str) -> None:
    for section, items in read_items(without_carried(previous)).items():
        for item in items:
            if section is Section.CONTEXT and not item.startswith(ERROR):
                facts.keep(item)
            else:
                draft.add(section, shorten(item, 500))


def _add_requests(draft: _Draft, messages: Iterable[Message]) -> None:
    """The first request and the later ones, shortened."""
    has_first = any(item.startswith(FIRST_REQUEST) for item in draft.items[Section.GOAL])
    for message in messages:
        if message["role"] != "user" or not (text := plain_text(message.get("content")).strip()):
            continue
        if has_first:
            draft.add(Section.GOAL, f"Then: {shorten(text, 200)}")
        else:
            draft.add(Section.GOAL, FIRST_REQUEST + shorten(text, 500))
            has_first = True


def _add_prose(draft: _Draft, facts: Facts, message: Message) -> None:
    """Decisions, open tasks and facts in what the user and the assistant wrote."""
    role = message["role"]
    if role in ("branchSummary", "compactionSummary"):
        _take_over(draft, facts, str(message.get("summary") or ""))
        return
    if role not in ("user", "assistant", "custom"):
        return
    text = plain_text(message.get("content"))
    for match in DONE_BOX.finditer(text):
        draft.drop(Section.NEXT_STEPS, match[1])
        draft.add(Section.DONE, match[1])
    for match in OPEN_BOX.finditer(text):
        draft.add(Section.NEXT_STEPS, match[1])
    for sentence in sentences(text):
        if DECISION.search(sentence) and (role == "assistant" or REASON.search(sentence)):
            draft.add(Section.DECISIONS, sentence)
        if OPEN_TASK.search(sentence) and not sentence.startswith(("[ ]", "[x]", "[X]")):
            draft.add(Section.NEXT_STEPS, sentence)
        facts.add(sentence, weight=3 if role == "user" else 1)


def _add_work(draft: _Draft, work: Work) -> None:
    _settle(draft, work)
    for deed in work.deeds.values():
        if deed.failed:
            draft.add(Section.BLOCKED, f"{deed.line}{FAILED}{deed.error}")
        else:
            draft.add(Section.DONE, deed.line)
    for todo in work.todos or ():
        draft.add(Section.NEXT_STEPS, todo)


def _settle(draft: _Draft, work: Work) -> None:
    """Drop what an earlier summary says of calls that have run again since."""
    again = {" ".join(text.split()) for text in work.deeds}
    for section in (Section.DONE, Section.BLOCKED):
        for item in list(draft.items[section]):
            if _RUNS.sub("", item.split(FAILED)[0]) in again:
                del draft.items[section][item]


def _add_conclusions(draft: _Draft, messages: Iterable[Message]) -> None:
    """How the assistant closed its runs, in a sentence or two each."""
    for message in messages:
        if message["role"] == "assistant" and message.get("stopReason") == "stop":
            text = plain_text(message.get("content"))
            if closing := sentences(text)[:2]:
                draft.add(Section.IN_PROGRESS, CONCLUSION + shorten(" ".join(closing), 300))


def _fit(draft: _Draft, budget: int, sections: Sequence[Section]) -> dict[Section, list[str]]:
    """The newest items of each section within its share; leftovers are handed on."""
    room = budget - _tokens(render({}, sections))
    fitted: dict[Section, list[str]] = {}
    spare = 0.0
    for section in (section for section in _SHARES if section in sections):
        allowance = room * _SHARES[section] + spare
        items = list(draft.items[section])
        chosen: list[str] = []
        for item in _by_worth(section, items):
            cost = _tokens(item) + 2
            if cost <= allowance:
                allowance -= cost
                chosen.append(item)
        spare = max(allowance, 0.0)
        wanted = set(chosen)
        fitted[section] = [item for item in items if item in wanted]
    return fitted


def _by_worth(section: Section, items: Sequence[str]) -> list[str]:
    """Newest first; the first request before all others."""
    newest_first = list(reversed(items))
    if section is Section.GOAL:
        newest_first.sort(key=lambda item: not item.startswith(FIRST_REQUEST))
    return newest_first


def _tokens(text: str) -> int:
    return -(-utf16_len(text) // 4)
