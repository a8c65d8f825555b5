"""Which words of a query are said in which session, looked up in the files in a thread.

Nothing of the texts is kept but what is around the first place of each word. A word that goes on
from one that is not there is not there either, so typing on looks at fewer and fewer files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from sapwood.library.search import first_mention
from sapwood.session.info import SessionInfo

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a session as it was with so many messages."""

    message_count: int
    found: Mapping[str, str]
    absent: frozenset[str]


class Mentions:
    """By session. One thread looks; others may read meanwhile."""

    def __init__(self) -> None:
        self._known: dict[Path, _Known] = {}

    def look(self, info: SessionInfo, words: Sequence[str]) -> None:
        """Look for the words of a query in a session; forget what belongs to other queries."""
        known = self._known.get(info.path)
        if known is None or known.message_count != info.message_count:
            known = _Known(info.message_count, _NOTHING, frozenset())
        found = {each: known.found[each] for each in known.found if _within(each, words)}
        absent = {each for each in known.absent if _within(each, words)}
        for word in words:
            if word in found or any(each in word for each in absent):
                continue
            mention = first_mention(info.path, word)
            if mention is None:
                absent.add(word)
            else:
                found[word] = mention
        self._known[info.path] = _Known(info.message_count, found, frozenset(absent))

    def of(self, info: SessionInfo) -> Mapping[str, str]:
        """The words found in a session so far, each with what is around it."""
        known = self._known.get(info.path)
        return _NOTHING if known is None else known.found


def _within(part: str, words: Sequence[str]) -> bool:
    return any(part in word for word in words)
