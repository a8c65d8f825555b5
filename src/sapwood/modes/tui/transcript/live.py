"""What is happening and not stored yet: the streaming answer, running tools, a running command.

Fed with session events; whatever is stored leaves at once, since the path shows it then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from textual.strip import Strip

from sapwood.modes.tui.transcript.content import field
from sapwood.modes.tui.transcript.lines import join, strip
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.markdown import StreamedMarkdown, render_markdown
from sapwood.modes.tui.transcript.messages import render_assistant, render_bash, render_message
from sapwood.modes.tui.transcript.tools import Outcome

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject

MAX_COMMAND_OUTPUT = 200_000


class LiveRun:
    """The unstored part of the run in progress."""

    def __init__(self) -> None:
        self.message: JsonObject | None = None
        self.outcomes: dict[str, Outcome] = {}
        self.command: JsonObject | None = None
        self.unsaved: Sequence[JsonObject] = ()
        """Messages that the disk refused; they are shown until they are stored."""
        self._streams: dict[int, StreamedMarkdown] = {}

    def feed(self, event: dict[str, Any]) -> None:
        """Take in one session event; kinds that say nothing about content are ignored."""
        handler = getattr(self, f"_on_{event.get('type')}", None)
        if handler:
            handler(event)

    def _on_message_start(self, event: dict[str, Any]) -> None:
        message = event["message"]
        if message.get("role") == "assistant":
            self.message = {**message, "content": []}
            self._streams.clear()

    def _on_message_update(self, event: dict[str, Any]) -> None:
        if self.message is not None:
            apply_delta(self.message["content"], event["assistantMessageEvent"])

    def _on_message_end(self, event: dict[str, Any]) -> None:
        message = event["message"]
        if message.get("role") == "assistant":
            self.message = None
            self._streams.clear()
        elif message.get("role") == "toolResult":
            self.outcomes.pop(field(message, "toolCallId"), None)

    def _on_tool_execution_start(self, event: dict[str, Any]) -> None:
        self.outcomes[event["toolCallId"]] = Outcome("", running=True)

    def _on_tool_execution_update(self, event: dict[str, Any]) -> None:
        partial = event.get("partialResult") or {}
        self.outcomes[event["toolCallId"]] = Outcome(
            partial.get("content"), partial.get("details"), running=True
        )

    def _on_tool_execution_end(self, event: dict[str, Any]) -> None:
        result = event.get("result") or {}
        self.outcomes[event["toolCallId"]] = Outcome(
            result.get("content"),
            result.get("details"),
            event.get("isError") is True,
            duration_ms=event.get("durationMs"),
        )

    def _on_agent_settled(self, event: dict[str, Any]) -> None:
        self.message = None
        self.outcomes.clear()
        self._streams.clear()

    def start_command(self, command: str, *, exclude: bool) -> None:
        """A ``!`` command starts."""
        self.command = {"command": command, "output": "", "excludeFromContext": exclude}

    def command_output(self, chunk: str) -> None:
        """More output of the running command; only its end is kept."""
        if self.command is not None:
            self.command["output"] = (self.command["output"] + chunk)[-MAX_COMMAND_OUTPUT:]

    def end_command(self) -> None:
        self.command = None

    def render(self, look: Look) -> list[Strip]:
        """The live block; empty when nothing is under way."""
        return join([*self._unsaved(look), self._under_way(look)])

    def _under_way(self, look: Look) -> list[Strip]:
        if self.command is not None:
            return render_bash(self.command, look, running=True)
        if self.message is None:
            return []
        strips = render_assistant(self.message, self.outcomes, look, self._markdown, live=True)
        return strips or [strip(("  …", look.style("faint")))]

    def _unsaved(self, look: Look) -> Iterator[list[Strip]]:
        for message in self.unsaved:
            yield render_message(message, look, lambda _, text, same: render_markdown(text, same))
            yield [strip(("  ! not saved yet", look.style("warn")))]

    def _markdown(self, index: int, text: str, look: Look) -> list[Strip]:
        return self._streams.setdefault(index, StreamedMarkdown()).lines(text, look)


def apply_delta(content: list[JsonObject], event: JsonObject) -> None:
    """Apply one ``assistantMessageEvent`` to the content blocks so far."""
    index = event.get("contentIndex")
    if not isinstance(index, int):
        return
    kind, _, step = str(event.get("type")).partition("_")
    while len(content) <= index:
        content.append({"type": "text", "text": ""})
    if kind == "toolcall":
        _apply_call(content, index, step, event)
        return
    name = {"text": "text", "thinking": "thinking"}.get(kind)
    if name is None:
        return
    if step == "start":
        content[index] = {"type": name, name: ""}
    elif step == "delta":
        content[index][name] = content[index].get(name, "") + field(event, "delta")
    elif step == "end" and isinstance(event.get("content"), str):
        content[index] = {"type": name, name: event["content"]}


def _apply_call(content: list[JsonObject], index: int, step: str, event: JsonObject) -> None:
    call = event.get("toolCall")
    if isinstance(call, dict):
        content[index] = {"type": "toolCall", **call}
    elif step == "start":
        content[index] = {
            "type": "toolCall",
            "id": field(event, "id"),
            "name": field(event, "toolName") or field(event, "name"),
            "arguments": {},
        }
