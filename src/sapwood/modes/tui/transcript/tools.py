"""Tool calls with what came of them: one headline, then as much output as helps.

The mark tells the state without colour: ``●`` done, ``✗`` failed, ``◌`` running, ``○`` no result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from textual.strip import Strip

from sapwood.modes.tui.transcript.content import field, images_of, text_of
from sapwood.modes.tui.transcript.lines import cut, harmless, strip, wrap
from sapwood.modes.tui.transcript.look import Look
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.schema import Json, JsonObject

EDGE = "    "


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of a call's execution: the stored result, or what a running tool reported."""

    content: Json
    details: Json = None
    is_error: bool = False
    running: bool = False
    duration_ms: int | None = None

    @staticmethod
    def of_message(message: JsonObject) -> Outcome:
        """From a ``toolResult`` message."""
        return Outcome(
            message.get("content"), message.get("details"), message.get("isError") is True
        )


@dataclass(frozen=True, slots=True)
class _Preview:
    """How much output shows while folded: so many lines, of the end (``tail``) or the start."""

    lines: int
    tail: bool = False


_PREVIEWS = {
    "bash": _Preview(6, tail=True),
    "read": _Preview(0),
    "write": _Preview(6),
    "edit": _Preview(24),
}
_OTHER = _Preview(5)
_EXPANDED = 1_000


def headline(name: str, arguments: Json) -> str:
    """A call in a few words: ``read src/app.py:1-20``, ``$ pytest -q``."""
    args: Mapping[str, Json] = arguments if isinstance(arguments, dict) else {}
    describe = _HEADLINES.get(name)
    text = describe(args) if describe else None
    if text is None:
        shown = {
            key: value if not isinstance(value, str) else value[:200] for key, value in args.items()
        }
        text = f"{name} {json.dumps(shown, ensure_ascii=False) if shown else ''}"
    return one_line(text[:2_000]).strip()


def _path(args: Mapping[str, Json]) -> str:
    return field(args, "path") or field(args, "file_path") or "."


def _read(args: Mapping[str, Json]) -> str:
    offset, limit = args.get("offset"), args.get("limit")
    if not isinstance(offset, int) and not isinstance(limit, int):
        return f"read {_path(args)}"
    first = offset if isinstance(offset, int) else 1
    last = str(first + limit - 1) if isinstance(limit, int) else ""
    return f"read {_path(args)}:{first}-{last}"


def _write(args: Mapping[str, Json]) -> str:
    lines = field(args, "content").count("\n") + 1 if field(args, "content") else 0
    return f"write {_path(args)} ({lines} line{'' if lines == 1 else 's'})"


def _within(verb: str, args: Mapping[str, Json]) -> str:
    where = field(args, "path") or field(args, "glob")
    return f"{verb} {field(args, 'pattern')}" + (f" in {where}" if where else "")


_HEADLINES: Mapping[str, Callable[[Mapping[str, Json]], str | None]] = {
    "bash": lambda args: f"$ {field(args, 'command')}" if field(args, "command") else None,
    "read": _read,
    "write": _write,
    "edit": lambda args: f"edit {_path(args)}",
    "ls": lambda args: f"ls {_path(args)}",
    "grep": lambda args: _within("grep", args),
    "find": lambda args: _within("find", args),
}


def render_tool(call: JsonObject, outcome: Outcome | None, look: Look) -> list[Strip]:
    """A call and its outcome so far."""
    name = field(call, "name") or "tool"
    mark, role = _state(outcome)
    tail = _tail_words(outcome)
    words = cut(headline(name, call.get("arguments")), max(look.width - 5 - len(tail), 8))
    head = strip(
        ("  " + mark + " ", look.style(role)),
        (words, look.style("strong")),
        (tail, look.style("dim")),
    )
    return [head, *_body(name, call.get("arguments"), outcome, look)]


def _state(outcome: Outcome | None) -> tuple[str, str]:
    if outcome is None:
        return "○", "dim"
    if outcome.running:
        return "◌", "accent"
    return ("✗", "bad") if outcome.is_error else ("●", "good")


