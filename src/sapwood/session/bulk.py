"""Many entries at once, in the order given: those in a row that stand in one page of the file are
read, decoded and copied together.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from operator import attrgetter

import orjson

from sapwood.session.entry import Entry, decode_entry, is_object_of
from sapwood.session.garbage import collection_paused
from sapwood.session.schema import JsonObject
from sapwood.session.source import LineSource, Page

_PAGE_LINES = 512


def decoded(entries: Iterable[Entry]) -> Iterator[tuple[Entry, JsonObject]]:
    """Each entry with its JSON object, in the order given; those of a page are decoded in one go.

    The objects stay, so a consumer of many wants `collection_paused`.
    """
    for page, group in _by_page(entries):
        if page is None:
            yield from ((entry, entry.data) for entry in group)
        else:
            if pending := [entry for entry in group if entry._data is None]:
                _decode_together(page, pending)
            yield from zip(group, map(_data_of, group), strict=True)


def decode_all(entries: Iterable[Entry]) -> None:
    """Decode the bodies of ``entries``."""
    with collection_paused():
        for _ in decoded(entries):
            pass


def lines_of(entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
    """Each entry with its line, in the order given; those of a page are read in one go.

    Nothing is decoded or kept.
    """
    for page, group in _by_page(entries):
        if page is None:
            yield from ((entry, entry.raw) for entry in group)
        else:
            yield from zip(group, page.lines(_places(group)), strict=True)


def raw_lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The line of each entry, in the order given."""
    return (line for _, line in lines_of(entries))


def runs_of(entries: Iterable[Entry]) -> Iterator[tuple[bytes, list[int]]]:
    """The lines of ``entries`` in large pieces: several with line ends between, and their sizes."""
    for page, group in _by_page(entries):
        if page is None:
            lines = [entry.raw for entry in group]
            yield b"\n".join(lines), list(map(len, lines))
        else:
            places, starts = _places(group), page.starts
            yield page.text(places), [starts[place + 1] - starts[place] - 1 for place in places]


def standing_at(
    entries: Sequence[Entry], source: LineSource, offset: int, number: int, sizes: Sequence[int]
) -> list[Entry]:
    """The same entries where their lines, of these sizes, follow each other in another file."""
    copies: list[Entry] = []
    for first in range(0, len(entries), _PAGE_LINES):
        part = slice(first, first + _PAGE_LINES)
        starts = array("q", accumulate((size + 1 for size in sizes[part]), initial=offset))
        page = Page(source, number + first, starts)
        copies += [
            Entry(entry.id, entry.parent_id, entry.type, entry.timestamp, place, page)
            for place, entry in enumerate(entries[part])
        ]
        offset = starts[-1]
    return copies


def _by_page(entries: Iterable[Entry]) -> Iterator[tuple[Page | None, list[Entry]]]:
    """Entries in a row whose lines stand in one page; None for lines that are in no file."""
    return ((page, list(group)) for page, group in groupby(entries, _page_of))


_page_of = attrgetter("_page")
_place_of = attrgetter("_place")
_data_of = attrgetter("_data")


def _places(entries: Iterable[Entry]) -> list[int]:
    return list(map(_place_of, entries))


def _decode_together(page: Page, entries: list[Entry]) -> None:
    """Entries of a page: as one array if orjson takes them all."""
    text = page.text(_places(entries))
    try:  # no JSON holds a line end in a string, and each line was one value when it was scanned
        values = orjson.loads(b"[" + text.replace(b"\n", b",") + b"]")
    except ValueError:
        values = []
    if len(values) != len(entries) or not all(map(is_object_of, entries, values)):
        values = list(map(decode_entry, entries, text.split(b"\n")))
    for entry, value in zip(entries, values, strict=True):
        entry._data = value
