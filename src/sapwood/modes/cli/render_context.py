"""What the model would see at a point of the tree, for people and for programs.

The messages are those of `context.request.build_request`, which is what the agent sends too; each
one names the entry it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sapwood.context.estimate import ContextEstimate, estimate_projection, estimate_tokens
from sapwood.context.projection import Projected, Projection, project
from sapwood.context.request import ModelRequest, build_request
from sapwood.library.tree_text import call_text
from sapwood.modes.cli.output import pad, paint
from sapwood.modes.cli.render_tree import short_ids
from sapwood.session.codec import json_text
from sapwood.session.schema import Json
from sapwood.session.tree import Leaf, SessionTree
from sapwood.text import fit, one_line, printable

_NAMES = {"toolResult": "tool"}


class ContextReport:
    """The context at ``leaf``, ready to be shown in several ways."""

    def __init__(self, tree: SessionTree, leaf: Leaf) -> None:
        self.projection: Projection = project(tree, leaf)
        self.request: ModelRequest = build_request(self.projection)
        self.estimate: ContextEstimate = estimate_projection(self.projection)
        self._short = short_ids(tree)

    def head(self) -> str:
        """Size, thinking level and model in one line."""
        model = self.projection.model
        name = one_line(f"{model.provider}/{model.model_id}") if model else "no model yet"
        level = one_line(self.projection.thinking_level)
        count = len(self.request.messages)
        messages = "1 message" if count == 1 else f"{count} messages"
        return f"{messages} · {self.size()} · thinking {level} · {name}"

    def size(self) -> str:
        estimate = self.estimate
        if not estimate.usage_tokens:
            return f"about {estimate.tokens:,} tokens"
        reported, rest = estimate.usage_tokens, estimate.trailing_tokens
        return f"{estimate.tokens:,} tokens ({reported:,} reported + {rest:,} estimated)"

    def table(self, width: int) -> Iterator[str]:
        """One line per message: entry, role, estimated tokens, how it begins."""
        yield fit(self.head(), width)
        if self.request.system_prompt:
            tools = f"{len(self.request.tools)} tools · " if self.request.tools else ""
            yield self._row("prompt", "system", None, tools + self.request.system_prompt, width)
        for item in self.request.items:
            text = message_words(item.message)
            role = _NAMES.get(item.message["role"], item.message["role"])
            yield self._row(self._source(item), role, estimate_tokens(item.message), text, width)

    def _row(self, source: str, role: str, tokens: int | None, text: str, width: int) -> str:
        size = "" if tokens is None else f"{tokens:,}"
        fixed = f"{pad(source, 11)} {pad(role, 9)} {size:>8}  "
        return paint(fixed, dim=True) + fit(one_line(" ".join(text[:2000].split())), width - 32)

    def _source(self, item: Projected) -> str:
        more = f"+{len(item.merged)}" if item.merged else ""
        return f"{self._short(item.entry)}{more}"

    def text(self) -> Iterator[str]:
        """Everything in full, under a heading per message."""
        yield self.head()
        if self.request.system_prompt:
            yield from _section("system prompt", self.request.system_prompt)
        for tool in self.request.tools:
            yield from _section(f"tool {one_line(str(tool.get('name')))}", json_text(dict(tool)))
        for item in self.request.items:
            role = _NAMES.get(item.message["role"], item.message["role"])
            sources = [item.entry, *item.merged]
            heading = f"{role} · {', '.join(self._short(entry) for entry in sources)}"
            yield from _section(heading, message_words(item.message, full=True))

    def json(self) -> dict[str, Any]:
        request, projection, estimate = self.request, self.projection, self.estimate
        model = projection.model
        return {
            "model": {"provider": model.provider, "modelId": model.model_id} if model else None,
            "thinkingLevel": projection.thinking_level,
            "tokens": {
                "total": estimate.tokens,
                "reported": estimate.usage_tokens,
                "estimated": estimate.trailing_tokens,
            },
            "systemPrompt": request.system_prompt,
            "tools": request.tools,
            "messages": request.messages,
            "sources": [
                [entry.id for entry in (item.entry, *item.merged)] for item in request.items
            ],
        }


def _section(heading: str, text: str) -> Iterator[str]:
    yield ""
    yield paint(f"── {heading} ──", bold=True)
    yield printable(text)


def message_words(message: Any, *, full: bool = False) -> str:
    """A message as text: blocks in order, calls in brackets, images by name."""
    content: Json = message.get("content")
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if content else []
    separator = "\n\n" if full else " "
    return separator.join(filter(None, (_block_words(block, full) for block in blocks)))


def _block_words(block: dict[str, Any], full: bool) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "thinking":
        return f"(thinking) {block.get('thinking', '')}" if full else ""
    if kind == "toolCall":
        if full:
            return f"[{block.get('name')}] {json_text(block.get('arguments'))}"
        return call_text(block.get("name"), block.get("arguments"))
    return f"[{kind}: {block.get('mimeType')}]" if kind == "image" else f"[{kind}]"
