"""Play a session, compact it several times, and count the planted facts still in the context.

Truncation is given the same room as the compaction it is compared with: it keeps the newest
messages that fit into as many tokens as the compacted context has.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bench.retention.facts import Fact, Kind
from bench.retention.sessions import SessionMaker, Turn
from sapwood.agent.create import create_agent_session
from sapwood.agent.settings import Settings
from sapwood.compaction.compact import apply_compaction, compact
from sapwood.compaction.prepare import prepare_compaction
from sapwood.compaction.settings import CompactionSettings
from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import project
from sapwood.session.codec import json_text
from sapwood.session.manager import SessionManager
from sapwood.session.paths import agent_dir

KEEP_SHARE = 20
"""The kept tail is this part of the session, between 1,000 and 20,000 tokens."""

FACTS = 60
"""Planted in each session, spread evenly over its turns."""

TURN_TOKENS = 4000
"""Usual size of a turn."""


@dataclass(slots=True)
class Score:
    """Facts planted and kept, by kind."""

    planted: Counter[Kind] = field(default_factory=Counter)
    kept: Counter[Kind] = field(default_factory=Counter)

    def count(self, facts: list[Fact], context: str) -> None:
        for fact in facts:
            self.planted[fact.kind] += 1
            self.kept[fact.kind] += fact.kept_in(context)

    def add(self, other: Score) -> None:
        self.planted += other.planted
        self.kept.update(other.kept)

    def share(self, kind: Kind | None = None) -> float:
        planted = self.planted[kind] if kind else self.planted.total()
        kept = self.kept[kind] if kind else self.kept.total()
        return kept / planted if planted else 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One session after its last compaction."""

    compacted: Score
    truncated: Score
    context_tokens: int
    session_tokens: int


def play(
    story: str,
    language: str,
    size: int,
    compactions: int,
    model: str | None,
    seed: int = 1,
) -> Outcome:
    """A session of about `size` tokens, compacted `compactions` times at equal distances.

    `model` (`provider/id`, as on the command line) writes the summaries; None: the extractor.
    """
    manager = SessionManager.in_memory("/bench")
    keep = min(20_000, max(1000, size // KEEP_SHARE))
    facts: list[Fact] = []
    tokens, done = 0, 0
    turns = SessionMaker(story, language, seed).turns(
        min(len(Kind) - 1, FACTS * TURN_TOKENS / size)
    )
    while done < compactions:
        turn = next(turns)
        tokens += _append(manager, turn)
        facts += turn.facts
        if tokens >= size * (done + 1) // compactions:
            asyncio.run(_compact(manager, keep, model))
            done += 1
    return _outcome(manager, facts, tokens)


def _append(manager: SessionManager, turn: Turn) -> int:
    for message in turn.messages:
        manager.append_message(message)
    return turn.tokens


async def _compact(manager: SessionManager, keep: int, model: str | None) -> None:
    if model is None:
        preparation = prepare_compaction(manager.tree, CompactionSettings(keep_recent_tokens=keep))
        assert preparation is not None
        apply_compaction(manager, await compact(preparation, None))
        return
    settings = Settings.of({"compaction": {"keepRecentTokens": keep}}, agent_dir())
    session = await create_agent_session(
        manager=manager, cwd=manager.cwd, model=model, settings=settings
    )
    try:
        await session.compact()
    finally:
        await session.dispose()


def _outcome(manager: SessionManager, facts: list[Fact], session_tokens: int) -> Outcome:
    messages = project(manager.tree).messages
    room = sum(map(estimate_tokens, messages))
    everything = [entry.message for entry in manager.get_branch() if entry.message]
    compacted, truncated = Score(), Score()
    compacted.count(facts, _text(messages))
    truncated.count(facts, _text(_newest(everything, room)))
    return Outcome(compacted, truncated, room, session_tokens)


def _newest(messages: list[Any], room: int) -> list[Any]:
    kept: list[Any] = []
    for message in reversed(messages):
        room -= estimate_tokens(message)
        if room < 0:
            break
        kept.append(message)
    return kept


def _text(messages: list[Any]) -> str:
    return "\n".join(map(json_text, messages))
