"""A stage for agent tests: a scripted HTTP server, an agent dir that knows it, and a session.

Everything is real: the server speaks the OpenAI wire format on 127.0.0.1, the session is a file,
the tools touch a temporary project. Every request the server saw is checked by `finish`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sapwood import AgentSession, SessionManager, SessionOptions, create_agent_session
from support.fake_llm import serve
from support.request_checker import check_request

PROVIDER = "fake"


def words(prefix: str, tokens: int) -> str:
    """A text of exactly `tokens` estimated tokens (4 characters each) that starts with `prefix`."""
    text = prefix
    number = 0
    while len(text) < tokens * 4:
        text += f" word{number}"
        number += 1
    return text[: tokens * 4]


class Stage:
    """One project, one server, any number of sessions in turn; `events` are those of all."""

    def __init__(
        self,
        folder: Path,
        steps: Sequence[dict[str, Any]] = (),
        summaries: Sequence[dict[str, Any]] = (),
        *,
        window: int | None = 8000,
        max_tokens: int = 1000,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.project = folder / "project"
        self.agent_dir = folder / "agent"
        self.session_dir = folder / "sessions"
        self.project.mkdir(exist_ok=True)
        self.agent_dir.mkdir(exist_ok=True)
        self.server, self.state = serve(0, {"steps": list(steps), "summaries": list(summaries)})
        self.window = window
        self.max_tokens = max_tokens
        self.events: list[dict[str, Any]] = []
        self.recording = True
        self._write("models.json", self._models())
        self._write("settings.json", settings or {})
        self.sessions: list[AgentSession] = []

    def _models(self) -> dict[str, Any]:
        def model(name: str, **more: Any) -> dict[str, Any]:
            facts: dict[str, Any] = {
                "id": name,
                "input": ["text", "image"],
                "maxTokens": self.max_tokens,
            }
            if self.window is not None:
                facts["contextWindow"] = self.window
            return facts | more

        port = self.server.server_address[1]
        return {
            "providers": {
                PROVIDER: {
                    "baseUrl": f"http://127.0.0.1:{port}/v1",
                    "api": "openai-completions",
                    "apiKey": "key",
                    "models": [
                        model("fake-1"),
                        model("fake-thinker", reasoning=True, contextWindow=100_000),
                        model("fake-small", contextWindow=4000),
                        model("fake-large", contextWindow=100_000),
                    ],
                }
            }
        }

    def _write(self, name: str, content: Any) -> None:
        (self.agent_dir / name).write_text(json.dumps(content), encoding="utf-8")

    async def open(self, manager: SessionManager | None = None, **options: Any) -> AgentSession:
        """A session on the stage; a new one unless a manager is given."""
        manager = manager or SessionManager.create(self.project, self.session_dir)
        options = {"model": f"{PROVIDER}/fake-1"} | options
        if options["model"] is None:
            del options["model"]
        session = await create_agent_session(
            SessionOptions(manager=manager, agent_dir=self.agent_dir, **options)
        )
        if self.recording:
            session.subscribe(self.events.append)
        self.sessions.append(session)
        return session

    def push(self, *steps: dict[str, Any]) -> None:
        """More answers, after those there are."""
        self.state.steps += steps

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What the server was asked: ``kind`` (chat, summary), ``step`` (the answer), ``body``."""
        return list(self.state.requests)

    def bodies(self, kind: str = "chat") -> list[dict[str, Any]]:
        return [request["body"] for request in self.requests if request["kind"] == kind]

    def kinds(self) -> list[str]:
        return [request["kind"] for request in self.requests]

    def event_types(self, *kinds: str) -> list[str]:
        """The types of the events seen, of these kinds only if any are given."""
        return [e["type"] for e in self.events if not kinds or e["type"] in kinds]

    def last_event(self, kind: str) -> dict[str, Any]:
        return [event for event in self.events if event["type"] == kind][-1]

    async def until(self, met: Callable[[], bool], seconds: float = 20) -> None:
        """Wait until something has happened."""
        async with asyncio.timeout(seconds):
            while not met():
                await asyncio.sleep(0.01)

    async def finish(self) -> None:
        """Close all sessions and check every request that was made."""
        for session in self.sessions:
            await session.dispose()
        self.server.shutdown()
        self.server.server_close()
        for request in self.requests:
            check_request(request["body"])


def entries_of(path: Path) -> list[dict[str, Any]]:
    """All lines of a session file, each parsed on its own."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def request_texts(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of each message of a request, the system prompt left out."""
    found = []
    for message in body["messages"]:
        if message["role"] in ("system", "developer"):
            continue
        content = message.get("content") or ""
        if not isinstance(content, str):
            content = " ".join(block.get("text", "") for block in content)
        found.append((message["role"], content))
    return found
