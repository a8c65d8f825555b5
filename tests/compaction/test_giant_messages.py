"""One message that is larger than any window: shortened where it is kept, folded where it goes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.compaction.compact import apply_compaction, compact
from sapwood.compaction.prepare import prepare_compaction, prepare_to_fit
from sapwood.compaction.settings import CompactionSettings, threshold
from sapwood.context.estimate import estimate_projection
from sapwood.context.projection import project
from sapwood.modes.cli.compact_session import compact_session
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, call, result, session, turns, user

WINDOW = 32_000
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
SETTINGS = CompactionSettings()


def fitted(manager: SessionManager) -> int:
    """Compact to the window as often as there is something to do; the tokens afterwards."""
    preparation = prepare_to_fit(manager.tree, SETTINGS, WINDOW)
    assert preparation is not None
    apply_compaction(manager, asyncio.run(compact(preparation, None)))
    return estimate_projection(project(manager.tree)).tokens


def read_big(content: Any) -> list[dict[str, Any]]:
    big = result("big", "", name="read") | {"content": content}
    return [user("Read the big file, please."), assistant("", call("big", "read", path="b")), big]


def test_a_giant_tool_result_at_the_end_is_shortened_and_keeps_its_images() -> None:
    text = {"type": "text", "text": "line of the big file\n" * 60_000}
    manager = session(*read_big([text, IMAGE]))
    assert fitted(manager) <= threshold(WINDOW, SETTINGS)
    blocks = project(manager.tree).messages[-1]["content"]
    assert [block["type"] for block in blocks] == ["text", "image"]
    assert "characters left out to fit the context" in blocks[0]["text"]
    assert manager.get_entries()[2].message["content"][0] == text


def test_a_giant_message_of_the_users_at_the_end_is_shortened() -> None:
    manager = session(*turns(2), user("Why? " + "pasted log line\n" * 60_000 + "Answer shortly."))
    assert fitted(manager) <= threshold(WINDOW, SETTINGS)
    text = project(manager.tree).messages[-1]["content"][0]["text"]
    assert text.startswith("Why? pasted log line")
    assert text.endswith("Answer shortly.")


def test_a_giant_message_of_the_users_before_an_answer_is_summarized() -> None:
    manager = session(user("Why? " + "pasted log line\n" * 60_000), assistant("Because. " * 20))
    assert fitted(manager) <= threshold(WINDOW, SETTINGS)
    kinds = [message["role"] for message in project(manager.tree).messages]
    assert kinds == ["compactionSummary", "assistant"]


def test_what_fits_is_left_alone() -> None:
    manager = session(*turns(6, size=4000))
    assert prepare_compaction(manager.tree, SETTINGS) is None
    assert prepare_to_fit(manager.tree, SETTINGS, WINDOW) is None


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_command_shortens_it_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    with SessionManager.create(tmp_path, tmp_path) as manager:
        for message in read_big([{"type": "text", "text": "line of the big file\n" * 60_000}]):
            manager.append_message(message)
        path = manager.path
    assert path is not None
    before, lines = path.read_bytes(), list[str]()
    compact_session(
        path, None, model=None, keep=None, dry_run=dry_run, as_json=False, echo=lines.append
    )
    assert "Shortened    1 large message" in "\n".join(lines)
    added = path.read_bytes()[len(before) :].splitlines()
    assert path.read_bytes().startswith(before)
    assert [json.loads(line)["type"] for line in added] == ([] if dry_run else ["context_edit"])
