from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.agent.tools import ToolContext
from sapwood.agent.tools.running import run_tool
from support.tools import TOOLS, call, ok, refused, text_of


def test_every_schema_is_strict() -> None:
    for tool in TOOLS.values():
        assert tool.parameters["additionalProperties"] is False, tool.name
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "read",
            {"file": "a.txt"},
            ["path: missing", "file: unknown; known are path, offset, limit"],
        ),
        ("read", {"path": 3}, ["path: expected string, got 3"]),
        ("read", {"path": "a.txt", "offset": 0}, ["offset: expected at least 1, got 0"]),
        ("read", {"path": "a.txt", "offset": True}, ["offset: expected integer, got true"]),
        ("read", {"path": "a.txt", "limit": "many"}, ['limit: expected integer, got "many"']),
        ("edit", {"path": "a.txt", "edits": [{"oldText": "x"}]}, ["edits[0].newText: missing"]),
        ("edit", {"path": "a.txt", "edits": {}}, ["edits: expected array, got {}"]),
        ("write", {"path": "x"}, ["content: missing"]),
    ],
)
async def test_wrong_arguments_tell_the_model_what_was_wrong(
    tmp_path: Path, name: str, arguments: dict[str, object], told: list[str]
) -> None:
    text = await refused(name, tmp_path, **arguments)
    for part in told:
        assert f"- {part}" in text


async def test_numbers_in_quotes_and_null_for_optional_are_understood(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    assert await ok("read", tmp_path, path="a.txt", offset="3") == "three"
    assert await ok("read", tmp_path, path="a.txt", offset=2.0, limit=None) == "two\nthree"


@pytest.mark.parametrize("offset", ["nan", "1e999", "２", " 3", "3.5", ""])
async def test_texts_that_are_no_whole_number_stay_texts(tmp_path: Path, offset: str) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    assert "offset: expected integer" in await refused(
        "read", tmp_path, path="a.txt", offset=offset
    )


async def test_arguments_that_are_no_object_and_unknown_tools_are_results_too(
    tmp_path: Path,
) -> None:
    context = ToolContext(tmp_path)
    listed = await run_tool(TOOLS, "read", "c", ["a.txt"], context)
    assert listed.is_error
    assert text_of(listed) == 'Arguments of read must be an object, not ["a.txt"].'
    unknown = await run_tool({}, "rm", "c", {}, context)
    assert unknown.is_error
    assert text_of(unknown) == "There is no tool named rm. Tools that can be called: none."


async def test_a_long_wrong_value_is_not_sent_back_whole(tmp_path: Path) -> None:
    result = await call("read", tmp_path, path="a", offset="x" * 100_000)
    assert len(text_of(result)) < 300
