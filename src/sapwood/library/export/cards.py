"""What an export says about an entry: a card of blocks, the same for every format. Pure.

All texts of a card are plain: terminal sequences are left out, other controls are made visible.
A card is made when it is written, so that a long session costs one card at a time.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from sapwood.library.tree_kinds import Kind, kind_of
from sapwood.library.tree_text import row_text
from sapwood.session.entry import Entry
from sapwood.session.replay import edits_in_force, is_edit, select
from sapwood.session.schema import Json, JsonObject
from sapwood.session.tree import CURRENT, Leaf, SessionTree
from sapwood.text import one_line, plain_text, printable, well_formed

Shape = Literal["text", "prose", "code", "image", "note"]

FOLD_LINES = 30
FOLD_CHARS = 4000
"""Output beyond either is folded away until it is asked for."""

SETTINGS = frozenset(
    {Kind.MODEL, Kind.THINKING, Kind.LABEL, Kind.NAME, Kind.USAGE, Kind.STATE, Kind.OTHER}
)
"""Entries that are no part of the conversation."""

_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")
_TITLES = {
    Kind.USER: "User",
    Kind.ASSISTANT: "Assistant",
    Kind.CALLS: "Assistant",
    Kind.SYSTEM: "System prompt",
    Kind.BASH: "Command of the user",
    Kind.COMPACTION: "Compaction",
    Kind.BRANCH_SUMMARY: "Summary of another branch",
    Kind.EDIT: "Context edit",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a card. ``prose`` is Markdown, ``image`` is base64 of type ``language``.

    ``tone`` tells the sides of an edit apart: what was said ``before``, what stands ``instead``.
    """

    shape: Shape
    text: str
    title: str = ""
    folded: bool = False
    language: str = ""
    tone: Literal["", "before", "instead"] = ""


@dataclass(frozen=True, slots=True)
class Card:
    """An entry as a reader sees it."""

    kind: str
    title: str
    facts: tuple[str, ...]
    label: str
    blocks: tuple[Block, ...]


class Cards:
    """Makes the cards of a tree seen from a leaf."""

    def __init__(self, tree: SessionTree, leaf: Leaf = CURRENT) -> None:
        self._tree = tree
        in_force = select(tree, leaf).entries
        self._seen = {entry.id for entry in in_force}
        self._in_force = edits_in_force(in_force)
        self._edits: dict[str, list[Entry]] = defaultdict(list)
        for entry in tree.entries:
            if entry.type == "context_edit" and is_edit(entry):
                self._edits[entry.data["targetId"]].append(entry)

    def card(self, entry: Entry) -> Card:
        kind = kind_of(entry)
        source = _source(entry)
        return Card(
            kind=kind_name(kind),
            title=_title(kind, entry, source),
            facts=tuple(_facts(kind, entry, source)),
            label=plain_line(self._tree.label(entry.id) or ""),
            blocks=tuple(self._with_edits(entry, list(self._blocks(kind, entry, source)))),
        )

    def is_in_context(self, entry: Entry) -> bool:
        """Whether the model still sees the entry at the leaf of the export."""
        return entry.id in self._seen and self._in_force.get(entry.id, entry) is not None

    def _blocks(self, kind: Kind, entry: Entry, source: JsonObject) -> Iterator[Block]:
        if kind in SETTINGS:
            yield Block("note", plain_line(row_text(self._tree, entry, kind)))
            if kind in (Kind.STATE, Kind.OTHER):
                yield _json_block(entry.data, title="Stored data")
        elif kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY):
            yield Block("prose", plain(source.get("summary")))
        elif kind is Kind.EDIT:
            yield Block("note", plain_line(row_text(self._tree, entry, kind)))
            yield from _replacement(source.get("replacement"))
        elif kind is Kind.BASH:
            yield Block("code", plain(source.get("command")), language="bash")
            yield _output(plain(source.get("output")))
        elif kind is Kind.SYSTEM:
            yield from _prompt(source)
        else:
            yield from _content(source.get("content"), kind)
            yield from _difference(source.get("details"))
            if error := source.get("errorMessage"):
                yield Block("note", plain(error), title="Error")

    def _with_edits(self, entry: Entry, blocks: list[Block]) -> Iterator[Block]:
        """The original and, for each edit of it, what the model sees instead."""
        edits = self._edits.get(entry.id)
        if not edits:
            yield from blocks
            return
        yield Block("note", "", title="Original")
        yield from (replace(block, tone="before") for block in blocks)
        for edit in edits:
            replacement = edit.data["replacement"]
            current = self._in_force.get(entry.id, edit) is replacement
            yield Block(
                "note",
                "It is left out." if replacement is None else "",
                title=f"What the model sees {'instead' if current else 'on another branch'}",
            )
            if replacement is not None:
                yield from (replace(each, tone="instead") for each in _replacement(replacement))


def plain(value: Json) -> str:
    """Untrusted text over several lines."""
    if not isinstance(value, str):
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    text = well_formed(value)
    if not text.isprintable():
        text = printable(plain_text(text.replace("\r\n", "\n").replace("\r", "\n")))
    return text


def plain_line(value: Json) -> str:
    """Untrusted text on one line."""
    return one_line(plain(value))


def _source(entry: Entry) -> JsonObject:
    """What an entry says: its message, else the object of its line.

    What stands in a file is not kept, so that the export of a long session stays small.
    """
    data = entry.read() if entry.is_stored else entry.data
    if entry.type != "message":
        return data
    message = data.get("message")
    return message if isinstance(message, dict) else {}


