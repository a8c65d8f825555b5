"""Full-text search: any branch, any field that a person reads, any case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sapwood.library.search import Hit, search
from sapwood.modes.main import main
from sapwood.session.info import session_info
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, call, result, user


@pytest.fixture
def path(tmp_path: Path) -> Path:
    manager = SessionManager.create(tmp_path, tmp_path / "sessions")
    root = manager.append_message(user("The Beginning of Everything"))
    manager.append_message(assistant("left alone", call("c", "bash", command="grep needle hay")))
    manager.append_message(result("c", "padding " * 50 + "Zürich \x1b[31m" + " padding" * 50))
    manager.branch(root)
    manager.append_message(assistant('right "quoted" answer'))
    manager.append_compaction("a tidy summary", root, 10)
    manager.close()
    assert manager.path is not None
    return manager.path


def found(path: Path, *words: str) -> list[Hit]:
    info = session_info(path)
    assert info is not None
    return list(search([info], words))


@pytest.mark.parametrize(
    ("words", "speaker"),
    [
        (("beginning",), "user"),
        (("EVERY", "begin"), "user"),
        (("needle",), "assistant"),
        (("zürich",), "toolResult"),
        (('"quoted"',), "assistant"),
        (("tidy",), "compaction"),
    ],
)
def test_an_entry_is_found_by_its_words(path: Path, words: tuple[str, ...], speaker: str) -> None:
    assert [hit.speaker for hit in found(path, *words)] == [speaker]


def test_words_must_stand_in_one_entry_and_keys_do_not_count(path: Path) -> None:
    assert found(path, "beginning", "needle") == []
    assert found(path, "toolCallId") == []
    assert found(path, " ") == []


def test_a_snippet_is_one_harmless_line(path: Path) -> None:
    [hit] = found(path, "zürich")
    assert "Zürich" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert "\x1b" not in hit.snippet
    assert len(hit.snippet) < 150


def test_the_command_prints_hits_for_people_and_programs(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = ["--session-dir", str(path.parent)]
    assert main(["session", "search", *where, "needle"]) == 0
    assert "assistant: " in capsys.readouterr().out
    assert main(["session", "search", *where, "--json", "needle"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["path"] == str(path)
    assert main(["session", "search", *where, "nowhere"]) == 0
    assert "nothing holds" in capsys.readouterr().err
