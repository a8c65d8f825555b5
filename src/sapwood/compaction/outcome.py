"""What the work of a span puts into a summary: what ran, what still fails, what errors were seen.

A failure is open until the call runs again and succeeds. When the user has gone on to other things
since, it stands no longer under Blocked but with the errors, as what it was when it last ran.
"""

from __future__ import annotations

import re

from sapwood.compaction.draft import (
    CONCLUDED,
    FAILED_LAST,
    KEPT_BEFORE,
    SAID_BY_USER,
    SAID_IN_PASSING,
    Draft,
    Shelf,
)
from sapwood.compaction.work import FILE_VERBS, Deed, Work

ERROR = "Error seen"
GONE = "Error seen, gone since"
FAILED = " failed: "
SEARCHED = "Looked into: "
SEARCHED_PATHS = 80
"""How many of the paths that were looked into are told, newest first."""

GONE_ON = 3
"""Requests after which a failure that nobody tried again is no longer in the way."""

_RUNS = re.compile(r" \(×\d+\)$")
_IN_COMMAND = re.compile(rf"{ERROR} in `(.*?)`: (.*)", re.DOTALL)
LONGEST_COMMAND = 80


def add_work(draft: Draft, work: Work) -> None:
    """Add what was done; what an earlier summary says of the same calls gives way."""
    _settle(draft, work)
    for line, deed_text in work.errors.items():
        _add_error(draft, line, work.deeds.get(deed_text))
    for deed in work.deeds.values():
        if not deed.failed:
            if not (deed.is_of_a_file or deed.only_looks):
                draft.add(Shelf.DONE, deed.line)
        elif work.requests - deed.requests_before >= GONE_ON:
            if not deed.only_looks:
                draft.add(Shelf.ERRORS, f"{deed.line}{FAILED_LAST}{deed.error}")
        elif not deed.only_looks:
            draft.add(Shelf.BLOCKED, f"{deed.line}{FAILED}{deed.error}")
    for todo in work.todos or ():
        draft.add(Shelf.TASKS, todo, SAID_BY_USER)
    _add_searched(draft, work)


def _add_error(draft: Draft, line: str, deed: Deed | None) -> None:
    if deed is not None and not deed.failed and deed.error == "" and deed.runs > 1:
        draft.add(Shelf.ERRORS, f"{GONE}: {line}", SAID_IN_PASSING)
        return
    command = _command_of(deed.text) if deed is not None else ""
    place = f" in `{command}`" if 0 < len(command) <= LONGEST_COMMAND else ""
    draft.add(Shelf.ERRORS, f"{ERROR}{place}: {line}", CONCLUDED)


def _command_of(text: str) -> str:
    return text[5:-1] if text.startswith("Ran `") else ""


def _settle(draft: Draft, work: Work) -> None:
    """Bring what an earlier summary says of calls up to date."""
    again = {" ".join(text.split()): deed for text, deed in work.deeds.items()}
    for shelf in (Shelf.DONE, Shelf.BLOCKED, Shelf.ERRORS):
        for item in list(draft.items[shelf]):
            deed = again.get(_call_of(item))
            if deed is None:
                continue
            del draft.items[shelf][item]
            error = item.partition(FAILED_LAST)[2] or item.partition(FAILED)[2]
            if error and error != deed.error:
                kind = ERROR if deed.failed else GONE
                draft.add(Shelf.ERRORS, f"{kind}: {error}", SAID_IN_PASSING)
    for item in list(draft.items[Shelf.BLOCKED]):
        is_slip = item.startswith(FILE_VERBS) and work.runs_ended
        if FAILED not in item or not (is_slip or work.requests >= GONE_ON):
            continue
        del draft.items[Shelf.BLOCKED][item]
        if not is_slip:
            draft.add(Shelf.ERRORS, item.replace(FAILED, FAILED_LAST, 1), KEPT_BEFORE)
    for item in list(draft.items[Shelf.ERRORS]):
        match = _IN_COMMAND.fullmatch(item)
        deed = again.get(f"Ran `{match[1]}`") if match else None
        if match and deed is not None and not deed.failed:
            del draft.items[Shelf.ERRORS][item]
            draft.add(Shelf.ERRORS, f"{GONE}: {match[2]}", SAID_IN_PASSING)


def _call_of(item: str) -> str:
    return _RUNS.sub("", item.split(FAILED_LAST)[0].split(FAILED)[0])


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
