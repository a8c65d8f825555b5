"""The text of a tree row: one line, harmless, no longer than a row can use.

A tool result reads as its call, ``[read: a.txt]``; an entry that says nothing itself stands in
brackets. Lines are decoded for it and not kept, so that a long session does not grow in memory.
"""

from __future__ import annotations

from typing import Any

from sapwood.library.tree_kinds import Kind
from sapwood.session.codec import json_text
from sapwood.session.entry import Entry, decode_entry
from sapwood.session.info import message_text
from sapwood.session.schema import Json
from sapwood.session.tree import SessionTree
from sapwood.text import one_line

LIMIT = 300
"""Characters of a row's text."""

_TELLING = ("path", "file_path", "command", "pattern", "query", "url")


def row_text(tree: SessionTree, entry: Entry, kind: Kind) -> str:
    """What the row of ``entry`` says, after the speaker's name."""
    data = entry.read()
    message = data.get("message")
    return one_line(_text(tree, entry, kind, data, message if isinstance(message, dict) else {}))


def _text(
    tree: SessionTree, entry: Entry, kind: Kind, data: dict[str, Any], message: dict[str, Any]
) -> str:
    if kind in (Kind.USER, Kind.SYSTEM):
        return _prose(message.get("content")) or ("" if kind is Kind.USER else _prompt(message))
    if kind in (Kind.ASSISTANT, Kind.CALLS):
        return _answer(message)
    if kind is Kind.TOOL:
        return _result(tree, entry, message)
    if kind is Kind.BASH:
        return _cut(f"!{'!' if message.get('excludeFromContext') else ''}{message.get('command')}")
    if kind is Kind.CUSTOM:
        source = data if entry.type == "custom_message" else message
        return f"[{_cut(source.get('customType'))}] {_prose(source.get('content'))}"
    return _bookkeeping(kind, data)


def _bookkeeping(kind: Kind, data: dict[str, Any]) -> str:
    get = data.get
    if kind is Kind.COMPACTION:
        before = get("tokensBefore")
        size = f"{before:,} tokens" if isinstance(before, int) else "tokens unknown"
        return f"[compaction: {size}] {_gist(get('summary'))}"
    if kind is Kind.BRANCH_SUMMARY:
        return f"[branch summary] {_gist(get('summary'))}"
    if kind is Kind.MODEL:
        return f"[model: {_cut(get('provider'))}/{_cut(get('modelId'))}]"
    if kind is Kind.THINKING:
        return f"[thinking: {_cut(get('thinkingLevel'))}]"
    if kind is Kind.EDIT:
        what = "left out" if get("replacement") is None else "replaced"
        return f"[{what} in context: {_cut(get('targetId'))}]"
    if kind is Kind.LABEL:
        label = get("label")
        return f"[label: {_cut(label)}]" if label else "[label removed]"
    if kind is Kind.NAME:
        return f"[name: {_cut(get('name'))}]"
    if kind is Kind.USAGE:
        return f"[usage: {_cut(get('kind'))}]"
    if kind is Kind.STATE:
        return f"[state: {_cut(get('customType'))}]"
    return f"[{_cut(get('type')) or 'entry'}]"


def _answer(message: dict[str, Any]) -> str:
    """What an assistant message says, else its calls, else how it ended."""
    content = message.get("content")
    if text := _prose(content):
        return text
    blocks = content if isinstance(content, list) else []
    calls = [
        block for block in blocks if isinstance(block, dict) and block.get("type") == "toolCall"
    ]
    if calls:
        return _cut(" ".join(call_text(call.get("name"), call.get("arguments")) for call in calls))
    if message.get("stopReason") == "error":
        return _cut(message.get("errorMessage") or "(the request failed)")
    return "(aborted)" if message.get("stopReason") == "aborted" else "(no text)"


def _result(tree: SessionTree, entry: Entry, message: dict[str, Any]) -> str:
    text = call_text(message.get("toolName"), _arguments(tree, entry, message.get("toolCallId")))
    return f"{text} failed" if message.get("isError") is True else text


def _arguments(tree: SessionTree, result: Entry, call_id: Json) -> Json:
    """The arguments of the call that ``result`` answers, from the nearest assistant message."""
    for entry in tree.ancestors(result.parent_id):
        if entry.type != "message":
            continue
        line = entry.raw
        if b'"assistant"' not in line:
            continue
        message = decode_entry(entry, line).get("message")
        if not isinstance(message, dict) or message.get("role") != "assistant":
            continue
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("id") == call_id:
                return block.get("arguments")
        return None
    return None


def call_text(name: Json, arguments: Json) -> str:
    """A call in brackets with the argument that tells most: ``[read: a.txt]``."""
    telling = _telling(arguments) if isinstance(arguments, dict) else ""
    return f"[{_cut(name)}: {telling}]" if telling else f"[{_cut(name)}]"


def _telling(arguments: dict[str, Json]) -> str:
    for key in _TELLING:
        if isinstance(value := arguments.get(key), str) and value.strip():
            return _cut(value)
    for value in arguments.values():
        if isinstance(value, str) and value.strip():
            return _cut(value)
    return _cut(json_text(arguments)) if arguments else ""


def _prompt(message: dict[str, Any]) -> str:
    """A system message without text: what it changes."""
    changes = []
    for field, one, more in (
        ("sections", "section", "sections"),
        ("toolsAdded", "tool", "tools"),
        ("toolsRemoved", "less", "less"),
    ):
        value = message.get(field)
        if isinstance(value, (dict, list)) and value:
            changes.append(f"{len(value)} {one if len(value) == 1 else more}")
    return f"[prompt: {', '.join(changes) or 'empty'}]"


def _gist(summary: Json) -> str:
    """The first words of a summary, past its headings and tags."""
    lines = summary[: 4 * LIMIT].splitlines() if isinstance(summary, str) else []
    telling = [line for line in lines if line.strip() and line.lstrip()[0] not in "#<"]
    return _cut(" ".join(telling))


def _prose(content: Json) -> str:
    text = message_text(content)
    if not text.strip() and isinstance(content, list):
        images = sum(isinstance(block, dict) and block.get("type") == "image" for block in content)
        return "[image]" if images == 1 else f"[{images} images]" if images else ""
    return " ".join(text[: 4 * LIMIT].split())[:LIMIT]


def _cut(value: Any) -> str:
    return " ".join(value[: 4 * LIMIT].split())[:LIMIT] if isinstance(value, str) else ""