def _title(kind: Kind, entry: Entry, source: JsonObject) -> str:
    if kind is Kind.TOOL:
        name = plain_line(source.get("toolName")) or "a tool"
        return f"Result of {name}" if source.get("isError") is not True else f"{name} failed"
    if kind is Kind.CUSTOM:
        return f"Message of {plain_line(source.get('customType')) or 'an extension'}"
    return _TITLES.get(kind) or plain_line(entry.type).replace("_", " ").capitalize() or "Entry"


def kind_name(kind: Kind) -> str:
    """The name of a kind in a page: ``branch-summary``."""
    return kind.name.lower().replace("_", "-")


def _facts(kind: Kind, entry: Entry, source: JsonObject) -> Iterator[str]:
    if entry.timestamp:
        yield time(entry.timestamp)
    if kind in (Kind.ASSISTANT, Kind.CALLS):
        if model := plain_line(source.get("model")):
            yield model
        if (reason := source.get("stopReason")) in ("error", "aborted", "length"):
            yield plain_line(reason)
    if kind is Kind.COMPACTION and isinstance(before := source.get("tokensBefore"), int):
        yield f"{before:,} tokens before"
    if kind is Kind.BASH:
        if isinstance(code := source.get("exitCode"), int):
            yield f"exit {code}"
        if source.get("excludeFromContext"):
            yield "outside the context"


def time(stamp: str) -> str:
    """``2026-12-01 09:30:00``, UTC, where the time is written as usual."""
    usual = _STAMP.fullmatch(stamp)
    return f"{usual[1]} {usual[2]}" if usual else plain_line(stamp)


def is_hidden(entry: Entry, kind: Kind) -> bool:
    """Whether a reader sees the entry on request only."""
    if kind is Kind.CUSTOM:
        return _source(entry).get("display") is False
    if kind is Kind.BASH:
        return bool(_source(entry).get("excludeFromContext"))
    return kind is Kind.SYSTEM or kind in SETTINGS


def _content(content: Json, kind: Kind) -> Iterator[Block]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            yield _json_block(block)
        elif block.get("type") == "toolCall":
            yield from _call(block)
        else:
            yield _block(block, kind)


def _block(block: JsonObject, kind: Kind) -> Block:
    what = block.get("type")
    if what == "text":
        text = plain(block.get("text"))
        if kind is Kind.TOOL:
            return _output(text)
        return Block("prose" if kind is Kind.ASSISTANT else "text", text)
    if what == "thinking":
        return Block("text", plain(block.get("thinking")), title="Thinking", folded=True)
    if what == "image":
        return _image(block)
    return _json_block(block)


def _call(block: JsonObject) -> Iterator[Block]:
    """The arguments line by line; a longer text stands by itself under its name."""
    title = f"Call of {plain_line(block.get('name')) or 'a tool'}"
    arguments = block.get("arguments")
    if not isinstance(arguments, dict):
        yield _json_block(arguments, title=title)
        return
    texts = {
        plain_line(name): plain(value)
        for name, value in arguments.items()
        if isinstance(value, str) and "\n" in value
    }
    short = [
        f"{plain_line(name)}: {plain(value)}"
        for name, value in arguments.items()
        if plain_line(name) not in texts
    ]
    yield Block("code" if short else "note", "\n".join(short), title=title)
    for name, text in texts.items():
        yield Block("code", text, title=name, folded=_is_long(text))


def _difference(details: Json) -> Iterator[Block]:
    """What an edit changed, if the tool told."""
    if isinstance(details, dict) and isinstance(diff := details.get("diff"), str) and diff:
        text = plain(diff)
        yield Block("code", text, "Difference", folded=_is_long(text), language="diff")


def _image(block: JsonObject) -> Block:
    mime, data = block.get("mimeType"), block.get("data")
    if mime in _IMAGES and isinstance(data, str) and _BASE64.fullmatch(data):
        return Block("image", "".join(data.split()), language=str(mime))
    return Block("note", f"An image that cannot be shown ({plain_line(mime) or 'no type'}).")


def _output(text: str) -> Block:
    if not _is_long(text):
        return Block("text", text)
    return Block("text", text, title=f"Output, {text.count(chr(10)) + 1:,} lines", folded=True)


def _is_long(text: str) -> bool:
    return len(text) > FOLD_CHARS or text.count("\n") >= FOLD_LINES


def _json_block(value: Json, title: str = "") -> Block:
    """JSON as it is, with line breaks where a string has them."""
    text = json.dumps(value, ensure_ascii=False, indent=2).replace("\\n", "\n").replace("\\t", "\t")
    return Block("code", plain(text), title=title, folded=len(text) > FOLD_CHARS, language="json")


def _replacement(replacement: Json) -> Iterator[Block]:
    if isinstance(replacement, dict):
        yield from _content(replacement.get("content"), Kind.USER)


def _prompt(message: dict[str, Any]) -> Iterator[Block]:
    yield from _content(message.get("content"), Kind.SYSTEM)
    sections = message.get("sections")
    for name, text in sections.items() if isinstance(sections, dict) else ():
        yield Block("text", plain(text) or "(removed)", title=f"Section {plain_line(name)}")
    for field, title in (("toolsAdded", "Tools added"), ("toolsRemoved", "Tools removed")):
        if message.get(field):
            yield _json_block(message[field], title=title)
