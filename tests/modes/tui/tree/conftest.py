"""A running UI whose session has branches."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sapwood.modes.tui.tree.browser import TreeBrowser
from sapwood.modes.tui.tree.screen import TreeScreen
from support.tree_session import branched_session
from support.tui import Ui, make_place, running_ui


@dataclass
class TreeUi:
    """The UI with the tree open. ``ids``: the entries by what they are."""

    ui: Ui
    ids: dict[str, str]

    @property
    def screen(self) -> TreeScreen:
        screen = self.ui.app.screen
        assert isinstance(screen, TreeScreen), screen
        return screen

    @property
    def browser(self) -> TreeBrowser:
        return self.screen.browser

    @property
    def at(self) -> str | None:
        """The name of the entry one stands on."""
        row = self.browser.row
        names = {entry_id: name for name, entry_id in self.ids.items()}
        return names.get(row.entry.id, row.entry.id) if row else None

    @property
    def shown(self) -> list[str]:
        names = {entry_id: name for name, entry_id in self.ids.items()}
        return [names.get(row.entry.id, row.entry.type) for row in self.browser.rows]

    @property
    def text(self) -> str:
        return self.ui.screen_text

    @property
    def place(self) -> str | None:
        """Where the conversation stands, seen through the entry that keeps the position."""
        manager = self.ui.session.manager
        leaf = manager.get_leaf_entry()
        entry_id = (
            leaf.parent_id if leaf is not None and leaf.type == "custom" else leaf and leaf.id
        )
        names = {entry_id: name for name, entry_id in self.ids.items()}
        return names.get(entry_id or "")

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.ui.press(key)

    async def open(self) -> None:
        self.ui.chat.action_command("tree")
        await self.ui.until(lambda: isinstance(self.ui.app.screen, TreeScreen), "the tree")

    async def in_tree(self) -> None:
        await self.ui.until(lambda: isinstance(self.ui.app.screen, TreeScreen), "the tree")

    async def in_chat(self) -> None:
        await self.ui.until(lambda: self.ui.app.screen is self.ui.chat, "the chat")

    async def asked(self, words: str) -> None:
        await self.ui.until(lambda: words in self.text, f"the question {words!r}")

    async def stand_on(self, name: str) -> None:
        index = self.browser.rows.index_near(self.ids[name])
        assert index is not None
        self.browser.stand(index)
        self.screen._draw()
        await self.ui.pilot.pause()
        assert self.at == name


@asynccontextmanager
async def tree_ui(
    root: Path,
    *,
    size: tuple[int, int] = (80, 24),
    settings: dict[str, Any] | None = None,
    steps: list[dict[str, Any]] | None = None,
    **script: Any,
) -> AsyncIterator[TreeUi]:
    place = make_place(root, steps if steps is not None else [{"text": "ok"}], **script)
    if settings:
        (place.agent_dir / "settings.json").write_text(json.dumps(settings), "utf-8")
    manager, ids = branched_session(place.project, place.session_dir)
    async with running_ui(place, manager, size=size) as ui:
        tree = TreeUi(ui, ids)
        await tree.open()
        yield tree


@pytest.fixture
def open_tree(tmp_path: Path) -> Any:
    """``async with open_tree(size=…, settings=…) as tree``; each time a fresh session."""
    numbers = count()

    def build(**options: Any) -> Any:
        return tree_ui(tmp_path / f"place{next(numbers)}", **options)

    return build
