"""Appending to a session: one method for each kind of entry, and moves of the leaf.

Appending order: what others added to the file is taken in, the entry is written, and only then is
it in the tree and are listeners told; when the write fails nothing has happened.

The leaf: an append goes below the leaf and becomes it. Entries of other processes do not move the
leaf of a writer that has appended or moved itself (its conversation goes on where it was, theirs is
a sibling branch); one that has only looked follows them, as if it had opened the file later.

A cursor move alone writes nothing. ``save_position`` does: it adds a small ``custom`` entry at the
new leaf when that is not the last entry of the file, so the position survives a restart; every
reader follows it because it is the last entry. ``AgentSession.navigate_tree`` and ``session goto``
call it; a program that moves about to read does not have to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from sapwood.errors import SessionError
from sapwood.session.codec import encode_line
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.javascript import iso_timestamp
from sapwood.session.origin import Origin
from sapwood.session.replay import prompt_checkpoint
from sapwood.session.schema import Json, JsonObject, Message, Replacement, Usage
from sapwood.session.shapes import (
    LEAF_MARKER,
    UNSET,
    Unset,
    edit_replacement,
    present,
    session_name,
)
from sapwood.session.store import SessionStore
from sapwood.session.tree import SessionTree

Listener = Callable[[Entry], None]


class _Turn:
    """The time of one append, in which the tree is what the file holds."""

    __slots__ = ("_writer",)

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer

    def __enter__(self) -> None:
        store = self._writer._store
        if store is None:
            return
        try:
            self._writer._take_in(store.begin())
        except BaseException:
            store.end()
            raise

    def __exit__(self, *failure: object) -> None:
        if self._writer._store is not None:
            self._writer._store.end()


class SessionWriter:
    """A tree and where it is kept (``store`` is None in memory)."""

    def __init__(self, tree: SessionTree, store: SessionStore | None, origin: Origin) -> None:
        self.tree = tree
        self._store = store
        self._origin = origin
        self._acted = False  # appended or moved: then the leaf is this writer's own
        self._listeners: list[Listener] = []
        self._turn = _Turn(self)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each new entry, own or another process's, once it is stored.

        Returns what ends the subscription.
        """
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

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
        entry = self._entry(data)
        if self._store:
            self._take_in(self._store.save(self.tree, entry))
        self.tree.append(entry)
        self._acted = True
        self._tell(entry)
        return entry.id

    def _entry(self, data: JsonObject) -> Entry:
        """An entry whose line is settled now, so that nothing unwritable waits in memory."""
        try:
            raw = encode_line(data)
        except (TypeError, ValueError) as error:
            raise SessionError(f"The {data['type']} entry cannot be stored: {error}.") from error
        return Entry.of(data, raw=raw if self._store else None)

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
