"""What no summary may lose: the latest request, the user's rules, pinned texts.

They are taken from the record, never from a model's account of it, and stand verbatim in every
summary: the request in a `<latest-request>` block under Goal, each rule as a `User's rule:` bullet
under Constraints, pinned texts in `<retained>` blocks. What a model wrote in these forms is removed
first, so that it can neither forge a rule nor let old ones pile up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sapwood.compaction.path_text import PathText
from sapwood.compaction.retain import RETAIN_BUDGET, Pin, pins_before, within_budget
from sapwood.compaction.rules import Rule, stated_rules
from sapwood.compaction.sections import Section, insert_into, without_blocks
from sapwood.compaction.untrusted import disarm_tags
from sapwood.session.entry import Entry
from sapwood.text import cut_utf16, utf16_len

REQUEST_BUDGET = 4000
RULES_BUDGET = 2000
"""Tokens, at most, that the latest request and the rules may take in a summary."""

RULE_PREFIX = "User's rule: "
RULES_NOTE = "- In the user's words, oldest first; where two disagree, the later one holds:"
SUBSTANTIAL = 40
"""UTF-8 bytes from which a request says what to do; "go on" leans on the one before it."""

MOST_REQUESTS = 3
"""How many requests that lean on each other are carried at most."""

_ANY_RULE_LINE = re.compile(
    rf"^(?:[ \t]*(?:[-*+]|\d+[.)])?[ \t]*(?:\[[ xX]\][ \t]*)?\W{{0,2}}{RULE_PREFIX.strip()}[^\n]*"
    rf"|{re.escape(RULES_NOTE)})\n?",
    re.MULTILINE | re.IGNORECASE,
)
_RULE_LINE = re.compile(rf"^[ \t]*[-*+][ \t]*{RULE_PREFIX}(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Carried:
    """Verbatim material for one summary. `notices` tell what found no room.

    `first_request` is what the session began with, "" if it is among the `requests`; the extractor
    puts it into the goal, a model says in its own words what the goal is.
    """

    requests: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    notices: tuple[str, ...] = ()
    first_request: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything carried, each text on one line."""
        texts = (*self.requests, *self.rules, *(pin.text for pin in self.pins))
        return tuple(" ".join(text.split()) for text in texts)


def carried_before(
    path: Sequence[Entry], first_kept: int, budget: int, *, with_requests: bool = True
) -> Carried:
    """What a summary of `path[:first_kept]` has to carry; `budget` is the summary's, in tokens.

    Without requests: for a branch that was left, whose requests no longer hold.
    """
    texts = PathText(path)
    before = path[:first_kept]
    requests = _latest_requests(texts, before, path[first_kept:]) if with_requests else []
    limit = min(REQUEST_BUDGET, budget // 4) * 4 // max(1, len(requests))
    requests = [_middle_cut(text, limit) for text in requests]
    quoted = "\n".join(requests)
    rules = [rule for rule in _rules(texts, before) if rule.text not in quoted]
    pins, left_out = within_budget(
        pins_before(path, before, texts), min(RETAIN_BUDGET, budget // 3)
    )
    kept_rules = _fit_rules(rules, min(RULES_BUDGET, budget // 4))
    notices = [
        f"No room to retain entry {pin.entry_id} ({pin.tokens} tokens); unpin others to keep it."
        for pin in left_out
    ]
    if dropped := len(rules) - len(kept_rules):
        notices.append(f"{dropped} older rules of yours found no room in the summary.")
    first = next((text for _, text in texts.requests(before)), "") if with_requests else ""
    return Carried(
        tuple(requests),
        tuple(kept_rules),
        tuple(pins),
        tuple(notices),
        "" if first in requests else first,
    )


def with_carried(summary: str, carried: Carried) -> str:
    """The summary with exactly the carried material in it."""
    text = disarm_tags(without_carried(summary))
    if carried.rules:
        bullets = "\n".join(f"- {RULE_PREFIX}{rule}" for rule in carried.rules)
        bullets = f"{RULES_NOTE}\n{bullets}" if len(carried.rules) > 1 else bullets
        text = insert_into(text, Section.CONSTRAINTS, bullets, at_end=False)
    if carried.requests:
        requests = "\n\n".join(map(disarm_tags, carried.requests))
        block = f"<latest-request>\n{requests}\n</latest-request>"
        text = insert_into(text, Section.GOAL, block, at_end=False)
    for pin in carried.pins:
        text = insert_into(text, Section.CONTEXT, pin.block, at_end=True)
    return text


def without_carried(summary: str) -> str:
    """The summary without the blocks and rules that are added to every summary anyway."""
    return _ANY_RULE_LINE.sub("", without_blocks(summary)).strip()


def rules_in(summary: str) -> list[str]:
    """The rules that a summary carries."""
    return [rule.strip() for rule in _RULE_LINE.findall(summary)]


def _latest_requests(texts: PathText, before: Sequence[Entry], kept: Sequence[Entry]) -> list[str]:
    """The latest request among `before`, with those it leans on; none if the kept tail has it."""
    for _, text in texts.requests(reversed(kept)):
        if is_substantial(text):
            return []
    latest: list[str] = []
    for _, text in texts.requests(reversed(before)):
        latest.insert(0, text)
        if is_substantial(text) or len(latest) == MOST_REQUESTS:
            break
    return latest


def is_substantial(text: str) -> bool:
    """Whether a request says by itself what to do."""
    return len(text.encode("utf-8", "replace")) >= SUBSTANTIAL


def _rules(texts: PathText, before: Iterable[Entry]) -> list[Rule]:
    """Every rule so far, oldest first, each once; summaries hold those of left branches."""
    rules: dict[str, Rule] = {}
    for entry in before:
        if entry.type == "branch_summary":
            found = [Rule(text, True) for text in rules_in(texts.of(entry))]
        else:
            found = [rule for _, text in texts.requests([entry]) for rule in stated_rules(text)]
        for rule in found:
            rules.setdefault(" ".join(rule.text.split()).casefold(), rule)
    return list(rules.values())


def _fit_rules(rules: Sequence[Rule], budget: int) -> list[str]:
    """As many as fit: strong before weak, newer before older; in the order they were stated."""
    by_worth = sorted(range(len(rules)), key=lambda index: (rules[index].strong, index))
    chosen: set[int] = set()
    for index in reversed(by_worth):
        cost = -(-utf16_len(f"- {RULE_PREFIX}{rules[index].text}\n") // 4)
        if cost <= budget:
            budget -= cost
            chosen.add(index)
    return [disarm_tags(rules[index].text) for index in sorted(chosen)]


def _middle_cut(text: str, limit: int) -> str:
    """`text`, or its beginning and end when it is longer than `limit` UTF-16 units."""
    length = utf16_len(text)
    if length <= limit:
        return text
    head = cut_utf16(text, limit * 2 // 3)
    tail = text[-(limit // 6) :]
    missing = length - utf16_len(head) - utf16_len(tail)
    return f"{head}\n[... {missing} characters left out ...]\n{tail}"
