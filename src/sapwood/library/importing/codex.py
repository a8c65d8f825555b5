"""Rollouts of Codex: one line after another, in an envelope or, until 2025, bare.

What the model saw is in the response items; of the events only those count that say more: usage,
names, aborted turns and rollbacks, which make branches. Consecutive reasoning, text and calls are
one answer, until a result or a message of the user comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sapwood.library.importing.blocks import (
    assistant_message,
    call_block,
    image_block,
    marker,
    text_block,
    thinking_block,
    tool_result,
    usage,
)
from sapwood.library.importing.draft import Draft, Node
from sapwood.library.importing.records import (
    Tally,
    is_deep,
    joined,
    mapping,
    moment,
    objects,
    plain,
    text,
)
from sapwood.session.codec import decode_line
from sapwood.session.schema import Json, JsonObject

PROGRAM = "Codex"

_NOT_TYPED = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions",
    "<permissions instructions>", "<turn_aborted>", "<subagent_notification>",
)  # fmt: skip
_ENVELOPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")
_NO_CONVERSATION = ("ghost_snapshot",)
_EXIT_CODE = re.compile(r"\s*(?:Exit code:|.{0,200}?Process exited with code) (\d{1,9})", re.DOTALL)
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,")


def convert(records: Iterable[JsonObject], tally: Tally) -> Draft:
    """The conversation of a rollout; ``tally`` learns what it tells of itself and leaves out."""
    reading = _Reading(tally)
    for index, record in enumerate(records):
        reading.take(record, first=index == 0)
    reading.draft.leaf = reading.here
    return reading.draft


@dataclass(slots=True)
class _Reading:
    tally: Tally
    draft: Draft = field(default_factory=Draft)
    here: Node | None = None
    """Below which the next message goes."""
    answer: Node | None = None
    """The answer that still grows; None after a result or a message of the user."""
    last_answer: Node | None = None
    turns: list[Node] = field(default_factory=list)
    """The user's messages on the path, for rollbacks."""
    provider: str = "openai"
    model: str = ""
    total: Json = None
    ms: int = 0

    def take(self, record: JsonObject, *, first: bool) -> None:
        self.ms = moment(record.get("timestamp"), self.ms)
        kind, payload = text(record.get("type")), record.get("payload")
        if kind == "session_meta" or (first and not kind):
            self._meta(mapping(payload) or record)
        elif not isinstance(payload, dict):
            self._item(kind, record)
        elif kind == "turn_context":
            self.model = text(payload.get("model")) or self.model
        elif kind == "response_item":
            self._item(text(payload.get("type")), payload)
        elif kind == "event_msg":
            self._event(text(payload.get("type")), payload)
        elif kind == "compacted":
            self._compacted(payload)
        else:
            self.tally.skip(kind)

    def _meta(self, meta: JsonObject) -> None:
        """What the first header says; a copied one of a parent comes later and adds nothing."""
        if "id" not in self.tally.about:
            self.provider = text(meta.get("model_provider")) or self.provider
        self.tally.learn(id=meta.get("id"), cwd=meta.get("cwd"), version=meta.get("cli_version"))

    # --- the history --------------------------------------------------------------------------

    def _item(self, kind: str, item: JsonObject) -> None:
        if kind == "message":
            self._message(text(item.get("role")), item.get("content"))
        elif kind == "reasoning":
            parts = [*objects(item.get("summary")), *objects(item.get("content"))]
            if thought := joined(text(part.get("text")) for part in parts):
                self._growing().message["content"].append(thinking_block(thought))
        elif kind in _CALLS:
            node = self._growing()
            self.draft.call(node, _call(kind, item))
            node.message["stopReason"] = "toolUse"
        elif kind.endswith("_output"):
            self._result(item)
        elif not kind or kind in _NO_CONVERSATION:
            self.tally.skip(kind or text(item.get("record_type")))
        else:
            self._growing().message["content"].append(marker(PROGRAM, kind, item))

    def _message(self, role: str, content: Json) -> None:
        if role == "assistant":
            self._growing().message["content"] += _blocks(content)
            return
        self.answer = None
        said = content if isinstance(content, str) else _blocks(content)
        if role != "user" or plain(content).startswith(_NOT_TYPED):
            self.here = self.draft.inject(said, self.ms, self.here)
            return
        message = {"role": "user", "content": said, "timestamp": self.ms}
        self.here = self.draft.say(message, self.here)
        self.turns.append(self.here)

    def _growing(self) -> Node:
        if self.answer is None:
            message = assistant_message(self.provider, "openai-responses", self.model, self.ms)
            self.answer = self.last_answer = self.here = self.draft.say(message, self.here)
        return self.answer

    def _result(self, item: JsonObject) -> None:
        self.answer = None
        content, failed = _output(item.get("output"))
        result = tool_result(text(item.get("call_id")), "unknown", content, failed, self.ms)
        self.here = self.draft.answer(result, self.here)

    def _compacted(self, payload: JsonObject) -> None:
        """The summary, and below it what the model still saw of the user's own words."""
        self.answer = None
        kept = [
            said
            for item in objects(payload.get("replacement_history"))
            if item.get("role") in ("user", "assistant")
            and not (said := plain(item.get("content"))).startswith(_NOT_TYPED)
        ]
        summary = text(payload.get("message"))
        texts = [summary, *(said for said in kept if said != summary)]
        self.here = self.draft.compact(joined(texts), 0, self.ms, self.here)

    # --- events -------------------------------------------------------------------------------

    def _event(self, kind: str, event: JsonObject) -> None:
        if kind == "token_count":
            self._tokens(mapping(event.get("info")))
        elif kind == "turn_aborted":
            if self.answer is not None:  # an answer whose calls have results was not cut short
                self.answer.message["stopReason"] = "aborted"
        elif kind == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))
        elif kind == "thread_name_updated":
            self.draft.name = text(event.get("thread_name")) or self.draft.name
        else:
            self.tally.skip(kind)

    def _tokens(self, info: JsonObject) -> None:
        """Usage of the last answer; told again without a change of the total, it is no new one."""
        total, last = info.get("total_token_usage"), mapping(info.get("last_token_usage"))
        if not last or total == self.total or self.last_answer is None:
            return
        self.total = total
        whole, cached = last.get("input_tokens"), last.get("cached_input_tokens")
        if isinstance(whole, int) and isinstance(cached, int):
            whole -= cached
        self.last_answer.message["usage"] = usage(whole, last.get("output_tokens"), cached)

    def _roll_back(self, turns: Json) -> None:
        if not isinstance(turns, int) or turns < 1 or not self.turns:
            return
        self.here = self.turns[-min(turns, len(self.turns))].parent
        del self.turns[-turns:]
        self.answer = None


