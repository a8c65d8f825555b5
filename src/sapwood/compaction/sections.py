"""The fixed headings of a summary: written, read back, and checked for.

A summary is Markdown under the headings that Pi uses too, so that either program can go on from the
other's. Reading is lenient: items are bullets, numbered lines or bare lines under a heading; a
heading that occurs twice (a split turn has two parts) adds up. Blocks between our wrapper tags are
not items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from sapwood.compaction.untrusted import WRAPPER_TAGS


class Section(StrEnum):
    """Headings in their order on the page; progress has three below it."""

    GOAL = "Goal"
    CONSTRAINTS = "Constraints & Preferences"
    DONE = "Done"
    IN_PROGRESS = "In Progress"
    BLOCKED = "Blocked"
    DECISIONS = "Key Decisions"
    NEXT_STEPS = "Next Steps"
    CONTEXT = "Critical Context"


PROGRESS = "Progress"
REQUIRED_HEADINGS = (Section.GOAL, PROGRESS, Section.NEXT_STEPS)
EMPTY = "(none)"
TURN_IN_PROGRESS = "**Turn in progress:**"
"""Stands between the summary of the history and that of the first part of a split turn."""

_PROGRESS_PARTS = (Section.DONE, Section.IN_PROGRESS, Section.BLOCKED)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_BLOCK = re.compile(
    rf"^<({'|'.join(WRAPPER_TAGS)})\b[^>\n]*>\n.*?^</\1>[ \t]*\n?", re.MULTILINE | re.DOTALL
)
_BOLD = re.compile(r"^\s{0,3}\*\*(.+?)\*\*:?\s*$")
_NAMES = {PROGRESS.lower(), *(section.value.lower() for section in Section)}
_BY_NAME = {section.value.lower(): section for section in Section}


def heading_line(section: Section) -> str:
    """The line that opens a section."""
    return f"{'###' if section in _PROGRESS_PARTS else '##'} {section.value}"


def heading_of(line: str) -> str | None:
    """The text of a Markdown heading line, or of a bold line that names one of ours, else None."""
    match = _HEADING.match(line)
    if match:
        return match[1].strip().strip("*:").strip()
    bold = _BOLD.match(line)
    name = bold[1].strip(": ") if bold else ""
    return name if name.lower() in _NAMES else None


def headings_in(summary: str) -> set[str]:
    """All heading texts of a summary, in lower case."""
    return {heading.lower() for line in summary.splitlines() if (heading := heading_of(line))}


def missing_headings(summary: str) -> list[str]:
    """The required headings that a summary lacks."""
    present = headings_in(summary)
    return [str(heading) for heading in REQUIRED_HEADINGS if heading.lower() not in present]


def without_blocks(summary: str) -> str:
    """The summary without the blocks between our own tags."""
    return _BLOCK.sub("", summary)


def read_items(summary: str, others: Section | None = None) -> dict[Section, list[str]]:
    """The items under each known heading, without their bullets, in order.

    `others`: where to put what stands above all headings and under unknown ones; None drops it.
    """
    items: dict[Section, list[str]] = {section: [] for section in Section}
    current = others
    for line in without_blocks(summary).splitlines():
        heading = heading_of(line)
        if heading is not None:
            current = _BY_NAME.get(heading.lower(), others)
        elif current is not None:
            _read_line(items[current], line)
    return items


def says_something(summary: str) -> bool:
    """Whether anything stands under its headings or in blocks of ours."""
    return without_blocks(summary) != summary or any(read_items(summary).values())


def _read_line(items: list[str], line: str) -> None:
    text = _BULLET.sub("", line).strip()
    if not text or text.lower() in (EMPTY, "none", "- none", "---", TURN_IN_PROGRESS.lower()):
        return
    if items and line.startswith((" ", "\t")) and not _BULLET.match(line):
        items[-1] = f"{items[-1]} {text}"
    else:
        items.append(text)


def render(items: Mapping[Section, Sequence[str]], sections: Sequence[Section]) -> str:
    """A summary of the given sections; an empty one says so."""
    lines: list[str] = []
    for section in sections:
        if section is Section.DONE:
            lines += [f"## {PROGRESS}"]
        lines += [heading_line(section), *_bullets(section, items.get(section, ())), ""]
    return "\n".join(lines).strip()


def _bullets(section: Section, items: Sequence[str]) -> list[str]:
    if not items:
        return [EMPTY]
    match section:
        case Section.DONE:
            return [f"- [x] {item}" for item in items]
        case Section.IN_PROGRESS:
            return [f"- [ ] {item}" for item in items]
        case Section.NEXT_STEPS:
            return [f"{number}. {item}" for number, item in enumerate(items, 1)]
        case _:
            return [f"- {item}" for item in items]


def insert_into(summary: str, section: Section, text: str, *, at_end: bool) -> str:
    """The summary with `text` first or last under a heading, which is added if it is missing."""
    lines = summary.split("\n")
    start = next((i for i, line in enumerate(lines) if heading_of(line) == section.value), None)
    if start is None:
        addition = f"{heading_line(section)}\n{text}"
        return f"{summary}\n\n{addition}" if at_end else f"{addition}\n\n{summary}"
    end = _section_end(lines, start)
    if lines[start + 1 : end] == [EMPTY]:
        return "\n".join([*lines[: start + 1], text, *lines[end:]])
    at = end if at_end else start + 1
    return "\n".join([*lines[:at], text, *lines[at:]])


def _section_end(lines: Sequence[str], start: int) -> int:
    """The line after the last one of a section that holds text."""
    end = start + 1
    while end < len(lines) and heading_of(lines[end]) is None and lines[end] != TURN_IN_PROGRESS:
        end += 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end
