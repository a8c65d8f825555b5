"""The search as a pure function: what matches, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.modes.tui.picker.matching import is_scattered, match, snippet
from sapwood.modes.tui.picker.mentions import Mentions
from sapwood.session.info import SessionInfo, session_info
from sapwood.session.manager import SessionManager
from support.message_makers import user
from support.picking import make_session

INFO = SessionInfo(
    path=Path("/s/2025_10241024.jsonl"),
    id="10241024-aaaa",
    cwd="/home/dev/shop",
    name="Parser work",
    parent_session=None,
    created=0,
    modified=0,
    message_count=2,
    first_message="Where is the bug",
)


@pytest.mark.parametrize(
    "query", ["parser", "work parser", "bug", "prsr", "margin", "parser margin"]
)
def test_matches(query: str) -> None:
    assert match(query.split(), INFO, "the margin is wide") is not None


@pytest.mark.parametrize("query", ["1024", "aaaa", "shop", "mrgn", "parser zebra", "pk"])
def test_does_not_match(query: str) -> None:
    assert match(query.split(), INFO, "the margin is wide") is None


def test_a_word_that_goes_on_from_an_absent_one_is_not_looked_for(tmp_path: Path) -> None:
    path = make_session(tmp_path, tmp_path / "sessions", "Hello", "The margin is wide")
    info = session_info(path)
    assert info is not None
    mentions = Mentions()
    mentions.look(info, ["margin", "zeb"])
    assert mentions.of(info) == {"margin": "The margin is wide"}
    path.unlink()
    mentions.look(info, ["margin", "zebra"])
    assert mentions.of(info) == {"margin": "The margin is wide"}, "and what is known stays known"
    mentions.look(info, [])
    assert mentions.of(info) == {}


def test_a_session_that_went_on_is_looked_at_again(tmp_path: Path) -> None:
    path = make_session(tmp_path, tmp_path / "sessions", "Hello")
    mentions = Mentions()
    for expected in (set(), {"zebra"}):
        info = session_info(path)
        assert info is not None
        mentions.look(info, ["zebra"])
        assert set(mentions.of(info)) == expected
        with SessionManager.open(path) as manager:
            manager.append_message(user("a zebra"))


def test_folders_count_where_they_are_shown() -> None:
    assert match(["shop"], INFO, "", INFO.cwd) is not None


def test_names_come_before_messages_before_text() -> None:
    scores = [
        match([word], INFO, "the margin is wide") for word in ("parser", "arser", "bug", "margin")
    ]
    values = [score.score for score in scores if score is not None]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 4


def test_scattered_letters_stay_close() -> None:
    assert is_scattered("prs", "parser")
    assert not is_scattered("pwk", "parser with a lot of k")
    assert not is_scattered("pa", "parser")


def test_snippet_shows_the_surroundings() -> None:
    text = "a " * 50 + "the Needle is here " + "b " * 50
    found = snippet(text, "needle")
    assert "Needle" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert len(found) <= 62
    assert snippet("nothing", "needle") == ""
