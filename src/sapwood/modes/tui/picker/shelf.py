"""The sessions that were found, and which of them are shown in what order. No screen, no files.

Order is by the last message on any branch, so that renaming or copying a file changes nothing.
Threaded: a fork stands under the session it was made from, and a family where its newest member
would stand.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from sapwood.modes.tui.picker.matching import match, snippet
from sapwood.modes.tui.picker.mentions import Mentions
from sapwood.session.info import SessionInfo

MAX_DEPTH = 5
"""Levels of forks that are indented."""


class Sort(StrEnum):
    THREADED = "forks under their parent"
    RECENT = "newest first"
    LONGEST = "most messages first"
    NAME = "by name"


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """A session as it is shown: ``depth`` below its parent; what is said around a word."""

    info: SessionInfo
    depth: int = 0
    said: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is shown. ``cwd`` None: of all folders."""

    cwd: Path | None = None
    query: str = ""
    sort: Sort = Sort.THREADED
    named_only: bool = False
    paths: bool = False

    @property
    def words(self) -> list[str]:
        """What is searched for, in lower case."""
        return self.query.lower().split()


@dataclass(frozen=True, slots=True)
class Shown:
    """The rows, and how many sessions each thing hides that could be changed."""

    rows: list[ShelfRow] = field(default_factory=list)
    elsewhere: int = 0
    unnamed: int = 0
    unmatched: int = 0


class Shelf:
    """Sessions by their real path, so that each is there once, whatever links lead to it."""

    def __init__(self) -> None:
        self._infos: dict[str, SessionInfo] = {}
        self.skipped: set[str] = set()
        """Files named like sessions that are none."""
        self.mentions = Mentions()

    def __len__(self) -> int:
        return len(self._infos)

    def add(self, found: Iterable[tuple[Path, SessionInfo | None]]) -> None:
        for path, info in found:
            real = os.path.realpath(path)
            if info is None:
                self.skipped.add(real)
            else:
                self._infos[real] = info

    def get(self, path: Path) -> SessionInfo | None:
        return self._infos.get(os.path.realpath(path))

    def rename(self, path: Path, name: str) -> None:
        real = os.path.realpath(path)
        self._infos[real] = replace(self._infos[real], name=name.strip() or None)

    def remove(self, path: Path) -> None:
        self._infos.pop(os.path.realpath(path), None)

    def newest(self) -> list[SessionInfo]:
        return sorted(self._infos.values(), key=_modified, reverse=True)

    def show(self, wanted: Wanted) -> Shown:
        """The rows; with a query the best match comes first, whatever the sort."""
        here = os.path.abspath(wanted.cwd) if wanted.cwd is not None else None
        infos = [info for info in self.newest() if here is None or _made_in(info, here)]
        elsewhere = len(self._infos) - len(infos)
        kept = [info for info in infos if info.name] if wanted.named_only else infos
        unnamed = len(infos) - len(kept)
        words = wanted.words
        if not words:
            return Shown(self._sorted(kept, wanted.sort), elsewhere, unnamed)
        rows = self._matching(kept, words, paths=wanted.paths)
        return Shown(rows, elsewhere, unnamed, len(kept) - len(rows))

    def _matching(
        self, infos: list[SessionInfo], words: list[str], *, paths: bool
    ) -> list[ShelfRow]:
        found = []
        for info in infos:
            mentions = self.mentions.of(info)
            hit = match(words, info, mentions, info.cwd if paths else "")
            if hit is not None:
                said = snippet(mentions[hit.said], hit.said) if hit.said else ""
                found.append((hit.score, ShelfRow(info, 0, said)))
        found.sort(key=lambda each: -each[0])
        return [row for _, row in found]

    def _sorted(self, infos: list[SessionInfo], sort: Sort) -> list[ShelfRow]:
        match sort:
            case Sort.THREADED:
                return _threaded(infos)
            case Sort.LONGEST:
                infos = sorted(infos, key=lambda info: -info.message_count)
            case Sort.NAME:
                infos = sorted(
                    infos, key=lambda info: (not info.name, (info.name or "").casefold())
                )
        return [ShelfRow(info) for info in infos]


@lru_cache(20_000)
def _absolute(path: str) -> str:
    """Asked for every session whenever the list is drawn."""
    return os.path.abspath(path)


def _made_in(info: SessionInfo, here: str) -> bool:
    return bool(info.cwd) and _absolute(info.cwd) == here


def _modified(info: SessionInfo) -> int:
    return info.modified


def _threaded(infos: list[SessionInfo]) -> list[ShelfRow]:
    """Families in the order of their newest members; ``infos`` are newest first."""
    by_path = {_key(info): info for info in infos}
    children: dict[str, list[SessionInfo]] = {}
    roots: dict[str, SessionInfo] = {}
    for info in infos:
        up = _parent(info)
        if up in by_path:
            children.setdefault(up, []).append(info)
        root = _root(info, by_path)
        roots.setdefault(_key(root), root)
    rows: list[ShelfRow] = []
    waiting = [(info, 0) for info in reversed(roots.values())]
    placed: set[str] = set()
    while waiting:
        info, depth = waiting.pop()
        key = _key(info)
        if key not in placed:
            placed.add(key)
            rows.append(ShelfRow(info, min(depth, MAX_DEPTH)))
            waiting.extend((child, depth + 1) for child in reversed(children.get(key, [])))
    return rows


def _key(info: SessionInfo) -> str:
    return _absolute(str(info.path))


def _parent(info: SessionInfo) -> str:
    return _absolute(info.parent_session) if info.parent_session else ""


def _root(info: SessionInfo, by_path: dict[str, SessionInfo]) -> SessionInfo:
    """The oldest ancestor that is listed; in a circle, the member at which one comes round."""
    seen = {_key(info)}
    while (up := _parent(info)) in by_path and up not in seen:
        seen.add(up)
        info = by_path[up]
    return info
