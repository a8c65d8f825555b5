"""How the chat looks, pixel by pixel: two sizes, dark and light. ``--snapshot-update`` redraws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from sapwood.modes.tui.app import SapwoodApp
from support.tui import Place, Ui, launch_of, make_place

Compare = Callable[..., bool]

STEPS: list[dict[str, Any]] = [
    {
        "thinking": "Two files.\nRead one first.",
        "text": "Let me look at it.",
        "tools": [
            {"name": "read", "arguments": {"path": "notes.md"}},
            {"name": "read", "arguments": {"path": "missing.md"}},
            {
                "name": "edit",
                "arguments": {
                    "path": "notes.md",
                    "edits": [{"oldText": "teh", "newText": "the"}],
                },
            },
        ],
        "usage": {"input": 41_200, "output": 120},
    },
    {
        "text": "## Done\n\nI fixed **one word** in `notes.md`:\n\n- `teh` → *the*\n"
        "- 日本語 stays\n\n"
        "```python\nprint('the end')\n```",
        "usage": {"input": 43_800, "output": 310},
    },
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place whose names do not depend on where it is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    place = make_place(tmp_path, STEPS, contextWindow=200_000, reasoning=True)
    (tmp_path / "script.json").rename(tmp_path / "model")
    (place.project / "notes.md").write_text("first line\nteh end\n", "utf-8")
    place.script = Path("model")
    return place


def scene(app: SapwoodApp) -> Callable[[Pilot[int]], Any]:
    """One run with everything in it, and a text being written."""

    async def play(pilot: Pilot[int]) -> None:
        ui = Ui(app, pilot)
        await ui.until(lambda: ui.chat.session is not None)
        await ui.send("Please fix the notes")
        ui.session.set_session_name("Notes")
        await ui.type("and now")
        await ui.press("ctrl+underscore", "ctrl+shift+z")

    return play


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_chat_looks_as_it_did(
    snap_compare: Compare, place: Place, size: tuple[int, int], theme: str
) -> None:
    app = SapwoodApp(launch_of(place, theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=scene(app))
