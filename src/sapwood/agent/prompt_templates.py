"""Prompt templates: Markdown files in ``prompts/`` folders that ``/name arguments`` stands for.

A file ``review.md`` is the template ``/review``. Its head may say ``description`` and
``argument-hint``; its text is the prompt, with places for arguments:

``$1`` one argument · ``$@`` or ``$ARGUMENTS`` all · ``${1:-default}``, ``${@:-default}`` with a
default · ``${@:N}``, ``${@:N:L}`` those from number N on, L of them. Arguments are never searched
for places themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sapwood.agent.context_files import read_text_file
from sapwood.agent.front_matter import split_front_matter
from sapwood.text import one_line

_NAME = re.compile(r"[\w.:-]{1,64}")
_PLACE = re.compile(
    r"\$(?:(?P<all>@|ARGUMENTS\b)|(?P<one>\d+)"
    r"|\{(?P<which>\d+|@|ARGUMENTS):-(?P<default>[^}]*)\}"
    r"|\{@:(?P<first>\d+)(?::(?P<count>\d+))?\})"
)
_WORD = re.compile(
    r'"(?P<double>(?:[^"\\]|\\.)*)"(?=\s|$)'
    r"|'(?P<single>(?:[^'\\]|\\.)*)'(?=\s|$)"
    r"|(?P<plain>\S+)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """``hint`` tells what arguments it takes, "" if it does not say."""

    name: str
    description: str
    hint: str
    text: str
    file: Path

    def filled(self, arguments: str) -> str:
        """The prompt with what was typed after the name in its places."""
        words = split_arguments(arguments)
        return _PLACE.sub(lambda place: _filling(place, words), self.text)


def load_templates(folder: Path) -> list[PromptTemplate]:
    """The templates directly in ``folder``, by name; what cannot be read or typed is left out."""
    files = sorted(folder.glob("*.md")) if folder.is_dir() else []
    read = ((file, read_text_file(file)) for file in files if _NAME.fullmatch(file.stem))
    return [_template(file, text) for file, text in read if text is not None]


def _template(file: Path, text: str) -> PromptTemplate:
    fields, body = split_front_matter(text)
    body = body.strip()
    description = one_line(fields.get("description") or body.partition("\n")[0])
    hint = one_line(fields.get("argument-hint", ""))
    return PromptTemplate(file.stem, description, hint, body, file)


def split_arguments(typed: str) -> list[str]:
    """Words as a shell takes them apart: quotes hold words together where they begin one.

    Apostrophes inside words and quotes that nothing closes are text; a backslash counts only
    before the quote it stands in.
    """
    return [_word(found) for found in _WORD.finditer(typed)]


def _word(found: re.Match[str]) -> str:
    for kind, quote in (("double", '"'), ("single", "'")):
        quoted = found[kind]
        if quoted is not None:
            return str(quoted).replace(f"\\{quote}", quote)
    return found["plain"]


def _filling(place: re.Match[str], words: Sequence[str]) -> str:
    if place["all"]:
        return " ".join(words)
    if place["first"]:
        start = max(int(place["first"]), 1) - 1
        end = None if place["count"] is None else start + int(place["count"])
        return " ".join(words[start:end])
    which = place["one"] or place["which"]
    given = _argument(which, words)
    return given or place["default"] or ""


def _argument(which: str, words: Sequence[str]) -> str:
    if not which.isdigit():
        return " ".join(words)
    number = int(which)
    return words[number - 1] if 0 < number <= len(words) else ""
