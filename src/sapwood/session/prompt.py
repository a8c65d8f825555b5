"""System messages in order → the one message that they amount to. Pure.

A session stores the prompt once and later only what changed of it: texts that are added, named
sections that are replaced or removed, tools that come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from sapwood.session.javascript import key_order
from sapwood.session.schema import Json, Message, SystemMessage, ToolSpec


def replay_prompt(messages: Iterable[Message]) -> SystemMessage | None:
    """The system messages among ``messages``, in order, as the one message they amount to.

    Contents are appended with blank lines, sections patched by name (null deletes; a name that
    comes back goes last), in each message tools are removed before others are added. The time is
    that of the first. None without a system message.
    """
    contents: list[str] = []
    sections: dict[str, str] = {}
    tools: dict[str, ToolSpec] = {}
    timestamp: Json = None
    found = False
    for message in messages:
        if message["role"] != "system":
            continue
        if not found:
            found, timestamp = True, message.get("timestamp")
        if text := _text_of(message.get("content")):
            contents.append(text)
        _patch_sections(sections, message.get("sections"))
        _patch_tools(tools, message.get("toolsRemoved"), message.get("toolsAdded"))
    if not found:
        return None
    replayed: dict[str, Any] = {"role": "system", "content": "\n\n".join(contents)}
    if sections:
        replayed["sections"] = {name: sections[name] for name in key_order(sections)}
    if tools:
        replayed["toolsAdded"] = list(tools.values())
    replayed["timestamp"] = timestamp
    return cast(SystemMessage, replayed)


def _text_of(content: Json) -> str:
    """The text of a system message's content, which is a string or text blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _patch_sections(sections: dict[str, str], patch: Json) -> None:
    if not isinstance(patch, Mapping):
        return
    for name in key_order(patch):
        text = patch[name]
        if isinstance(text, str):
            sections[name] = text
        else:
            sections.pop(name, None)


def _patch_tools(tools: dict[str, ToolSpec], removed: Json, added: Json) -> None:
    for tool in removed if isinstance(removed, list) else ():
        if isinstance(tool, dict):
            tools.pop(tool.get("name", ""), None)
    for tool in added if isinstance(added, list) else ():
        if isinstance(tool, dict) and isinstance(tool.get("name"), str):
            tools[tool["name"]] = cast(ToolSpec, tool)
