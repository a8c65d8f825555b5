"""How the tree and the picker look: two sizes, dark and light. ``--snapshot-update`` redraws."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from sapwood.agent.create import SessionOptions, create_agent_session
from sapwood.modes.tui.picker import SessionPicker
from sapwood.modes.tui.theme import PALETTES, Palette
from sapwood.modes.tui.tree import TreeScreen
from support.picking import make_session
from support.tree_session import START, branched_session

Compare = Callable[..., bool]
NOW = START / 1000 + 30 * 86_400
SIZES = [(80, 24), (120, 40)]


class Stage(App[None]):
    """Shows one screen with a palette."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, make: Callable[[], Screen[Path]], palette: Palette) -> None:
        super().__init__()
        self.make = make
        for known in PALETTES.values():
            self.register_theme(known.textual())
        self.theme = f"sapwood-{palette.name}"

    def on_mount(self) -> None:
        self.push_screen(self.make())


@pytest.fixture(autouse=True)
def fixed_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same clock and home everywhere."""
    monkeypatch.setattr("time.time", lambda: NOW)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("look", ["dark", "light"])
def test_tree(snap_compare: Compare, tmp_path: Path, size: tuple[int, int], look: str) -> None:
    (tmp_path / "project").mkdir()
    manager, _ = branched_session(tmp_path / "project", tmp_path / "sessions")
    options = SessionOptions(manager=manager, agent_dir=tmp_path / "agent", context_files=False)
    session = asyncio.run(create_agent_session(options))
    palette = PALETTES[look]

    async def act(pilot: Pilot[None]) -> None:
        await pilot.press("up", "W")
        await pilot.pause()

    app = Stage(lambda: TreeScreen(session, cursor=None, palette=palette), palette)
    assert snap_compare(app, terminal_size=size, run_before=act)
    manager.close()


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("look", ["dark", "light"])
def test_picker(snap_compare: Compare, tmp_path: Path, size: tuple[int, int], look: str) -> None:
    project, folder, palette = tmp_path / "project", tmp_path / "sessions", PALETTES[look]
    parent = make_session(project, folder, "Where is the parser?", name="Parser work", day=3)
    make_session(project, folder, "Rewrite it in Rust", day=5, parent=parent)
    make_session(project, folder, "日本語のテキスト 👩‍👩‍👧", day=9)
    make_session(tmp_path / "shop", folder, "Something else", day=12)

    async def act(pilot: Pilot[None]) -> None:
        picker = pilot.app.screen
        assert isinstance(picker, SessionPicker)
        while picker.reading.is_under_way or not picker.shown.rows:
            await pilot.pause(0.02)
        await pilot.press("down")
        await pilot.pause(0.5)

    app = Stage(lambda: SessionPicker(project, folder, current=parent, palette=palette), palette)
    assert snap_compare(app, terminal_size=size, run_before=act)
