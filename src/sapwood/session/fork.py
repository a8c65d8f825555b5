"""Copies of a session or of one path of it. Pure but for ``write_session``.

Lines are copied byte for byte wherever nothing in them changes. A path is copied without its label
entries (they may name entries elsewhere): the chain closes over them, a kept boundary that was a
label moves to the next entry, and the labels in force on the path are set again at the end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sapwood.errors import SessionError, SessionWriteError
from sapwood.files import make_private_folder, replace_atomic
from sapwood.session.bulk import raw_lines, runs_of, standing_at
from sapwood.session.codec import encode_line
from sapwood.session.entry import Entry
from sapwood.session.load import Loaded
from sapwood.session.origin import Origin
from sapwood.session.schema import SESSION_VERSION, JsonObject, SessionHeader
from sapwood.session.source import FileSource, read_lines
from sapwood.session.tree import CURRENT, Leaf, SessionTree


def branch_entries(tree: SessionTree, leaf: Leaf, origin: Origin) -> list[Entry]:
    """The entries of a new session that holds one path: chained anew, labels at the end."""
    entries = chained(_without_labels(tree.path(leaf)))
    if not tree.labels:
        return entries
    kept = {entry.id for entry in entries}
    taken = set(kept)
    for target, label in tree.labels.items():
        if target not in kept:
            continue
        entry_id = origin.fresh_entry_id(taken)
        taken.add(entry_id)
        data: JsonObject = {
            "type": "label",
            "id": entry_id,
            "parentId": entries[-1].id,
            "timestamp": label.timestamp,
            "targetId": target,
            "label": label.text,
        }
        entries.append(Entry.of(data))
    return entries


def chained(entries: Iterable[Entry]) -> list[Entry]:
    """Each entry below the one before it, the first as a root; unchanged ones are the same."""
    chain: list[Entry] = []
    parent: str | None = None
    for entry in entries:
        fits = entry.parent_id == parent
        chain.append(entry if fits else Entry.of({**entry.data, "parentId": parent}))
        parent = entry.id
    return chain


def _without_labels(path: list[Entry]) -> list[Entry]:
    """The path without labels; a kept boundary that is one moves to the next entry that is none."""
    kept = [entry for entry in path if entry.type != "label"]
    if len(kept) == len(path):
        return path
    following: dict[str, str] = {}
    next_id: str | None = None
    for entry in reversed(path):
        if entry.type != "label":
            next_id = entry.id
        elif next_id is not None:
            following[entry.id] = next_id
    return [_with_boundary(entry, following) for entry in kept]


def _with_boundary(entry: Entry, following: Mapping[str, str]) -> Entry:
    boundary = entry.data.get("firstKeptEntryId") if entry.type == "compaction" else None
    if isinstance(boundary, str) and boundary in following:
        return Entry.of({**entry.data, "firstKeptEntryId": following[boundary]})
    return entry


def write_branch(path: Path, header: SessionHeader, entries: Sequence[Entry]) -> Loaded:
    """Write ``entries`` as a new session file; what reading it would give."""
    first = encode_line(header)
    sizes = array("q")

    def pieces() -> Iterator[bytes]:
        yield first
        for text, each in runs_of(entries):
            sizes.extend(each)
            yield text

    write_session(path, pieces())
    source = FileSource(path)
    end = len(first) + 1 + sum(sizes) + len(sizes)
    return Loaded(
        source=source,
        header=header,
        header_line=1,
        entries=standing_at(entries, source, len(first) + 1, 2, sizes),
        end=end,
        lines=1 + len(sizes),
        last_start=end - 1 - (sizes[-1] if sizes else len(first)),
        torn=False,
        outdated=False,
        newer=False,
    )


def path_lines(tree: SessionTree, timestamp: str, leaf: Leaf = CURRENT) -> Iterator[bytes]:
    """One path as the lines of a file of its own: same id, a plain header of ``timestamp``."""
    header: JsonObject = {
        "type": "session",
        "version": SESSION_VERSION,
        "id": tree.header["id"],
        "timestamp": timestamp,
    }
    if "cwd" in tree.header:
        header["cwd"] = tree.header["cwd"]
    yield encode_line(header)
    yield from raw_lines(chained(tree.path(leaf)))


def whole_lines(
    header: SessionHeader,
    entries: Sequence[Entry],
    source: FileSource | None = None,
    header_line: int = 1,
) -> Iterator[bytes]:
    """A whole session, all branches, as the lines of a file with ``header``.

    Where the session is kept in a file, what is no entry comes along and lines keep their bytes,
    except those of entries that were migrated. Raises ``SessionError`` when the file has become
    shorter, so that no copy is taken for whole that is not.
    """
    yield encode_line(header)
    if source is None:
        yield from raw_lines(entries)
        return
    rewritten = {entry.line: entry for entry in entries if not entry.is_stored}
    number = 0
    for _, number, text, _ in read_lines(source):
        if number != header_line:
            yield rewritten[number].raw if number in rewritten else text
    if entries and number < entries[-1].line:
        raise SessionError(f"{source.path}: the file was cut short while it was open.")


def write_session(path: Path, lines: Iterable[bytes]) -> None:
    """Write a new session file, whole or not at all. Lines that follow each other may be one."""
    try:
        make_private_folder(path.parent)
        replace_atomic(path, (line + b"\n" for line in lines))
    except OSError as error:
        raise SessionWriteError(f"{path}: not written ({error.strerror or error}).") from error
