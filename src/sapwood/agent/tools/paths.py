"""From the path a model wrote to the file that is meant.

``~`` is the home folder, a leading ``@`` (as people mention files) is dropped, and where no such
file exists the same name in other Unicode spellings is tried: composed and decomposed accents,
straight and curly quotes, and the narrow space before AM and PM in macOS screenshot names.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from sapwood.agent.tools.tool import ToolError
from sapwood.text import one_line

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_CURLY_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_BEFORE_HALF_OF_DAY = re.compile(r" (?=(?:AM|PM)\b)", re.IGNORECASE)


def resolve(given: str, cwd: Path) -> Path:
    """The file to read or change: the one written, else an existing one spelt differently.

    Raises:
        ToolError: the text cannot be a path.
    """
    for candidate in _spellings(given):
        path = _absolute(candidate, cwd)
        if os.path.lexists(path):
            return path
    return _absolute(given.removeprefix("@") or given, cwd)


def shown(path: Path, cwd: Path) -> str:
    """How a path is named to the model: relative inside the working folder, on one line."""
    try:
        text = str(path.relative_to(cwd))
    except ValueError:
        text = str(path)
    return one_line(text)


def _spellings(given: str) -> Iterator[str]:
    """What may be meant, most literal first. A file whose name does start with @ wins."""
    for text in (given, given.removeprefix("@")):
        if not text:
            continue
        yield text
        for spaced in (text, _SPACES.sub(" ", text), _BEFORE_HALF_OF_DAY.sub("\u202f", text)):
            for quoted in (spaced, spaced.translate(_CURLY_QUOTES), spaced.replace("'", "\u2019")):
                yield unicodedata.normalize("NFC", quoted)
                yield unicodedata.normalize("NFD", quoted)


def _absolute(text: str, cwd: Path) -> Path:
    if not text or "\0" in text:
        raise ToolError("The path is empty or holds a NUL character")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ToolError(f"Not a valid path: {one_line(ascii(text))}") from None
    return cwd / os.path.expanduser(text)
