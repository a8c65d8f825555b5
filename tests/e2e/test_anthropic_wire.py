"""`sapwood -p` against the Anthropic wire format: signed thinking over several runs, cache figures,
and a way on after an overload, a cut stream and an overflow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sapwood import SessionManager
from support.command import sapwood
from support.fake_anthropic import anthropic_reply
from support.fake_llm import SUMMARY
from support.sse_server import Reply, Request, SseServer, serving

MODEL = "claude-sonnet-4-5"


class Conversation:
    """A project whose model is behind a scripted server; steps are answered in turn."""

    def __init__(self, folder: Path) -> None:
        self.project, self.agent_dir = folder / "project", folder / "agent"
        self.project.mkdir()
        self.agent_dir.mkdir()
        self.steps: list[dict[str, Any]] = []
        self.server: SseServer

    def answer(self, request: Request) -> Reply:
        if not request.body.get("tools"):
            return anthropic_reply({"text": SUMMARY})
        return anthropic_reply(self.steps.pop(0))

    def configure(self, url: str) -> None:
        override = {"contextWindow": 20000, "maxTokens": 4000}
        provider = {"baseUrl": url, "apiKey": "k", "modelOverrides": {MODEL: override}}
        settings = {
            "retry": {"baseDelayMs": 1},
            "compaction": {"reserveTokens": 2000, "keepRecentTokens": 100},
        }
        self._write("models.json", {"providers": {"anthropic": provider}})
        self._write("settings.json", settings)

    def _write(self, name: str, content: Any) -> None:
        (self.agent_dir / name).write_text(json.dumps(content))

    def run(self, prompt: str, *steps: dict[str, Any], flags: tuple[str, ...] = ()) -> str:
        """What one run prints."""
        self.steps += steps
        model = f"anthropic/{MODEL}:low"
        arguments = ["-p", "--model", model, *flags, prompt]
        done = sapwood(arguments, cwd=self.project, agent_dir=self.agent_dir)
        assert (done.returncode, done.stderr) == (0, b"")
        assert not self.steps, "every step was asked for"
        return done.stdout.decode().strip()

    def entries(self) -> list[dict[str, Any]]:
        (path,) = self.agent_dir.rglob("*.jsonl")
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def chats(self) -> list[dict[str, Any]]:
        return [r.body for r in self.server.requests if r.body.get("tools")]


@pytest.fixture
def conversation(tmp_path: Path) -> Iterator[Conversation]:
    conversation = Conversation(tmp_path)
    with serving(conversation.answer) as server:
        conversation.server = server
        conversation.configure(server.url)
        yield conversation


def assistant_blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [b for m in body["messages"] if m["role"] == "assistant" for b in m["content"]]


def test_signed_thinking_is_replayed_within_a_run_and_after_a_resume(
    conversation: Conversation,
) -> None:
    (conversation.project / "a.txt").write_text("the secret is 42")
    look = {
        "thinking": "I must read it.",
        "signature": "sig-1",
        "tools": [{"name": "read", "arguments": {"path": "a.txt"}, "id": "toolu_1"}],
        "usage": {"input": 100, "output": 20, "cache_read": 900, "cache_write": 50},
    }
    said = conversation.run("What is the secret?", look, {"redacted": "blob", "text": "42."})
    conversation.run("Sure?", {"text": "Yes."}, flags=("-c",))

    assert said == "42."
    first, second, third = conversation.chats()
    signed = {"type": "thinking", "thinking": "I must read it.", "signature": "sig-1"}
    assert assistant_blocks(first) == []
    assert assistant_blocks(second)[0] == signed
    assert assistant_blocks(third)[0] == signed
    assert {"type": "redacted_thinking", "data": "blob"} in assistant_blocks(third)
    result = second["messages"][-1]["content"][0]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "toolu_1")
    assert "the secret is 42" in json.dumps(result)
    stored = [e["message"] for e in conversation.entries() if e["type"] == "message"]
    usage = next(m["usage"] for m in stored if m["role"] == "assistant")
    assert (usage["input"], usage["cacheRead"], usage["cacheWrite"]) == (100, 900, 50)
    assert usage["cost"]["total"] > 0


def test_thinking_goes_unsigned_once_earlier_content_has_changed(
    conversation: Conversation,
) -> None:
    """B49: a signature covers what came before it."""
    conversation.run("My name is Ada.", {"text": "Hello."})
    thinks = {"thinking": "She asks.", "signature": "sig-2", "text": "Yes."}
    conversation.run("Really?", thinks, flags=("-c",))
    (path,) = conversation.agent_dir.rglob("*.jsonl")
    with SessionManager.open(path) as manager:
        users = [e for e in manager.get_branch() if (e.message or {}).get("role") == "user"]
        manager.append_context_edit(users[0].id, {"content": "My name is Eve."})
    conversation.run("Sure?", {"text": "Yes."}, flags=("-c",))

    asked = conversation.chats()[-1]
    assert "Eve" in json.dumps(asked["messages"])
    assert [b["type"] for b in assistant_blocks(asked)] == ["text", "text"]
    assert "sig-2" not in json.dumps(asked)


@pytest.mark.parametrize(
    "trouble",
    [
        {"error": "overloaded"},
        {"text": "half an ans", "cut": True},
        {"text": "h", "stream_error": 1},
    ],
    ids=["529", "cut stream", "error in a good stream"],
)
def test_passing_trouble_is_sent_again_and_left_out(
    conversation: Conversation, trouble: dict[str, Any]
) -> None:
    assert conversation.run("hi", trouble, {"text": "whole"}) == "whole"

    assert conversation.chats()[0]["messages"] == conversation.chats()[1]["messages"]
    assert [e for e in conversation.entries() if e["type"] == "context_edit"]


def test_an_overflow_is_compacted_and_asked_again(conversation: Conversation) -> None:
    conversation.run("first " * 300, {"text": "one " * 300})
    said = conversation.run("second", {"error": "overflow"}, {"text": "two"}, flags=("-c",))

    assert said == "two"
    (compaction,) = [e for e in conversation.entries() if e["type"] == "compaction"]
    assert compaction["summary"].startswith("## Goal")
    assert "scripted task" in json.dumps(conversation.chats()[-1]["messages"])


def test_an_output_limit_is_lowered_without_a_compaction(conversation: Conversation) -> None:
    said = conversation.run("hi", {"error": "output_limit"}, {"text": "ok"})

    assert said == "ok"
    limits = [body["max_tokens"] for body in conversation.chats()]
    assert limits[1] < limits[0]
    assert not [e for e in conversation.entries() if e["type"] == "compaction"]
