"""Lines are the same whatever the size of the pages they are read in."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.session.source import FileSource, read_lines, read_pages

DATA = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b"\x0b\x0c\x1c\x85", b"x" * 40])).map(
    b"".join
)


@settings(max_examples=300, deadline=None)
@given(DATA, st.integers(1, 60), st.integers(0, 30))
def test_lines_and_where_they_stand(data: bytes, size: int, before: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines"
        path.write_bytes(b"-" * before + data)
        source = FileSource(path)
        lines = list(read_lines(source, before, 7, size=size))
        expected = data.split(b"\n")
        if expected[-1] == b"":
            expected.pop()
        assert [line.text for line in lines] == expected
        assert [line.number for line in lines] == list(range(7, 7 + len(lines)))
        assert [line.ended for line in lines[:-1]] == [True] * len(lines[:-1])
        assert not lines or lines[-1].ended is data.endswith(b"\n")
        for line in lines:
            assert source.read(line.offset, len(line.text)) == line.text
        for page, held in read_pages(source, before, size=size):
            texts = [text.removesuffix(b"\n") for text in held]
            places = list(range(len(held)))
            assert page.lines(places[::-1]) == texts[::-1]
            assert page.text(places) == b"\n".join(texts)
            assert page.text(places[::2]) == b"\n".join(texts[::2])
            assert page.line(places[-1]) == texts[-1]
