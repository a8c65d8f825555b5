"""A conversation on its way in: nodes with parents, then the entries of a session file.

Results stand right after the message whose calls they answer, wherever the log has them, and what
follows hangs below the last of them: so no result is lost beside the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from sapwood.library.importing.records import Tally
from sapwood.session.codec import encode_line
from sapwood.session.javascript import iso_timestamp
from sapwood.session.origin import Origin
from sapwood.session.schema import JsonObject
from sapwood.session.shapes import LEAF_MARKER, session_name

IMPORT_TYPE = "sapwood.import"
"""``customType`` of the entry that says where a session comes from."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an imported session comes from; ``format`` as `recognise` names it."""

    source: Path
    format: str
    tally: Tally

    def data(self) -> JsonObject:
        return {
            "source": str(self.source.absolute()),
            "format": self.format,
            "importedBy": f"sapwood {version('sapwood')}",
            "recorded": self.tally.about,
            "skipped": self.tally.skipped,
            "oddities": self.tally.oddities,
        }


@dataclass(slots=True, eq=False)
class Node:
    """An entry to be: its own fields and its time in Unix milliseconds.

    ``origin_id`` is what the log calls the message, where several records make one.
    """

    fields: JsonObject
    ms: int
    parent: Node | None
    origin_id: str = ""
    results: list[Node] = field(default_factory=list)

    @property
    def message(self) -> JsonObject:
        """The message, which may still grow; empty for another kind of entry."""
        message: JsonObject = self.fields.get("message", {})
        return message


@dataclass(slots=True)
class Draft:
    """Nodes with parents before children; ``leaf`` is where the conversation stands."""

    nodes: list[Node] = field(default_factory=list)
    leaf: Node | None = None
    name: str = ""
    calls: dict[str, tuple[Node, str]] = field(default_factory=dict)
    """Call id → the message that makes the call, and the tool's name."""

    def say(self, message: JsonObject, parent: Node | None, origin_id: str = "") -> Node:
        """Add a message."""
        fields = {"type": "message", "message": message}
        return self._add(Node(fields, message["timestamp"], parent, origin_id))

    def inject(self, content: str | list[JsonObject], ms: int, parent: Node | None) -> Node:
        """Add what the other program told the model in the user's name; shown on request only."""
        fields: JsonObject = {
            "type": "custom_message",
            "customType": f"{IMPORT_TYPE}.context",
            "content": content,
            "display": False,
        }
        return self._add(Node(fields, ms, parent))

    def compact(self, summary: str, tokens_before: int, ms: int, parent: Node | None) -> Node:
        """Add a compaction that keeps nothing but its summary."""
        fields: JsonObject = {
            "type": "compaction",
            "summary": summary,
            "firstKeptEntryId": None,
            "tokensBefore": tokens_before,
        }
        return self._add(Node(fields, ms, parent))

    def call(self, node: Node, block: JsonObject) -> None:
        """Add a call to the message of ``node``."""
        node.message["content"].append(block)
        self.calls[block["id"]] = (node, block["name"])

    def answer(self, result: JsonObject, parent: Node | None) -> Node:
        """Add a result below its call, or at ``parent`` when nothing made the call.

        The node given is the one below which the conversation goes on: ``parent`` where the log
        has one, since the result finds its place by itself.
        """
        caller, name = self.calls.get(result["toolCallId"], (None, result["toolName"]))
        if caller is None:
            return self.say(result, parent)
        fields = {"type": "message", "message": {**result, "toolName": name}}
        caller.results.append(Node(fields, result["timestamp"], caller))
        return parent or caller

    def _add(self, node: Node) -> Node:
        self.nodes.append(node)
        return node

    def lines(self, provenance: Provenance, origin: Origin) -> Iterator[bytes]:
        """The entries as the lines of a session file, without its header."""
        return map(encode_line, self._entries(provenance, origin))

    def _entries(self, provenance: Provenance, origin: Origin) -> Iterator[JsonObject]:
        taken: set[str] = set()

        def entry(fields: JsonObject, ms: int, parent: str | None) -> JsonObject:
            entry_id = origin.fresh_entry_id(taken)
            taken.add(entry_id)
            own = {name: value for name, value in fields.items() if name != "type"}
            envelope = {"id": entry_id, "parentId": parent, "timestamp": iso_timestamp(ms)}
            made = {"type": fields["type"], **envelope, **own}
            if made.get("firstKeptEntryId", "") is None:
                made["firstKeptEntryId"] = entry_id
            return made

        start = self.nodes[0].ms
        about = {"type": "custom", "customType": IMPORT_TYPE, "data": provenance.data()}
        last = entry(about, start, None)
        yield last
        if name := session_name(self.name):
            last = entry({"type": "session_info", "name": name}, start, last["id"])
            yield last
        root = last["id"]
        tails: dict[Node | None, str] = {None: root}
        for node in self.nodes:
            parent = tails[node.parent]
            for each in (node, *node.results):
                last = entry(each.fields, each.ms, parent)
                yield last
                parent = last["id"]
            tails[node] = parent
        if tails[self.leaf] != last["id"]:
            fields = {"type": "custom", "customType": LEAF_MARKER}
            yield entry(fields, origin.now(), tails[self.leaf])
