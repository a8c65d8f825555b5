"""Exports of an `AgentSession`: kinds, places, refusals, and during a run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sapwood.errors import SapwoodError
from support.lifecycle import ids

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


async def test_each_kind_is_a_method_and_goes_to_the_folder_of_the_session(
    stage_with: Build,
) -> None:
    stage = stage_with([{"text": "first answer"}, {"text": "second answer"}])
    session = await stage.open()
    await session.prompt("question")
    await session.navigate_tree(ids(session)[-2], exact=True)
    await session.prompt("another question")
    page, text = session.export_to_html(), session.export_to_markdown()
    lines = session.export_to_jsonl()
    assert {path.parent for path in (page, text, lines)} == {session.cwd}
    assert [path.suffix for path in (page, text, lines)] == [".html", ".md", ".jsonl"]
    assert "first answer" in page.read_text()
    assert "first answer" not in text.read_text()
    assert lines.read_bytes().splitlines() == list(session.manager.lines())
    alone = session.export_to_jsonl("alone.jsonl", path_only=True)
    assert "first answer" not in alone.read_text()


async def test_a_path_is_below_the_folder_of_the_session_and_tells_the_kind(
    stage_with: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    session = await stage_with([{"text": "an answer"}]).open()
    await session.prompt("question")
    assert session.export("notes.md") == session.cwd / "notes.md"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert session.export_to_html("~/page.html") == tmp_path / "page.html"
    with pytest.raises(SapwoodError, match="exists already"):
        session.export("notes.md")
    assert session.export("notes.md", force=True) == session.cwd / "notes.md"
    with pytest.raises(SapwoodError, match="kind is clear"):
        session.export("notes.pdf")


async def test_exports_while_the_session_grows_are_whole(stage_with: Build) -> None:
    session = await stage_with([{"text": "an answer"}]).open()
    await session.prompt("question")

    async def export(kind: str) -> Path:
        return await asyncio.to_thread(session.export, f"{kind}.jsonl")

    waiting = [asyncio.create_task(export(str(number))) for number in range(5)]
    for number in range(400):
        session.append_entry("note", {"number": number})
        await asyncio.sleep(0)
    for path in await asyncio.gather(*waiting):
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        known = {record["id"] for record in records}
        assert all(record.get("parentId") in known | {None} for record in records)
