from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.agent.tools.diff import diff_spans
from sapwood.agent.tools.line_endings import PlainText
from sapwood.agent.tools.replace import Span, apply_spans
from support.tools import call, ok, refused, text_of


def edit(old: str, new: str) -> dict[str, str]:
    return {"oldText": old, "newText": new}


async def test_several_edits_are_found_in_the_original_text(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one\ntwo\nthree\nfour\n")
    result = await call(
        "edit", tmp_path, path="a.py", edits=[edit("four", "two"), edit("two\n", "four\nfive\n")]
    )
    assert text_of(result) == "Made 2 edits in a.py."
    assert file.read_text() == "one\nfour\nfive\nthree\ntwo\n"
    assert result.details == {
        "firstChangedLine": 2,
        "patch": "--- a.py\n+++ a.py\n@@ -1,4 +1,5 @@\n"
        " one\n-two\n+four\n+five\n three\n-four\n+two",
        "diff": " 1 one\n-2 two\n+2 four\n+3 five\n 4 three\n-4 four\n+5 two",
    }


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ([edit("nowhere", "x")], "Edit 1: oldText does not occur in a.txt. Read the file again"),
        (
            [edit("a", "x")],
            "Edit 1: oldText occurs 5 times in a.txt, first on line 1, again on line 1.",
        ),
        ([edit("", "x")], "Edit 1: oldText is empty."),
        ([edit("gamma", "gamma")], "Edit 1: oldText and newText are the same."),
        ([edit("alpha\nb", "x"), edit("beta", "y")], "Edits 1 and 2 overlap in a.txt"),
        ([edit("gamma", "x"), edit("nowhere", "y")], "Edit 2: oldText does not occur"),
        ([], "edits is empty"),
        (
            [edit("if x:\n  go(\u201cnow\u201d)", "x")],
            "but lines 4-5 differ from it only in blanks or quotation marks. They read:\n"
            'if x:\n    go("now")\n',
        ),
    ],
)
async def test_an_edit_that_does_not_fit_changes_nothing_and_says_why(
    tmp_path: Path, edits: list[dict[str, str]], told: str
) -> None:
    text = 'alpha\nbeta\ngamma\nif x:\n    go("now")\n'
    (tmp_path / "a.txt").write_text(text)
    assert told in await refused("edit", tmp_path, path="a.txt", edits=edits)
    assert (tmp_path / "a.txt").read_text() == text


async def test_line_endings_mark_and_mode_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("\ufeffone\r\ntwo\r\nlast\n".encode())
    file.chmod(0o604)
    await ok("edit", tmp_path, path="a.txt", edits=[edit("one\ntwo", "1\n2\n3")])
    assert file.read_bytes() == "\ufeff1\r\n2\r\n3\r\nlast\n".encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o604
    assert os.listdir(tmp_path) == ["a.txt"]


async def test_bytes_that_are_not_utf8_survive(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xe9\nname = old\n")
    result = await call("edit", tmp_path, path="a.txt", edits=[edit("old", "new")])
    assert (tmp_path / "a.txt").read_bytes() == b"caf\xe9\nname = new\n"
    assert "caf\ufffd" in result.details["patch"]


async def test_the_two_known_wrong_shapes_are_understood(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c")
    await ok("edit", tmp_path, path="a.txt", oldText="a", newText="A")
    await ok("edit", tmp_path, path="a.txt", edits='[{"oldText": "b", "newText": "B"}]')
    assert (tmp_path / "a.txt").read_text() == "A B c"
    told = await refused("edit", tmp_path, path="a.txt", edits="not json")
    assert "edits: expected array" in told


async def test_the_details_of_a_huge_line_stay_small(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 10_000_000 + "END")
    result = await call("edit", tmp_path, path="a.txt", edits=[edit("END", "FINISH")])
    assert not result.is_error
    assert len(result.details["patch"]) < 3000
    assert (tmp_path / "a.txt").stat().st_size == 10_000_006


async def test_what_cannot_be_edited_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "data").write_bytes(b"a\0b")
    for path, told in {
        "gone": "gone does not exist",
        "pipe": "is a named pipe",
        "data": "is a binary file",
        ".": "is a folder",
    }.items():
        assert told in await refused("edit", tmp_path, path=path, edits=[edit("a", "b")])


_TEXT = st.text("ab\n", min_size=1, max_size=60)


@st.composite
def _changed_texts(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(_TEXT)
    places = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=8, unique=True)))
    pairs = list(zip(places[::2], places[1::2], strict=False))
    return text, [
        Span(a, b, draw(st.text("xy\n", max_size=6)), n) for n, (a, b) in enumerate(pairs)
    ]


@settings(max_examples=200, deadline=None)
@given(_changed_texts())
def test_the_unified_diff_applies(
    tmp_path_factory: pytest.TempPathFactory, changed: tuple[str, list[Span]]
) -> None:
    old, spans = changed
    new = apply_spans(old, spans)
    if old == new or old.endswith("\n") != new.endswith("\n"):
        return  # a diff without its note on missing newlines cannot say that
    diff = diff_spans(old, new, spans, "f")
    folder = tmp_path_factory.mktemp("patch")
    end = "" if old.endswith("\n") else "\n"
    (folder / "f").write_text(old + end)
    (folder / "f.patch").write_text(diff.unified + "\n")
    done = subprocess.run(
        ["patch", "-p0", "-s", "--posix", "-i", "f.patch", "f"], cwd=folder, capture_output=True
    )
    assert done.returncode == 0, done
    result = (folder / "f").read_text() if (folder / "f").exists() else ""
    assert result == new + end


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=40), st.data())
def test_what_no_edit_touches_keeps_its_bytes(parts: list[str], data: st.DataObject) -> None:
    plain = PlainText.of("".join(parts))
    start = data.draw(st.integers(0, len(plain.text)))
    end = data.draw(st.integers(start, len(plain.text)))
    changed = plain.changed([Span(start, end, "NEW", 1)])
    before, after = changed.split("NEW")
    assert plain.original.startswith(before)
    assert plain.original.endswith(after)
    assert before.replace("\r\n", "\n") + after.replace("\r\n", "\n") == (
        plain.text[:start] + plain.text[end:]
    )