def _tail_words(outcome: Outcome | None) -> str:
    if outcome is None or outcome.duration_ms is None or outcome.duration_ms < 100:
        return ""
    return f"  {outcome.duration_ms / 1000:.1f}s"


def _body(name: str, arguments: Json, outcome: Outcome | None, look: Look) -> list[Strip]:
    if outcome is None:
        return []
    failed = outcome.is_error
    if name == "edit" and not failed:
        changes = diff_lines(outcome.details, arguments)
        if changes:
            return _diff(changes, look)
    text = text_of(outcome.content)
    if name == "write" and not failed and isinstance(arguments, dict):
        text = field(arguments, "content")
    preview = _Preview(10, tail=True) if failed else _PREVIEWS.get(name, _OTHER)
    strips = output(text, look, preview.lines, tail=preview.tail, role="bad" if failed else "dim")
    for image in images_of(outcome.content):
        strips.append(strip((EDGE, look.style("faint")), (f"[{image}]", look.style("dim"))))
    return strips


def output(text: str, look: Look, lines: int, *, tail: bool, role: str = "dim") -> list[Strip]:
    """Output of a tool or command, folded to ``lines`` (all of it when ``look.expanded``).

    Folded, a line takes one row; unfolded it is wrapped. What is hidden is counted in a note.
    """
    text = text.strip("\n")
    if not text:
        return []
    total = text.count("\n") + 1
    limit = _EXPANDED if look.expanded else lines
    chosen = _some_lines(text, limit, tail)
    width = look.width - len(EDGE) - 2
    rows: list[str] = []
    for line in chosen:
        shown, left_out = harmless(line)
        shown = shown.rstrip("\r") + ("…" if left_out else "")
        rows.extend(wrap(shown, width) if look.expanded else [cut(shown, width)])
    edge = (EDGE + "│ ", look.style("faint"))
    strips = [strip(edge, (row, look.style(role))) for row in rows]
    if hidden := total - len(chosen):
        note = _hidden_note(hidden, tail, bool(chosen), look)
        strips.insert(0 if tail else len(strips), strip((EDGE, look.style("faint")), note))
    return strips


def _some_lines(text: str, count: int, tail: bool) -> list[str]:
    """The first or last ``count`` lines, without splitting all of a huge text."""
    if count <= 0:
        return []
    if tail:
        return text.rsplit("\n", count)[-count:]
    return text.split("\n", count)[:count]


def _hidden_note(hidden: int, tail: bool, some: bool, look: Look) -> tuple[str, Style]:
    where = (" earlier" if tail else " more") if some else ""
    hint = "" if look.expanded else " · Ctrl+O"
    return f"… {hidden:,}{where} line{'' if hidden == 1 else 's'}{hint}", look.style("faint")


def diff_lines(details: Json, arguments: Json) -> list[str]:
    """The changed lines of an edit, each with ``+``, ``-`` or a space in front.

    The tool's own ``details.diff`` if it is there; else what the arguments replace.
    """
    if shown := field(details, "diff"):
        return shown.split("\n")
    if not isinstance(arguments, dict):
        return []
    edits = arguments.get("edits")
    pairs = edits if isinstance(edits, list) else [arguments]
    lines: list[str] = []
    for pair in pairs:
        for sign, name in (("-", "oldText"), ("+", "newText")):
            if text := field(pair, name):
                lines.extend(f"{sign} {line}" for line in text.split("\n"))
    return lines


def _diff(lines: list[str], look: Look) -> list[Strip]:
    roles = {"+": "added", "-": "removed"}
    limit = _EXPANDED if look.expanded else _PREVIEWS["edit"].lines
    strips = [
        strip((EDGE, look.style("faint")), (row, look.style(roles.get(line[:1], "dim"))))
        for line in lines[:limit]
        for row in [cut(harmless(line)[0], look.width - len(EDGE))]
    ]
    if len(lines) > limit:
        note = _hidden_note(len(lines) - limit, False, True, look)
        strips.append(strip((EDGE, look.style("faint")), note))
    return strips
