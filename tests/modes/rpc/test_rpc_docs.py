"""docs/rpc.md names every command there is, and none that is not."""

from __future__ import annotations

import re
from pathlib import Path

from sapwood.modes.rpc.commands import COMMANDS

PAGE = Path(__file__).parents[3] / "docs" / "rpc.md"


def test_the_page_lists_exactly_the_commands() -> None:
    commands = PAGE.read_text("utf-8").partition("## Commands")[2].partition("## Questions")[0]
    named = re.findall(r"^\| (`[^|]+`) \|", commands, re.MULTILINE)
    listed = [name for cell in named for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(COMMANDS)
