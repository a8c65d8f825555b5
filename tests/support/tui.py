"""The real UI on the scripted model, for Pilot tests: one folder, one agent dir, one app."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from sapwood.agent.create import SessionOptions, create_agent_session
from sapwood.agent.session import AgentSession
from sapwood.modes.tui.app import SapwoodApp
from sapwood.modes.tui.chat import Chat
from sapwood.modes.tui.launch import Asker, Launch
from sapwood.session.manager import SessionManager

Steps = Sequence[dict[str, Any]]


@dataclass
class Place:
    """Where a test runs. ``script`` holds the model's answers; without one there is no model."""

    root: Path
    script: Path | None = None

    @property
    def agent_dir(self) -> Path:
        return self.root / "agent"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def session_dir(self) -> Path:
        return self.root / "sessions"


def make_place(root: Path, steps: Steps | None = None, **settings: Any) -> Place:
    """Folders and a script; ``settings`` are those of the script file (``chunk``, ``delay`` …)."""
    place = Place(root)
    for folder in (place.agent_dir, place.project, place.session_dir):
        folder.mkdir(parents=True, exist_ok=True)
    if steps is not None:
        place.script = root / "script.json"
        place.script.write_text(json.dumps({"steps": list(steps), **settings}), "utf-8")
    return place


def launch_of(place: Place, manager: SessionManager | None = None, **more: Any) -> Launch:
    """A launch that opens a fresh session, or the one of ``manager``."""

    async def open_record(record: SessionManager) -> AgentSession:
        model = f"scripted/{place.script}" if place.script else None
        return await create_agent_session(
            SessionOptions(
                manager=record, model=model, agent_dir=place.agent_dir, context_files=False
            )
        )

    async def open_session(ask: Asker) -> AgentSession:
        return await open_record(manager or SessionManager.create(place.project, place.session_dir))

    async def open_path(path: Path, ask: Asker) -> AgentSession:
        return await open_record(SessionManager.open(path))

    return Launch(
        open_session=open_session,
        open_path=open_path,
        agent_dir=place.agent_dir,
        cwd=place.project,
        session_dir=place.session_dir,
        **more,
    )


@dataclass
class Ui:
    """A running app with a few words to say what a person does."""

    app: SapwoodApp
    pilot: Pilot[int]

    @property
    def chat(self) -> Chat:
        return self.app.chat

    @property
    def session(self) -> AgentSession:
        assert self.chat.session is not None
        return self.chat.session

    @property
    def notice(self) -> str:
        return self.chat.status.status.notice

    @property
    def screen_text(self) -> str:
        """What is on the screen, line by line, without trailing blanks."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Put a text into the editor as a paste of a short text does."""
        self.chat.editor.insert(text)
        await self.pilot.pause()

    async def send(self, text: str) -> None:
        """Type, press Enter, and wait until the session is idle again."""
        await self.type(text)
        await self.press("enter")
        await self.settled()

    async def settled(self) -> None:
        """Wait until nothing is going on and the screen shows it; it is painted every 50 ms."""
        await self.until(lambda: self.session.is_idle)
        drawn = ""
        while drawn != self.screen_text:
            drawn = self.screen_text
            await self.pilot.pause(0.06)

    async def until(self, condition: Callable[[], bool], what: str = "the condition") -> None:
        """Wait for something that happens by itself; fails after 10 s."""
        for _ in range(500):
            await self.pilot.pause(0.02)
            if condition():
                await self.pilot.pause()
                return
        raise AssertionError(f"{what} did not come true; on screen:\n{self.screen_text}")


@asynccontextmanager
async def running_ui(
    place: Place,
    manager: SessionManager | None = None,
    *,
    size: tuple[int, int] = (100, 30),
    **more: Any,
) -> AsyncIterator[Ui]:
    """The app, with its session open."""
    app = SapwoodApp(launch_of(place, manager, **more))
    async with app.run_test(size=size) as pilot:
        ui = Ui(app, pilot)
        await ui.until(lambda: ui.chat.session is not None, "opening")
        yield ui
        if app.chat.session is not None and app.is_running:
            await app.chat.session.dispose()
