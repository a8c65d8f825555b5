"""A session: its tree and the file it is kept in. The public face of this package.

Appending order: what others added to the file is taken in, the entry is written, and only then is
it in the tree and are listeners told; when the write fails nothing has happened.

The leaf: an append goes below the leaf and becomes it. Entries of other processes do not move the
leaf of a manager that has appended or moved itself (its conversation goes on where it was, theirs
is a sibling branch); one that has only looked follows them, as if it had opened the file later.

A cursor move alone writes nothing. ``save_position`` does: it adds a small ``custom`` entry at the
new leaf when that is not the last entry of the file, so the position survives a restart; every
reader follows it because it is the last entry. ``AgentSession.navigate_tree`` and ``session goto``
call it; a program that moves about to read does not have to.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from sapwood.errors import SessionError
from sapwood.session.codec import encode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.file import Durability
from sapwood.session.fork import branch_entries, path_lines, whole_lines, write_session
from sapwood.session.javascript import iso_timestamp
from sapwood.session.lock import Writer
from sapwood.session.origin import SYSTEM, Origin
from sapwood.session.paths import default_session_dir, session_file_name
from sapwood.session.replay import prompt_checkpoint
from sapwood.session.schema import Json, JsonObject, Message, Replacement, SessionHeader, Usage
from sapwood.session.shapes import (
    LEAF_MARKER,
    UNSET,
    Unset,
    edit_replacement,
    new_header,
    present,
    session_name,
    starts_file,
)
from sapwood.session.store import SessionStore
from sapwood.session.tree import CURRENT, Leaf, SessionTree, TreeNode

Listener = Callable[[Entry], None]
PathLike = str | os.PathLike[str]


class _Turn:
    """The time of one append, in which the tree is what the file holds."""

    __slots__ = ("_manager",)

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    def __enter__(self) -> None:
        store = self._manager._store
        if store is None:
            return
        try:
            self._manager._take_in(store.begin())
        except BaseException:
            store.end()
            raise

    def __exit__(self, *failure: object) -> None:
        if self._manager._store is not None:
            self._manager._store.end()


class SessionManager:
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
        self.tree = tree
        self.cwd = cwd
        self.session_dir = session_dir
        self._store = store
        self._origin = origin
        self._acted = False  # appended or moved: then the leaf is this manager's own
        self._listeners: list[Listener] = []
        self._turn = _Turn(self)

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
        loaded = store.read(origin)
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
        from sapwood.session.find import most_recent

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
    def diagnostics(self) -> list[Diagnostic]:
        return self.tree.diagnostics

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each new entry, own or another process's, once it is stored.

        Returns what ends the subscription.
        """
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

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

    def get_entries(self) -> list[Entry]:
        """All entries in file order."""
        return list(self.tree.entries)

    def get_branch(self, leaf: Leaf = CURRENT) -> list[Entry]:
        """The path from the root to ``leaf``."""
        return self.tree.path(leaf)

    def get_children(self, entry_id: str | None) -> list[Entry]:
        return self.tree.children(entry_id)

    def get_tree(self) -> list[TreeNode]:
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

    # --- moving -------------------------------------------------------------------------------

    def branch(self, entry_id: str) -> None:
        """Stand at an entry: the next append goes below it. Raises ``EntryNotFoundError``."""
        self.tree.move(entry_id)
        self._acted = True

    def reset_leaf(self) -> None:
        """Stand before the first entry: the next append is a new root."""
        self.tree.move(None)
        self._acted = True

    def save_position(self) -> str | None:
        """Make the leaf survive a restart; the id of the entry added, None if none is needed."""
        entries = self.tree.entries
        if not entries or self.tree.leaf_id == entries[-1].id:
            return None
        with self._turn:
            return self._add("custom", leading={"customType": LEAF_MARKER})

    # --- appending; each returns the id of the new entry --------------------------------------

    def append_message(self, message: Message | JsonObject) -> str:
        with self._turn:
            return self._add("message", {"message": message})

    def append_custom_message(
        self, custom_type: str, content: Json, display: bool, details: Json | Unset = UNSET
    ) -> str:
        """A message of an extension, part of the context."""
        fields = present(customType=custom_type, content=content, display=display, details=details)
        with self._turn:
            return self._add("custom_message", leading=fields)

    def append_custom_entry(self, custom_type: str, data: Json | Unset = UNSET) -> str:
        """State of an extension, not part of the context."""
        with self._turn:
            return self._add("custom", leading=present(customType=custom_type, data=data))

    def append_model_change(self, provider: str, model_id: str) -> str:
        with self._turn:
            return self._add("model_change", {"provider": provider, "modelId": model_id})

    def append_thinking_level_change(self, level: str) -> str:
        with self._turn:
            return self._add("thinking_level_change", {"thinkingLevel": level})

    def append_usage(
        self,
        kind: str,
        provider: str,
        model: str,
        usage: Usage | JsonObject,
        note: str | Unset = UNSET,
    ) -> str:
        """Usage that belongs to no message; it counts in totals."""
        fields = present(kind=kind, provider=provider, model=model, usage=usage, note=note or UNSET)
        with self._turn:
            return self._add("usage", fields)

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str | Unset | None,
        tokens_before: int,
        details: Json | Unset = UNSET,
        from_hook: bool | Unset = UNSET,
        usage: Usage | JsonObject | Unset = UNSET,
    ) -> str:
        """A summary in place of what came before ``first_kept_entry_id`` (None: of everything).

        The prompt and tools in force are stored with it as a checkpoint.
        """
        with self._turn:
            entry_id, now = self._new_id(), self._origin.now()
            checkpoint = prompt_checkpoint(self.tree)
            fields = present(
                summary=summary,
                firstKeptEntryId=kept if isinstance(kept := first_kept_entry_id, str) else entry_id,
                tokensBefore=tokens_before,
                details=details,
                usage=usage,
                fromHook=from_hook,
                systemMessage={**checkpoint, "timestamp": now} if checkpoint else UNSET,
            )
            return self._add("compaction", fields, entry_id=entry_id, now=now)

    def append_branch_summary(
        self,
        from_id: str,
        summary: str,
        details: Json | Unset = UNSET,
        from_hook: bool | Unset = UNSET,
        usage: Usage | JsonObject | Unset = UNSET,
    ) -> str:
        """What happened on the branch that ended at ``from_id``, told below the leaf."""
        fields = present(
            fromId=from_id, summary=summary, details=details, usage=usage, fromHook=from_hook
        )
        with self._turn:
            return self._add("branch_summary", fields)

    def branch_with_summary(
        self,
        branch_from_id: str | None,
        summary: str,
        details: Json | Unset = UNSET,
        from_hook: bool | Unset = UNSET,
        usage: Usage | JsonObject | Unset = UNSET,
    ) -> str:
        """Leave the leaf for ``branch_from_id`` (None: before the first entry), with a summary.

        Raises ``EntryNotFoundError``; when the write fails the leaf is where it was.
        """
        if branch_from_id is not None:
            self.tree.require(branch_from_id)
        left, acted = self.tree.leaf_id, self._acted
        self.tree.leaf_id, self._acted = branch_from_id, True
        try:
            return self.append_branch_summary(left or "root", summary, details, from_hook, usage)
        except BaseException:
            self.tree.leaf_id, self._acted = left, acted
            raise

    def append_context_edit(self, target_id: str, replacement: Replacement | None) -> str:
        """Change what the context shows for an entry of the path; None leaves it out.

        Raises ``EntryNotFoundError``, and ``SessionError`` for a target that is not on the path or
        has no editable content, or a replacement that is no content.
        """
        with self._turn:
            target = self.tree.require(target_id)
            stored = edit_replacement(target, replacement)
            if all(entry is not target for entry in self.tree.ancestors()):
                raise SessionError(f"Entry {target_id} is not on the active branch.")
            return self._add("context_edit", {"targetId": target_id, "replacement": stored})

    def append_label_change(self, target_id: str, label: str | None) -> str:
        """Name an entry; None or "" clears. Raises ``EntryNotFoundError``."""
        with self._turn:
            self.tree.require(target_id)
            fields = present(targetId=target_id, label=UNSET if label is None else label)
            return self._add("label", fields)

    def append_session_info(self, name: str) -> str:
        """Name the session; blank clears."""
        with self._turn:
            return self._add("session_info", {"name": session_name(name)})

    def _add(
        self,
        kind: str,
        fields: JsonObject | None = None,
        *,
        leading: JsonObject | None = None,
        entry_id: str | None = None,
        now: int | None = None,
    ) -> str:
        """Store one entry below the leaf; within a turn."""
        data: dict[str, Any] = {"type": kind}
        if leading:
            data.update(leading)
        data["id"] = entry_id or self._new_id()
        data["parentId"] = self.tree.leaf_id
        data["timestamp"] = iso_timestamp(self._origin.now() if now is None else now)
        if fields:
            data.update(fields)
        entry = Entry.of(data)
        if self._store:
            self._take_in(self._store.save(self.tree, entry))
        self.tree.append(entry)
        self._acted = True
        self._tell(entry)
        return entry.id

    def _new_id(self) -> str:
        return self._origin.fresh_entry_id(self.tree)

    def _take_in(self, foreign: list[Entry]) -> None:
        """Add entries of other processes; the leaf follows them only while it is nobody's own."""
        if not foreign:
            return
        for entry in foreign:
            self.tree.take_in(entry)
        if not self._acted:
            self.tree.leaf_id = foreign[-1].id
        message = "added by another process while the session was open here"
        self.tree.diagnostics.append(
            Diagnostic("foreign-entries", message, foreign[0].id, foreign[0].line, len(foreign))
        )
        for entry in foreign:
            self._tell(entry)

    def _tell(self, entry: Entry) -> None:
        for listener in tuple(self._listeners):
            listener(entry)

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
            lines = [encode_line(new.header), *(entry.raw for entry in entries)]
            write_session(new._store.path, lines)
            loaded = new._store.read(self._origin)
            assert loaded is not None
            entries = loaded.entries
        new.tree = SessionTree(new.header, entries)
        return new

    def successor(self) -> SessionManager:
        """A new, empty session of the same folder, in memory when this one is."""
        if self._store is None:
            return SessionManager.in_memory(self.cwd, origin=self._origin)
        return self._new_session()

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
