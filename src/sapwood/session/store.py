"""When entries reach the file: laziness, migration, the lock and read-only opening.

A new session has no file until its first user or assistant message; an old format is rewritten in
full before the first append; a session of a newer format, or opened with ``writer="none"``, is
never written. ``exclusive`` holds the lock from opening (or creation) to closing, ``shared`` takes
it around each append, together with the look at what others added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sapwood.errors import ReadOnlySessionError
from sapwood.session.codec import encode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.file import Durability, SessionFile
from sapwood.session.fork import whole_lines, write_branch
from sapwood.session.javascript import iso_timestamp
from sapwood.session.load import Loaded, load
from sapwood.session.lock import SessionLock, Writer
from sapwood.session.origin import Origin
from sapwood.session.schema import SessionHeader
from sapwood.session.shapes import starts_file
from sapwood.session.source import FileSource
from sapwood.session.tree import SessionTree


class SessionStore:
    """Keeps the entries of a tree in the file at ``path``."""

    def __init__(
        self, path: Path, *, writer: Writer, durability: Durability, origin: Origin
    ) -> None:
        self.path = path
        self.writer: Writer = writer
        self.durability: Durability = durability
        self.closed = False
        self._file = SessionFile(path, durability)
        self._lock = SessionLock(
            self._file.path,
            exclusive=writer == "exclusive",
            now=lambda: iso_timestamp(origin.now()),
        )
        self._header_line = 1
        self._outdated = False
        self._newer = False

    def read(self) -> Loaded | None:
        """Read the file, which must exist; None when it is empty. Takes an exclusive lock first."""
        source = FileSource(self.path)
        if self.writer == "exclusive":
            self._lock.acquire()
        try:
            loaded = load(source)
        except BaseException:
            self._lock.close()
            raise
        if loaded is None:
            return None
        self._file = SessionFile.of(loaded, self.path, self.durability)
        self._header_line = loaded.header_line
        self._outdated = loaded.outdated
        if loaded.newer:
            self._newer = True
            self._lock.close()
        return loaded

    def create_branch(self, header: SessionHeader, entries: Sequence[Entry]) -> list[Entry]:
        """Write the file, which must not exist, in full; the entries as they stand in it."""
        loaded = write_branch(self.path, header, entries)
        if self.writer == "exclusive":
            self._lock.acquire()
        self._file = SessionFile.of(loaded, self.path, self.durability)
        return loaded.entries

    def lines(self, tree: SessionTree, header: SessionHeader) -> Iterator[bytes]:
        """The whole session under ``header``, line by line."""
        return whole_lines(header, tree.entries, self._file.source, self._header_line)

    @property
    def read_only(self) -> bool:
        return self.closed or self._newer or self.writer == "none"

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was odd about lines that others added while the file was open."""
        return self._file.oddities.diagnostics()

    def begin(self) -> list[Entry]:
        """Start an append: take the lock if it is shared. Gives what others added before."""
        if self.read_only:
            raise ReadOnlySessionError(f"{self.path}: {self._why_not()}")
        if self._file.source is None:
            return []
        if self.writer == "shared":
            self._lock.acquire()
        return self._file.catch_up()

    def end(self) -> None:
        """End an append, however it went."""
        if self.writer == "shared":
            self._lock.release()

    def _why_not(self) -> str:
        if self.closed:
            return "the session is closed."
        if self._newer:
            return "the session was written by a newer version and is open for reading only."
        return "the session is open for reading only."

    def save(self, tree: SessionTree, entry: Entry) -> list[Entry]:
        """Bring ``entry`` to the file; between ``begin`` and ``end``.

        Gives the entries of others that came before it in the last moment. Raises
        ``SessionWriteError``; then the file is as it was.
        """
        if self._file.source is None:
            if starts_file(entry):
                self._create(tree, entry)
            return []
        if self._outdated:
            self._file.rewrite(self.lines(tree, tree.header))
            self._header_line = 1
            self._outdated = False
        return self._file.append(entry)

    def _create(self, tree: SessionTree, entry: Entry) -> None:
        self._file.make_folder()
        self._lock.acquire()
        try:
            self._file.create(encode_line(tree.header), [*tree.entries, entry])
        except BaseException:
            self._lock.close()
            raise

    def close(self) -> None:
        """Give up the lock; what was read stays readable."""
        self.closed = True
        self._file.close()
        self._lock.close()
