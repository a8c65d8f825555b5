"""Draw the screens of docs/screens: the real UI on the scripted model, saved as SVG.

Run from the repository: ``python scripts/screens.py [name …]``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "screens"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

import story  # noqa: E402

from support.tui import Place, Ui, make_place, running_ui  # noqa: E402

PARSER = '''def parse(line: str) -> list[str]:
    """Split a line into fields."""
    return line.split(";")
'''
TEST = """from parser import parse


def test_parse():
    assert parse("a;b") == ["a", "b"]
"""
BROKEN = PARSER.replace('";")', '";")[:-1]')

ANSWER = """The last field was lost because of the trailing `[:-1]`. I changed it:

1. `parse` splits at every separator and **keeps** the last field.
2. A test covers a line without a final separator.

| input | before | now |
|---|---|---|
| `a;b` | `a` | `a`, `b` |
| `a;` | `a` | `a`, *(empty)* |
"""

STEPS = [
    {
        "thinking": "The parser drops the last field.\nLook at the code first.",
        "text": "Let me look at the parser.",
        "tools": [{"name": "read", "arguments": {"path": "parser.py"}}],
        "usage": {"input": 41_200, "output": 120},
    },
    {
        "tools": [
            {
                "name": "edit",
                "arguments": {
                    "path": "parser.py",
                    "edits": [{"oldText": '";")[:-1]', "newText": '";")'}],
                },
            },
            {"name": "bash", "arguments": {"command": "python -m pytest -q"}},
        ],
        "usage": {"input": 42_000, "output": 200},
    },
    {"text": ANSWER, "usage": {"input": 43_800, "output": 310}},
]


def place_in(root: Path) -> Place:
    """A small project with a bug, and a model that mends it."""
    place = make_place(root, STEPS, contextWindow=200_000, reasoning=True)
    (root / "script.json").rename(root / "demo-model")
    (place.project / "parser.py").write_text(BROKEN, "utf-8")
    test = (
        "from parser import parse\n\n\ndef test_parse():\n    assert parse('a;b') == ['a', 'b']\n"
    )
    (place.project / "test_parser.py").write_text(test, "utf-8")
    return place


async def chat(ui: Ui) -> None:
    """A prompt, tools with a diff, an answer."""
    await ui.send("The last field of every line is lost. Find out why, please.")


async def unfolded(ui: Ui) -> None:
    """The same with thinking and output unfolded."""
    await chat(ui)
    await ui.press("ctrl+o", "ctrl+t", "ctrl+home")


async def menu(ui: Ui) -> None:
    """The commands."""
    await ui.press("/")


async def busy(ui: Ui) -> None:
    """Working, with queued messages."""
    script = {"steps": [{"text": "x", "delay": 20}], "contextWindow": 200_000}
    assert ui.session.model is not None
    Path("demo-model").write_text(json.dumps(script), "utf-8")
    await ui.type("Tidy up the imports")
    await ui.press("enter")
    await ui.until(lambda: not ui.session.is_idle)
    await ui.type("keep the type-only ones")
    await ui.press("enter")
    await ui.type("then run the linter")
    await ui.press("alt+enter")
    await ui.type("and one more thing")


async def session(ui: Ui) -> None:
    """What the session is and has used."""
    await chat(ui)
    ui.session.set_session_name("Lost last field")
    await ui.type("/session")
    await ui.press("enter")
    await ui.until(lambda: ui.app.screen is not ui.chat)


async def settings(ui: Ui) -> None:
    """The settings."""
    await ui.type("/settings")
    await ui.press("enter")
    await ui.until(lambda: ui.app.screen is not ui.chat)


async def compacted(ui: Ui) -> None:
    """A session opened again: a compaction, and what came after it."""


async def tree(ui: Ui) -> None:
    """The tree of a session with two branches."""
    ui.chat.run_command("tree", "", "/tree")
    await ui.until(lambda: ui.app.screen is not ui.chat)


async def tree_question(ui: Ui) -> None:
    """Leaving a branch asks what to keep of it."""
    await tree(ui)
    await ui.press("home", "down", "down", "down", "enter")


async def picker(ui: Ui) -> None:
    """Other sessions of this folder."""
    ui.chat.run_command("resume", "", "/resume")
    await ui.until(lambda: "Release" in ui.screen_text)


async def search(ui: Ui) -> None:
    """A search, standing at a hit in output that is folded otherwise."""
    await chat(ui)
    await ui.press("f3", *"parse", "enter", "enter", "enter", "enter")


async def start(ui: Ui) -> None:
    """The first start, without a model."""


STORIES = {tree, tree_question, picker, compacted}
"""Scenes in the session of scripts/story.py; the others begin with an empty one."""

Scene = Callable[[Ui], Awaitable[None]]
SCENES: dict[str, tuple[Scene, str]] = {
    "start": (start, "dark"),
    "chat": (chat, "dark"),
    "chat-light": (chat, "light"),
    "unfolded": (unfolded, "dark"),
    "menu": (menu, "dark"),
    "busy": (busy, "dark"),
    "tree": (tree, "dark"),
    "tree-light": (tree, "light"),
    "tree-question": (tree_question, "dark"),
    "compacted": (compacted, "dark"),
    "picker": (picker, "dark"),
    "session": (session, "light"),
    "settings": (settings, "dark"),
    "search": (search, "dark"),
}


async def draw(name: str) -> None:
    """One screen."""
    scene, theme = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        place = place_in(Path(folder))
        os.environ["HOME"] = folder
        os.chdir(folder)
        place.script = None if name == "start" else Path("demo-model")
        manager = None
        if scene in STORIES:
            story.others(place.project, place.session_dir)
            manager = story.totals(place.project, place.session_dir)
        async with running_ui(place, manager, size=(100, 32), theme=theme) as ui:
            await scene(ui)
            await ui.pilot.pause(0.2)
            svg = ui.app.export_screenshot(title="sapwood")
        (TARGET / f"{name}.svg").write_text(svg, "utf-8")


async def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or SCENES:
        await draw(name)
        print(TARGET / f"{name}.svg")


if __name__ == "__main__":
    asyncio.run(main())
