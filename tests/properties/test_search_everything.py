"""A search finds what reading every entry would find, whoever wrote the file and however."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sapwood.library import sieve
from sapwood.library.search import first_mention, search
from sapwood.session.codec import encode_line
from sapwood.session.info import session_info

LETTERS = "aAbkKs ,-_.1\"'/\\<>&\n\t\x1b" + "äÄößẞåÅΩωςΣσжЖİıſ木\u0307\u200d😀"
texts = st.text(LETTERS, max_size=12)


def as_python(value: Any) -> bytes:
    return json.dumps(value).encode()


def as_go(value: Any) -> bytes:
    line = json.dumps(value, ensure_ascii=False)
    for letter in "<>&":
        line = line.replace(letter, f"\\u{ord(letter):04x}")
    return line.encode()


def as_php(value: Any) -> bytes:
    return json.dumps(value).replace("/", "\\/").encode()


def as_shouting(value: Any) -> bytes:
    """Escapes in capitals, as some write them."""
    return re.sub(r"\\u(....)", lambda each: f"\\u{each[1].upper()}", json.dumps(value)).encode()


def write(path: Path, said: list[str], encode: Callable[[Any], bytes]) -> None:
    lines: list[Any] = [{"type": "session", "version": 3, "id": "s", "timestamp": "", "cwd": "/w"}]
    for number, text in enumerate(said):
        call = {"type": "toolCall", "name": "", "arguments": {"x": [1, {"aA": text}]}}
        content = [call] if number % 3 else text
        message = {"role": "user", "content": content}
        lines.append({"type": "message", "id": f"e{number}", "parentId": None, "message": message})
    path.write_bytes(b"".join(encode(line) + b"\n" for line in lines))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("searched")


@pytest.mark.parametrize("block", [64, sieve.BLOCK])
@pytest.mark.parametrize("encode", [encode_line, as_python, as_go, as_php, as_shouting])
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(said=st.lists(texts, max_size=6), word=texts, data=st.data())
def test_search_is_what_reading_all_would_find(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    encode: Callable[[Any], bytes],
    block: int,
    said: list[str],
    word: str,
    data: st.DataObject,
) -> None:
    monkeypatch.setattr(sieve, "BLOCK", block)
    whole = "".join(said)
    if whole and data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(whole) - 1))
        word = whole[start : start + data.draw(st.integers(1, 4))]
    path = folder / "session.jsonl"
    write(path, said, encode)
    info = session_info(path)
    assert info is not None
    found = [hit.entry_id for hit in search([info], [word])]
    wanted = [
        f"e{number}"
        for number, text in enumerate(said)
        if word.strip() and sieve.lower(word) in sieve.lower(text)
    ]
    assert found == wanted
    assert (first_mention(path, word) is not None) == bool(wanted)
