"""Session logs of Claude Code: records linked by ``uuid`` and ``parentUuid``.

One answer is written as several records with one message id; they become one message. Calls and
results find each other by id, because what a result hangs below differs by version. Progress and
other records that are no conversation stand in the chain, so what hangs below them is hung below
what they hang below. Branches and sidechains stay branches; a compaction keeps its summary alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sapwood.library.importing.blocks import (
    assistant_message,
    call_block,
    has_calls,
    image_block,
    marker,
    text_block,
    thinking_block,
    tool_result,
    usage,
)
from sapwood.library.importing.draft import Draft, Node
from sapwood.library.importing.records import Tally, mapping, moment, objects, plain, text
from sapwood.session.schema import Json, JsonObject

PROGRAM = "Claude Code"

_NOT_TYPED = (
    "<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-caveat>",
    "Caveat:", "<system-reminder>", "<bash-input>", "<bash-stdout>", "<task-notification>",
)  # fmt: skip
_STOP_REASONS = {"tool_use": "toolUse", "max_tokens": "length"}
_TITLES = {
    "custom-title": ("customTitle", 3),
    "ai-title": ("aiTitle", 2),
    "summary": ("summary", 1),
}
"""Records that name the session: the field with the name, and which one wins."""


def convert(records: Iterable[JsonObject], tally: Tally) -> Draft:
    """The conversation of a log; ``tally`` learns what it tells of itself and what is left out."""
    reading = _Reading(tally)
    for record in records:
        reading.take(record)
    draft = reading.draft
    if draft.leaf is None and draft.nodes:  # the log of a subagent: all of it is a sidechain
        draft.leaf = draft.nodes[-1]
    return draft


@dataclass(slots=True)
class _Reading:
    tally: Tally
    draft: Draft = field(default_factory=Draft)
    places: dict[str, Node | None] = field(default_factory=dict)
    """For each record read so far the node below which its children hang."""
    prompts: dict[str, Node] = field(default_factory=dict)
    """What subagents were asked → the message that asked."""
    bare: set[Node] = field(default_factory=set)
    """Compactions whose summary is still to come."""
    title_rank: int = 0
    ms: int = 0

    def take(self, record: JsonObject) -> None:
        kind, uuid = text(record.get("type")), text(record.get("uuid"))
        self.tally.learn(
            id=record.get("sessionId"), cwd=record.get("cwd"), version=record.get("version")
        )
        if uuid and uuid in self.places:
            self.tally.odd("record twice")
            return
        self.ms = moment(record.get("timestamp"), self.ms)
        parent = self._parent(record)
        place = self._place(kind, record, parent)
        if uuid:
            self.places[uuid] = place
        speaks = kind in ("user", "assistant") or place is not parent
        if speaks and place is not None and not record.get("isSidechain"):
            self.draft.leaf = place

    def _parent(self, record: JsonObject) -> Node | None:
        above = text(record.get("parentUuid")) or text(record.get("logicalParentUuid"))
        if above and above not in self.places:
            self.tally.odd("parent missing")
        if not above and record.get("isSidechain"):
            return self.prompts.get(plain(mapping(record.get("message")).get("content")))
        return self.places.get(above)

    def _place(self, kind: str, record: JsonObject, parent: Node | None) -> Node | None:
        """Add what a record says, if anything; the node below which its children hang."""
        message = mapping(record.get("message"))
        if kind == "assistant" and message:
            return self._assistant(record, message, parent)
        if kind == "user" and message:
            if record.get("isCompactSummary") and parent is not None and parent in self.bare:
                parent.fields["summary"] = plain(message.get("content"))
                self.bare.discard(parent)
                return parent
            return self._user(record, message.get("content"), parent)
        if kind == "system" and record.get("subtype") == "compact_boundary":
            tokens = mapping(record.get("compactMetadata")).get("preTokens")
            before = tokens if isinstance(tokens, int) else 0
            node = self.draft.compact(text(record.get("content")), before, self.ms, parent)
            self.bare.add(node)
            return node
        attachment = mapping(record.get("attachment"))
        if attachment.get("type") == "queued_command" and attachment.get("prompt"):
            return self._user(record, attachment["prompt"], parent)
        if kind in _TITLES:
            self._title(kind, record)
        else:
            self.tally.skip(kind)
        return parent

    def _title(self, kind: str, record: JsonObject) -> None:
        name, rank = _TITLES[kind]
        elsewhere = kind == "summary" and record.get("leafUuid") not in self.places
        if not elsewhere and rank >= self.title_rank and text(record.get(name)):
            self.draft.name, self.title_rank = record[name], rank

    # --- answers ------------------------------------------------------------------------------

    def _assistant(self, record: JsonObject, message: JsonObject, parent: Node | None) -> Node:
        message_id, model = text(message.get("id")), text(message.get("model"))
        if parent is not None and message_id and parent.origin_id == message_id:
            node = parent
        else:
            answer = assistant_message("anthropic", "anthropic-messages", model, self.ms)
            node = self.draft.say(answer, parent, message_id)
        self._add_blocks(node, message.get("content"))
        answer = node.message
        used = _usage(mapping(message.get("usage")))
        if used["output"] >= answer["usage"]["output"]:
            answer["usage"] = used
        told = _STOP_REASONS.get(text(message.get("stop_reason")))
        answer["stopReason"] = told or ("toolUse" if has_calls(answer) else "stop")
        if record.get("isApiErrorMessage"):
            answer["stopReason"] = "error"
            answer["errorMessage"] = plain(message.get("content")) or "The request failed."
        return node

    def _add_blocks(self, node: Node, content: Json) -> None:
        blocks = node.message["content"]
        if isinstance(content, str):
            blocks.append(text_block(content))
        for part in objects(content):
            kind = part.get("type")
            if kind == "text":
                blocks.append(text_block(text(part.get("text"))))
            elif kind == "thinking":
                blocks.append(thinking_block(text(part.get("thinking"))))
            elif kind == "redacted_thinking":
                self.tally.skip("redacted thinking")
            elif kind == "tool_use":
                call = call_block(text(part.get("id")), text(part.get("name")), part.get("input"))
                self.draft.call(node, call)
                if prompt := text(call["arguments"].get("prompt")):
                    self.prompts[prompt] = node
            else:
                blocks.append(marker(PROGRAM, text(kind), part))

    # --- what the user's side says ------------------------------------------------------------

    def _user(self, record: JsonObject, content: Json, parent: Node | None) -> Node | None:
        """Results go below their calls; the rest of a record is a message after them."""
        results = [part for part in objects(content) if part.get("type") == "tool_result"]
        for part in results:
            parent = self.draft.answer(self._result(part), parent)
        said = content if isinstance(content, str) else _said(content)
        if results and not said:
            return parent
        if record.get("isMeta") or plain(said).startswith(_NOT_TYPED):
            return self.draft.inject(said, self.ms, parent)
        return self.draft.say({"role": "user", "content": said, "timestamp": self.ms}, parent)

    def _result(self, part: JsonObject) -> JsonObject:
        content = part.get("content")
        blocks = [text_block(content)] if isinstance(content, str) else []
        blocks += [_user_block(each) for each in objects(content)]
        call_id, failed = text(part.get("tool_use_id")), part.get("is_error") is True
        return tool_result(call_id, "unknown", blocks, failed, self.ms)


def _said(content: Json) -> list[JsonObject]:
    return [_user_block(part) for part in objects(content) if part.get("type") != "tool_result"]


def _user_block(part: JsonObject) -> JsonObject:
    """A block of a user message or a result."""
    if part.get("type") == "text":
        return text_block(text(part.get("text")))
    source = mapping(part.get("source"))
    data, mime_type = text(source.get("data")), text(source.get("media_type"))
    if part.get("type") == "image" and source.get("type") == "base64" and data and mime_type:
        return image_block(data, mime_type)
    return marker(PROGRAM, text(part.get("type")), part)


def _usage(told: JsonObject) -> JsonObject:
    return usage(
        told.get("input_tokens"),
        told.get("output_tokens"),
        told.get("cache_read_input_tokens"),
        told.get("cache_creation_input_tokens"),
    )
