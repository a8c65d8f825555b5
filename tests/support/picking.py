"""The session picker in an app of its own, over real session files."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from sapwood.modes.tui.picker.screen import SessionPicker
from sapwood.modes.tui.theme import DARK, PALETTES
from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin
from support.tree_session import START, answer, user

NOTHING = object()
DAY = 86_400_000


def make_session(
    cwd: Path,
    session_dir: Path,
    first: str,
    reply: str = "Done",
    *,
    name: str = "",
    day: int = 0,
    parent: Path | None = None,
) -> Path:
    """A session file whose last message was ``day`` days after the start."""
    moment = START + day * DAY
    session_id = sha256(f"{first} {name} {day}".encode()).hexdigest()[:32]
    manager = SessionManager.create(
        cwd,
        session_dir,
        origin=Origin(now=lambda: moment, session_id=lambda: session_id),
        parent_session=parent,
    )
    manager.append_message({**user(first), "timestamp": moment})
    manager.append_message({**answer(reply), "timestamp": moment})
    if name:
        manager.append_session_info(name)
    manager.close()
    assert manager.path is not None
    return manager.path


class Host(App[None]):
    """Shows the picker and keeps its result."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, picker: SessionPicker) -> None:
        super().__init__()
        self.picker = picker
        self.result: Any = NOTHING
        for palette in PALETTES.values():
            self.register_theme(palette.textual())
        self.theme = "sapwood-dark"

    def on_mount(self) -> None:
        self.push_screen(self.picker, lambda result: setattr(self, "result", result))

    @property
    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)


class Picking:
    """The running picker, with a few words for what a person does."""

    def __init__(self, host: Host, pilot: Pilot[None]) -> None:
        self.host = host
        self.pilot = pilot
        self.picker = host.picker

    @property
    def text(self) -> str:
        return self.host.text

    @property
    def titles(self) -> list[str]:
        return [row.info.name or row.info.first_message for row in self.picker.shown.rows]

    @property
    def selected(self) -> str:
        row = self.picker._list.row
        assert row is not None
        return row.info.name or row.info.first_message

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def until(self, condition: Callable[[], bool], what: str = "the condition") -> None:
        for _ in range(500):
            await self.pilot.pause(0.02)
            if condition():
                return
        raise AssertionError(f"{what} did not come true; on screen:\n{self.text}")

    async def loaded(self) -> None:
        await self.until(lambda: not self.picker.reading.is_under_way, "loading")
        await self.pilot.pause()


class pick:  # noqa: N801
    """``async with pick(cwd, session_dir, current=…) as picking``: loaded to the end."""

    def __init__(
        self, cwd: Path, session_dir: Path, *, size: tuple[int, int] = (80, 24), **more: Any
    ) -> None:
        options = {"current": None, "palette": DARK} | more
        self.host = Host(SessionPicker(cwd, session_dir, **options))
        self.test = self.host.run_test(size=size)

    async def __aenter__(self) -> Picking:
        picking = Picking(self.host, await self.test.__aenter__())
        await picking.until(lambda: self.host.picker.is_mounted, "the picker")
        await picking.loaded()
        return picking

    async def __aexit__(self, *reason: Any) -> None:
        await self.test.__aexit__(*reason)
