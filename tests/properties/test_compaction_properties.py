"""What holds after any sequence of compactions on any session.

Random sessions with tool rounds, parallel calls, commands, injected messages, branches, edits and
pins are compacted again and again. Canaries stand on dead branches, behind edits and in excluded
commands: no request, summary or list may ever hold one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.compaction.compact import apply_compaction, compact
from sapwood.compaction.prepare import Preparation, prepare_compaction
from sapwood.compaction.settings import CompactionSettings, threshold
from sapwood.compaction.summarizer import SummaryReply, SummaryRequest
from sapwood.context.estimate import estimate_tokens
from sapwood.context.projection import project
from sapwood.errors import CompactionError
from sapwood.session.codec import json_text
from sapwood.session.manager import SessionManager
from support.fake_llm import SUMMARY
from support.message_makers import assistant, call, result, session, user

CANARY = "CANARY"
STEPS = ("turn", "tools", "command", "injected", "hidden", "dead branch", "left out", "label")


@dataclass
class Recorder:
    """A summarizer in memory: it answers well and keeps what it was sent."""

    context_window: int = 6000
    max_output_tokens: int = 800
    prompts: list[str] = field(default_factory=list)

    async def complete(self, request: SummaryRequest) -> SummaryReply:
        self.prompts.append(request.prompt)
        return SummaryReply(SUMMARY)


@dataclass
class Writer:
    """Grows a session at random; same seed, same session."""

    random: Random
    manager: SessionManager = field(default_factory=session)
    number: int = 0

    def words(self, prefix: str = "") -> str:
        count = self.random.choice((2, 20, 120))
        return " ".join([prefix, *(self.random.choice("abcdefgh") * 5 for _ in range(count))])

    def step(self, kind: str) -> None:
        self.number += 1
        add = self.manager.append_message
        match kind:
            case "turn":
                add(user(self.words("Do this:")))
                add(assistant(self.words("Done:")))
            case "tools":
                self._tools("src")
            case "command":
                add(self._command(self.words()))
            case "hidden":
                add({**self._command(CANARY), "excludeFromContext": True})
            case "injected":
                self.manager.append_custom_message("note", self.words(), True)
            case "dead branch":
                self._dead_branch()
            case "left out":
                self._left_out()
            case "label":
                self.manager.append_session_info(f"name {self.number}")

    def _tools(self, folder: str) -> None:
        self.manager.append_message(user(self.words("Use tools:")))
        for _ in range(self.random.randint(1, 4)):
            ids = [
                f"c{self.number}-{n}-{self.random.random()}"
                for n in range(self.random.randint(1, 3))
            ]
            calls = [
                call(i, self.random.choice(("read", "edit", "bash")), path=f"{folder}/f")
                for i in ids
            ]
            self.manager.append_message(assistant("", *calls))
            for call_id in ids:
                error = self.random.random() < 0.3
                self.manager.append_message(result(call_id, self.words(), error=error))

    def _dead_branch(self) -> None:
        leaf = self.manager.get_leaf()
        if leaf is None:
            return
        self.manager.append_message(user(f"Always {CANARY}"))
        self._tools(CANARY)
        self.manager.branch(leaf)

    def _left_out(self) -> None:
        text = f"You must never {CANARY}"
        for entry_id in (
            self.manager.append_message(user(text)),
            self.manager.append_message(
                assistant(CANARY, call(f"x{self.number}", "read", path=CANARY))
            ),
            self.manager.append_message(result(f"x{self.number}", CANARY)),
        ):
            self.manager.append_context_edit(entry_id, None)

    @staticmethod
    def _command(text: str) -> dict[str, Any]:
        return {
            "role": "bashExecution", "command": f"echo {text}", "output": text,
            "cancelled": False, "truncated": False, "timestamp": 0,
        }  # fmt: skip


def messages_of(manager: SessionManager) -> list[Any]:
    return project(manager.tree).messages


def expect_sound(
    manager: SessionManager, preparation: Preparation, before: list[Any], size_before: int
) -> None:
    """The context after one compaction, against what was planned and what was there before."""
    after = messages_of(manager)
    assert after[0]["role"] == "compactionSummary"
    kept = after[1:]
    if kept:  # contiguous and verbatim: the end of what was there
        assert before[-len(kept) :] == kept
    assert sum(map(estimate_tokens, after)) < size_before
    assert kept == [item.message for item in preparation.kept]
    expect_pairs(kept)


def expect_pairs(messages: list[Any]) -> None:
    """Every result in the context has its call there, too."""
    called: set[str] = set()
    for message in messages:
        if message["role"] == "assistant":
            called |= {block["id"] for block in message["content"] if block["type"] == "toolCall"}
        elif message["role"] == "toolResult":
            assert message["toolCallId"] in called


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    parts=st.lists(
        st.lists(st.sampled_from(STEPS), min_size=1, max_size=12), min_size=1, max_size=4
    ),
    keep=st.sampled_from((0, 50, 400, 2000)),
    by_model=st.booleans(),
)
def test_any_sequence_of_compactions(
    seed: int, parts: list[list[str]], keep: int, by_model: bool
) -> None:
    writer = Writer(Random(seed))
    manager = writer.manager
    recorder = Recorder()
    configured = CompactionSettings(reserve_tokens=2000, keep_recent_tokens=keep)
    for steps in parts:
        for step in steps:
            writer.step(step)
        preparation = prepare_compaction(manager.tree, configured)
        if preparation is None:
            continue
        on_path = {entry.id for entry in manager.get_branch()}
        spans = (*preparation.to_summarize, *preparation.turn_prefix)
        assert {item.entry.id for item in spans} <= on_path
        before = messages_of(manager)
        size_before = sum(map(estimate_tokens, before))
        try:
            outcome = asyncio.run(
                compact(preparation, recorder if by_model else None, retry_delay=0)
            )
        except CompactionError:
            assert messages_of(manager) == before
            continue
        apply_compaction(manager, outcome)
        expect_sound(manager, preparation, before, size_before)
        assert CANARY not in json_text(outcome.details)
        assert CANARY not in (outcome.summary or "")
    assert CANARY not in "".join(recorder.prompts)


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    steps=st.lists(st.sampled_from(STEPS), min_size=4, max_size=30),
    window=st.sampled_from((2000, 8000, 32_000)),
)
def test_above_the_threshold_a_compaction_never_has_nothing_to_do(
    seed: int, steps: list[str], window: int
) -> None:
    writer = Writer(Random(seed))
    for step in steps:
        writer.step(step)
    manager = writer.manager
    configured = CompactionSettings()
    size = sum(map(estimate_tokens, messages_of(manager)))
    preparation = prepare_compaction(manager.tree, configured, context_window=window)
    calls = [message for message in messages_of(manager) if message["role"] != "toolResult"]
    if size > threshold(window, configured) and len(calls) > 1:
        assert preparation is not None


def test_the_canary_is_a_word_that_rules_would_carry() -> None:
    """Guards the test itself: were it not left out, the rule would be found."""
    manager = session(user(f"You must never {CANARY}"), *[assistant("word " * 3000), user("x")] * 2)
    preparation = prepare_compaction(manager.tree, CompactionSettings(keep_recent_tokens=0))
    assert preparation is not None
    assert CANARY in "".join((*preparation.carried.requests, *preparation.carried.rules))
