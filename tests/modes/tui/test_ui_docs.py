"""The page on the UI names every command and key there is."""

from __future__ import annotations

import re
from pathlib import Path

import sapwood
from sapwood.modes.tui.commands.registry import COMMANDS
from sapwood.modes.tui.keys import ACTIONS, SEARCH
from sapwood.modes.tui.picker.keys import PICKER
from sapwood.modes.tui.tree.keys import TREE

PAGE = Path(sapwood.__file__).parents[2] / "docs" / "ui.md"


def test_page_is_complete() -> None:
    text = PAGE.read_text("utf-8")
    missing = [
        action.id for action in (*ACTIONS, *SEARCH, *TREE, *PICKER) if f"`{action.id}`" not in text
    ]
    missing += [f"/{command.name}" for command in COMMANDS if f"| `/{command.name}" not in text]
    assert missing == []


def test_pictures_of_the_page_exist() -> None:
    names = [part.split(")")[0] for part in PAGE.read_text("utf-8").split("](screens/")[1:]]
    assert names
    assert [name for name in names if not (PAGE.parent / "screens" / name).is_file()] == []


def test_tests_that_the_page_names_exist() -> None:
    tests = Path(__file__).parents[2]
    file, missing = "", []
    for named, name in re.findall(r"`([\w/.…]+)::(\w+)`", PAGE.read_text("utf-8")):
        file = file if named == "…" else named
        if f"def {name}(" not in (tests / file).read_text("utf-8"):
            missing.append(f"{file}::{name}")
    assert file
    assert missing == []
