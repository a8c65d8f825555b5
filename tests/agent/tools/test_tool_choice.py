from __future__ import annotations

import pytest

from sapwood.agent.tools import BUILTIN_TOOLS, DEFAULT_TOOLS, ToolError, create_tools, select_tools


@pytest.mark.parametrize(
    ("wanted", "excluded", "chosen"),
    [
        (None, None, ["read", "bash", "edit", "write"]),
        ("read,grep", None, ["read", "grep"]),
        ("+grep,-bash", None, ["read", "edit", "write", "grep"]),
        ("*", "write, edit", ["read", "bash", "grep", "find", "ls"]),
        (None, "*", []),
        ("+read", None, ["read", "bash", "edit", "write"]),
    ],
)
def test_the_flags_choose_tools(
    wanted: str | None, excluded: str | None, chosen: list[str]
) -> None:
    assert select_tools(BUILTIN_TOOLS, DEFAULT_TOOLS, wanted, excluded) == chosen


@pytest.mark.parametrize("wanted", ["reed", "+", "read,,x"])
def test_a_name_that_fits_nothing_is_refused(wanted: str) -> None:
    with pytest.raises(ToolError, match="There is no tool"):
        select_tools(BUILTIN_TOOLS, DEFAULT_TOOLS, wanted)


def test_tools_come_in_the_order_asked_for() -> None:
    assert [tool.name for tool in create_tools(["ls", "read"])] == ["ls", "read"]
    with pytest.raises(ToolError):
        create_tools(["nothing"])
