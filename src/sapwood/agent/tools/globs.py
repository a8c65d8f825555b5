"""Glob patterns as regular expressions, the same for ``find``, ``grep`` and ignore files. Pure.

``*`` and ``?`` stop at ``/``, ``**`` does not, ``[…]`` is a set, ``{a,b}`` a choice.
"""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def compile_glob(pattern: str) -> re.Pattern[str]:
    """Matches a relative path with ``/`` in full.

    A pattern without ``/`` matches a name at any depth; a leading ``/`` is dropped, it means the
    folder where the search starts.

    Raises:
        ValueError: the pattern is not well formed.
    """
    if "/" not in pattern.strip("/"):
        pattern = pattern if pattern.startswith("/") else f"**/{pattern}"
    try:
        return re.compile(glob_regex(pattern.lstrip("/")), re.DOTALL)
    except re.error as error:
        raise ValueError(f"not a valid glob pattern: {pattern} ({error})") from error


def glob_regex(pattern: str) -> str:
    """The regular expression of a pattern that is relative to some folder."""
    parts: list[str] = []
    index = 0
    open_choices = 0
    while index < len(pattern):
        char = pattern[index]
        if pattern.startswith("**/", index) and (index == 0 or pattern[index - 1] == "/"):
            parts.append("(?:[^/]+/)*")
            index += 3
            continue
        if pattern.startswith("**", index):
            parts.append(".*")
            index += 2
            continue
        if char == "[" and (end := _set_end(pattern, index)) > 0:
            parts.append(_set(pattern[index + 1 : end]))
            index = end + 1
            continue
        if char == "{" and "}" in pattern[index:]:
            open_choices += 1
            parts.append("(?:")
        elif char == "}" and open_choices:
            open_choices -= 1
            parts.append(")")
        elif char == "," and open_choices:
            parts.append("|")
        elif char == "\\" and index + 1 < len(pattern):
            index += 1
            parts.append(re.escape(pattern[index]))
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
        index += 1
    return "".join(parts)


def _set_end(pattern: str, start: int) -> int:
    """Where the set that opens at ``start`` closes; -1 if it does not. ``]`` may stand first."""
    first = start + 1
    if first < len(pattern) and pattern[first] in "!^":
        first += 1
    return pattern.find("]", first + 1)


def _set(inside: str) -> str:
    negated = inside[0] in "!^"
    members = re.sub(r"([\\\[\]&~|])", r"\\\1", inside[1:] if negated else inside)
    return f"[^/{members}]" if negated else f"[{members}]"