def _call(kind: str, item: JsonObject) -> JsonObject:
    call_id = text(item.get("call_id")) or text(item.get("id"))
    if kind == "local_shell_call":
        return call_block(call_id, "local_shell", item.get("action"))
    arguments = item.get("input") if kind == "custom_tool_call" else item.get("arguments")
    if kind != "custom_tool_call" and isinstance(arguments, str):
        decoded = _decoded(arguments)
        arguments = decoded if isinstance(decoded, dict) else arguments
    block = call_block(call_id, text(item.get("name")) or kind, arguments)
    if namespace := text(item.get("namespace")):
        block["namespace"] = namespace
    return block


def _decoded(written: str) -> Json:
    """The value of a text that is JSON and not nested too deeply, else None."""
    try:
        value = decode_line(written.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return None if is_deep(value) else value


def _output(output: Json) -> tuple[list[JsonObject], bool]:
    """The content of a result, and whether it tells of a failure."""
    if not isinstance(output, str):
        return _blocks(output) or [marker(PROGRAM, "output", output)], False
    code: Json = None
    if output.startswith("{"):
        wrapped = mapping(_decoded(output))
        if isinstance(wrapped.get("output"), str):
            code = mapping(wrapped.get("metadata")).get("exit_code")
            output = wrapped["output"]
    if code is None and (found := _EXIT_CODE.match(output)):
        code = int(found[1])
    return [text_block(output)], isinstance(code, int) and code != 0


def _blocks(content: Json) -> list[JsonObject]:
    if isinstance(content, str):
        return [text_block(content)]
    return [_block(part) for part in objects(content)]


def _block(part: JsonObject) -> JsonObject:
    if part.get("type") in ("input_text", "output_text", "text"):
        return text_block(text(part.get("text")))
    url = text(part.get("image_url"))
    if part.get("type") == "input_image" and (found := _DATA_URL.match(url)):
        return image_block(url[found.end() :], found[1])
    return marker(PROGRAM, text(part.get("type")), part)
