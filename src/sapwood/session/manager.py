"""A session: its tree and the file it is kept in. The public face of this package.

Making and finding sessions, reading them, and going on in a new one; appending and moving the leaf
are in ``writer``.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.file import Durability
from sapwood.session.find import find_by_id, most_recent
from sapwood.session.fork import branch_entries, path_lines, whole_lines, write_session
from sapwood.session.javascript import iso_timestamp
from sapwood.session.lock import Writer
from sapwood.session.origin import SYSTEM, Origin
from sapwood.session.paths import default_session_dir, session_file_name
from sapwood.session.schema import JsonObject, SessionHeader
from sapwood.session.shapes import new_header, starts_file
from sapwood.session.store import SessionStore
from sapwood.session.tree import CURRENT, Leaf, SessionTree, TreeNode
from sapwood.session.writer import SessionWriter

if TYPE_CHECKING:
    from sapwood.session.info import SessionInfo

PathLike = str | os.PathLike[str]


class SessionManager(SessionWriter):
    """One session. Make it with one of the class methods; close it when done.

    ``tree`` is the session itself (``create_branched_session`` replaces it). After ``close`` the
    tree stays readable, writing is over and the lock is free.
    """

    def __init__(
        self,
        tree: SessionTree,
        *,
        cwd: Path,
        session_dir: Path | None = None,
        store: SessionStore | None = None,
        origin: Origin = SYSTEM,
    ) -> None:
        super().__init__(tree, store, origin)
        self.cwd = cwd
        self.session_dir = session_dir

    # --- making one ---------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        cwd: PathLike,
        session_dir: PathLike | None = None,
        *,
        id: str | None = None,  # noqa: A002
        parent_session: PathLike | None = None,
        writer: Writer = "exclusive",
        durability: Durability = "os",
        origin: Origin = SYSTEM,
    ) -> SessionManager:
        """A new session, in memory until its first user or assistant message."""
        folder = Path(session_dir) if session_dir else default_session_dir(cwd)
        header = new_header(
            origin, os.fspath(cwd), id, os.fspath(parent_session) if parent_session else None
        )
        path = folder / session_file_name(header["id"], header["timestamp"])
        store = SessionStore(path, writer=writer, durability=durability, origin=origin)
        return cls(
            SessionTree(header),
            cwd=Path(cwd),
            session_dir=folder,
            store=store,
            origin=origin,
        )

    @classmethod
    def open(
        cls,
        path: PathLike,
        session_dir: PathLike | None = None,
        cwd: PathLike | None = None,
        *,
        writer: Writer = "exclusive",
        durability: Durability = "os",
        origin: Origin = SYSTEM,
    ) -> SessionManager:
        """An existing session; ``cwd`` overrides the header's. Nothing is written.

        Raises ``NotASessionError`` for what is no session, ``SessionLockedError`` when another
        process has it open for writing. A file of a newer format is opened read-only.
        """
        path = Path(path)
        store = SessionStore(path, writer=writer, durability=durability, origin=origin)
        loaded = store.read()
        here = os.fspath(cwd) if cwd else None
        if loaded is None:
            tree = SessionTree(new_header(origin, here or os.getcwd()))
        else:
            tree = SessionTree(loaded.header, loaded.entries, loaded.diagnostics)
        recorded = tree.header.get("cwd")
        return cls(
            tree,
            cwd=Path(here or (recorded if isinstance(recorded, str) and recorded else os.getcwd())),
            session_dir=Path(session_dir) if session_dir else path.parent,
            store=store,
            origin=origin,
        )

    @classmethod
    def in_memory(
        cls,
        cwd: PathLike | None = None,
        *,
        id: str | None = None,  # noqa: A002
        entries: Iterable[JsonObject] | None = None,
        origin: Origin = SYSTEM,
    ) -> SessionManager:
        """A session without a file, holding ``entries`` (JSON objects with ids) if given."""
        where = os.fspath(cwd) if cwd else os.getcwd()
        given = [Entry.of(entry) for entry in entries or () if entry.get("type") != "session"]
        return cls(
            SessionTree(new_header(origin, where, id), given), cwd=Path(where), origin=origin
        )

    @classmethod
    def continue_recent(
        cls,
        cwd: PathLike,
        session_dir: PathLike | None = None,
        *,
        writer: Writer = "exclusive",
        durability: Durability = "os",
        origin: Origin = SYSTEM,
    ) -> SessionManager:
        """The session of ``cwd`` whose file changed last, or a new one."""
        path = most_recent(cwd, session_dir)
        if path is None:
            return cls.create(cwd, session_dir, writer=writer, durability=durability, origin=origin)
        return cls.open(path, session_dir, writer=writer, durability=durability, origin=origin)

    @classmethod
    def fork_from(
        cls,
        source: PathLike,
        cwd: PathLike,
        session_dir: PathLike | None = None,
        *,
        id: str | None = None,  # noqa: A002
        writer: Writer = "exclusive",
        durability: Durability = "os",
        origin: Origin = SYSTEM,
    ) -> SessionManager:
        """A copy of the whole of ``source``, all branches, as a new session of ``cwd``."""
        folder = Path(session_dir) if session_dir else default_session_dir(cwd)
        parent = os.path.abspath(source)
        with cls.open(source, writer="none", origin=origin) as original:
            header = new_header(origin, os.fspath(cwd), id, parent)
            path = folder / session_file_name(header["id"], header["timestamp"])
            write_session(path, original.lines(header))
        return cls.open(path, folder, writer=writer, durability=durability, origin=origin)

    # --- finding one --------------------------------------------------------------------------

    @staticmethod
    def find_by_id(text: str, cwd: PathLike, session_dir: PathLike | None = None) -> Path:
        """The file of the session with this id or unique prefix; sessions of ``cwd`` first.

        Raises ``SessionNotFoundError`` and ``AmbiguousSessionError``.
        """
        return find_by_id(text, cwd, session_dir)

    @staticmethod
    def list(cwd: PathLike, session_dir: PathLike | None = None) -> builtins.list[SessionInfo]:
        """The sessions of ``cwd``, newest first."""
        from sapwood.session.listing import list_here

        return list_here(cwd, session_dir).sessions

    @staticmethod
    def list_all(session_dir: PathLike | None = None) -> builtins.list[SessionInfo]:
        """The sessions of all working folders (of ``session_dir`` if given), newest first."""
        from sapwood.session.listing import list_all_sessions

        return list_all_sessions(Path(session_dir) if session_dir else None).sessions

    # --- what it is ---------------------------------------------------------------------------

    @property
    def header(self) -> SessionHeader:
        return self.tree.header

    @property
    def session_id(self) -> str:
        return self.tree.header["id"]

    @property
    def path(self) -> Path | None:
        """The session's file, which may not exist yet; None in memory."""
        return self._store.path if self._store else None

    @property
    def is_persisted(self) -> bool:
        """Whether the session is meant to be kept in a file."""
        return self._store is not None

    @property
    def read_only(self) -> bool:
        return self._store is not None and self._store.read_only

    @property
    def diagnostics(self) -> builtins.list[Diagnostic]:
        """What was odd about the file, when it was opened and since."""
        return [*self.tree.diagnostics, *(self._store.diagnostics if self._store else ())]

    def close(self) -> None:
        """End writing and free the lock."""
        if self._store:
            self._store.close()

    def __enter__(self) -> SessionManager:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- reading ------------------------------------------------------------------------------

    def get_leaf(self) -> str | None:
        return self.tree.leaf_id

    def get_leaf_entry(self) -> Entry | None:
        return self.get_entry(self.tree.leaf_id) if self.tree.leaf_id is not None else None

    def get_entry(self, entry_id: str) -> Entry | None:
        return self.tree.get(entry_id)

    def get_entries(self) -> builtins.list[Entry]:
        """All entries in file order."""
        return list(self.tree.entries)

    def get_branch(self, leaf: Leaf = CURRENT) -> builtins.list[Entry]:
        """The path from the root to ``leaf``."""
        return self.tree.path(leaf)

    def get_children(self, entry_id: str | None) -> builtins.list[Entry]:
        return self.tree.children(entry_id)

    def get_tree(self) -> builtins.list[TreeNode]:
        return self.tree.nodes()

    def get_label(self, entry_id: str) -> str | None:
        return self.tree.label(entry_id)

    def get_session_name(self) -> str | None:
        return self.tree.name

    def lines(self, header: SessionHeader | None = None) -> Iterator[bytes]:
        """The whole session as the lines of a file (without line ends); for export and copies.

        All branches and what is no entry come along, byte for byte. ``header`` replaces the own.
        """
        header = header or self.tree.header
        if self._store is None:
            return whole_lines(header, self.tree.entries)
        return self._store.lines(self.tree, header)

    def path_lines(self, leaf: Leaf = CURRENT) -> Iterator[bytes]:
        """The path to ``leaf`` as the lines of a file of its own."""
        return path_lines(self.tree, iso_timestamp(self._origin.now()), leaf)

    # --- forking ------------------------------------------------------------------------------

    def branched(self, leaf_id: str | None) -> SessionManager:
        """A new session that holds the path to ``leaf_id`` alone (None: nothing yet).

        It names this one as its parent; labels of entries on the path are carried over. Its file
        is there at once if a user or assistant message is on the path; in memory when this one is.
        This manager stays as it is. Raises ``EntryNotFoundError``.
        """
        if leaf_id is not None:
            self.tree.require(leaf_id)
        entries = branch_entries(self.tree, leaf_id, self._origin)
        if self._store is None:
            header = new_header(self._origin, os.fspath(self.cwd))
            return SessionManager(SessionTree(header, entries), cwd=self.cwd, origin=self._origin)
        new = self._new_session(parent_session=os.path.abspath(self._store.path))
        if any(map(starts_file, entries)):
            assert new._store is not None
            entries = new._store.create_branch(new.header, entries)
        new.tree = SessionTree(new.header, entries)
        return new

    def successor(self, parent_session: PathLike | None = None) -> SessionManager:
        """A new, empty session of the same folder, in memory when this one is.

        ``parent_session``: the file its header names as the one it comes from.
        """
        parent = os.fspath(parent_session) if parent_session else None
        if self._store is None:
            header = new_header(self._origin, os.fspath(self.cwd), None, parent)
            return SessionManager(SessionTree(header), cwd=self.cwd, origin=self._origin)
        return self._new_session(parent)

    def _new_session(self, parent_session: str | None = None) -> SessionManager:
        assert self._store is not None
        return SessionManager.create(
            self.cwd,
            self.session_dir,
            parent_session=parent_session,
            writer="exclusive" if self._store.read_only else self._store.writer,
            durability=self._store.durability,
            origin=self._origin,
        )

    def create_branched_session(self, leaf_id: str) -> Path | None:
        """Become the session that ``branched`` makes; its path, None in memory.

        The lock of this one is freed, listeners stay. Raises ``EntryNotFoundError``.
        """
        new = self.branched(leaf_id)
        self.close()
        self.tree, self._store, self._acted = new.tree, new._store, True
        return self.path
