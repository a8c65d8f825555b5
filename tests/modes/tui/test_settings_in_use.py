"""What settings and flags do to the screen at the start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.tui import make_place, running_ui

THINKS = [{"thinking": "deep in thought", "text": "the answer"}]


@pytest.mark.parametrize(
    ("quiet", "verbose", "shows_header", "shows_facts"),
    [
        (False, False, True, False),
        ("header", False, True, False),
        (True, False, False, False),
        (True, True, True, True),
    ],
)
async def test_how_much_is_said_at_the_start(
    tmp_path: Path, quiet: Any, verbose: bool, shows_header: bool, shows_facts: bool
) -> None:
    place = make_place(tmp_path, THINKS)
    (place.agent_dir / "settings.json").write_text(json.dumps({"quietStartup": quiet}), "utf-8")
    async with running_ui(place, verbose=verbose) as ui:
        await ui.settled()
        assert ("Enter send" in ui.screen_text) == shows_header
        assert ("tools: read, bash, edit, write" in ui.screen_text) == shows_facts


@pytest.mark.parametrize(("hide", "shown"), [(None, False), (True, False), (False, True)])
async def test_thinking_is_folded_unless_told_otherwise(
    tmp_path: Path, hide: bool | None, shown: bool
) -> None:
    place = make_place(tmp_path, THINKS)
    settings = {} if hide is None else {"hideThinkingBlock": hide}
    (place.agent_dir / "settings.json").write_text(json.dumps(settings), "utf-8")
    async with running_ui(place) as ui:
        await ui.send("hello")
        assert "the answer" in ui.screen_text
        assert ("deep in thought" in ui.screen_text) == shown
