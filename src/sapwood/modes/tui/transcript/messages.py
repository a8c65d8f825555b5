"""Messages as blocks: user, assistant with its thinking and tool calls, shell commands, custom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.strip import Strip

from sapwood.modes.tui.transcript.content import blocks, field, images_of, text_of
from sapwood.modes.tui.transcript.lines import cut, join, paragraph, strip
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.tools import Outcome, output, render_tool
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject

MarkdownLines = Callable[[int, str, Look], list[Strip]]
"""Renders the text block at an index of a message; a live message keeps one stream for each."""


def render_message(message: JsonObject, look: Look, markdown: MarkdownLines) -> list[Strip]:
    """A message by itself: a call without its outcome, a result without its call."""
    match message.get("role"):
        case "user":
            return render_user(message, look)
        case "assistant":
            return render_assistant(message, {}, look, markdown)
        case "toolResult":
            return render_orphan(message, look)
        case "bashExecution":
            return render_bash(message, look)
        case "custom":
            return render_custom(message, look, markdown)
        case "system":
            return render_system(message, look)
        case _:
            return []


def render_user(message: JsonObject, look: Look) -> list[Strip]:
    """What the user wrote, behind a bar."""
    content = message.get("content")
    bar = look.style("user")
    strips = paragraph(text_of(content), look.width, look.style("text"), mark="▌ ", mark_style=bar)
    for image in images_of(content):
        strips.append(strip(("▌ ", bar), (f"[{image}]", look.style("dim"))))
    return strips


def render_assistant(
    message: JsonObject,
    outcomes: Mapping[str, Outcome],
    look: Look,
    markdown: MarkdownLines,
    *,
    live: bool = False,
) -> list[Strip]:
    """An answer: text as Markdown, thinking folded, each call with its outcome, its error last."""
    groups: list[list[Strip]] = []
    content = list(blocks(message.get("content")))
    for index, block in enumerate(content):
        kind = block.get("type")
        if kind == "text" and field(block, "text").strip():
            groups.append(markdown(index, field(block, "text"), look))
        elif kind == "thinking":
            running = live and index == len(content) - 1
            groups.append(render_thinking(field(block, "thinking"), look, running=running))
        elif kind == "toolCall":
            groups.append(render_tool(block, outcomes.get(field(block, "id")), look))
    if failure := _failure(message):
        groups.append(failure_lines(failure, look))
    return join(groups)


def render_thinking(text: str, look: Look, *, running: bool = False) -> list[Strip]:
    """Thoughts: one line while folded, all of them unfolded."""
    if not text.strip():
        return []
    style = look.style("thinking")
    if look.thinking:
        edge = look.style("faint")
        return paragraph(text.strip(), look.width, style, mark="  ┊ ", mark_style=edge)
    words = "Thinking" if running else "Thought"
    lines = text.strip().count("\n") + 1
    size = f" · {lines} line{'' if lines == 1 else 's'}"
    shown = cut(f"{words}{size} · Ctrl+T", look.width - 4)
    return [strip(("  ∴ ", look.style("faint")), (shown, style))]


def _failure(message: JsonObject) -> str:
    reason = message.get("stopReason")
    if reason == "aborted":
        return "Stopped"
    if reason == "error":
        return field(message, "errorMessage") or "The provider gave no reason"
    if reason == "length":
        return "The answer was cut off at the output limit"
    return ""


def failure_lines(text: str, look: Look) -> list[Strip]:
    """What went wrong, in at most three lines unless unfolded."""
    style = look.style("bad")
    first, *rest = paragraph(text, look.width, style, mark="    ")
    strips = [strip(("  ✗ ", style), (first.text[4:], style)), *rest]
    return strips if look.expanded else strips[:3]


def render_bash(message: JsonObject, look: Look, *, running: bool = False) -> list[Strip]:
    """A command that the user ran with ``!`` or ``!!``."""
    hidden = message.get("excludeFromContext") is True
    code = message.get("exitCode")
    failed = isinstance(code, int) and code != 0
    mark, role = ("✗", "bad") if failed else ("◌", "accent") if running else ("●", "good")
    notes = [
        "not in the context" if hidden else "",
        "stopped" if message.get("cancelled") is True else "",
        f"exit {code}" if failed else "",
        "cut" if message.get("truncated") is True else "",
    ]
    tail = "".join(f" · {note}" for note in notes if note)
    command = one_line(field(message, "command")[:2_000])
    sign = "!!" if hidden else "!"
    head = strip(
        (f"  {mark} ", look.style(role)),
        (f"{sign} ", look.style("warn")),
        (cut(command, max(look.width - 7 - len(tail), 8)), look.style("strong")),
        (tail, look.style("dim")),
    )
    return [head, *output(field(message, "output"), look, 10, tail=True)]


def render_custom(message: JsonObject, look: Look, markdown: MarkdownLines) -> list[Strip]:
    """A message that an extension put in; nothing when it asked not to be shown."""
    if message.get("display") is not True:
        return []
    kind = one_line(field(message, "customType")) or "extension"
    head = strip(("  ◇ ", look.style("accent")), (cut(kind, look.width - 4), look.style("dim")))
    text = text_of(message.get("content"))
    return [head, *(markdown(0, text, look) if text.strip() else [])]


def render_orphan(message: JsonObject, look: Look) -> list[Strip]:
    """A tool result whose call is not in sight."""
    call = {"name": field(message, "toolName") or "tool", "arguments": {}}
    return render_tool(call, Outcome.of_message(message), look)


def render_system(message: JsonObject, look: Look) -> list[Strip]:
    """The system prompt: one line, and only when everything is unfolded."""
    if not look.expanded:
        return []
    sections = message.get("sections")
    tools = message.get("toolsAdded")
    parts = [
        f"{len(sections)} sections" if isinstance(sections, dict) else "",
        f"{len(tools)} tools" if isinstance(tools, list) else "",
    ]
    detail = ", ".join(part for part in parts if part)
    words = "System prompt" + (f" · {detail}" if detail else "")
    return [strip((f"  ◇ {words}", look.style("faint")))]
