"""A session's path as a Markdown transcript, for reading and for pasting elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sapwood.library.export.cards import Block, Card, Cards, is_hidden, plain_line
from sapwood.library.tree_kinds import kind_of
from sapwood.session.tree import CURRENT, Leaf, SessionTree

_FENCE = re.compile(r"`{3,}")


def markdown_pieces(tree: SessionTree, leaf: Leaf = CURRENT) -> Iterator[bytes]:
    """The transcript of the path to ``leaf``, without prompts, settings and hidden items."""
    yield from map(_encoded, _head(tree))
    cards = Cards(tree, leaf)
    for entry in tree.path(leaf):
        if not is_hidden(entry, kind_of(entry)):
            yield _encoded("\n\n".join(_card(cards.card(entry))) + "\n\n")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _head(tree: SessionTree) -> Iterator[str]:
    header = tree.header
    yield f"# {plain_line(tree.name or 'Session ' + header['id'])}\n\n"
    folder = plain_line(header.get("cwd"))
    yield f"Session {plain_line(header['id'])}" + (f" in `{folder}`" if folder else "") + "\n\n"


def _card(card: Card) -> Iterator[str]:
    label = f" [{card.label}]" if card.label else ""
    yield f"## {card.title}{label}"
    if card.facts:
        yield f"*{' · '.join(card.facts)}*"
    for block in card.blocks:
        if block.title:
            yield f"### {block.title}"
        if text := _block(block, card.kind):
            yield text


def _block(block: Block, kind: str) -> str:
    if block.shape == "image":
        return "*(an image)*"
    if block.shape == "code" or (block.shape == "text" and kind != "user"):
        return fenced(block.text, block.language)
    return block.text


def fenced(text: str, language: str = "") -> str:
    """``text`` in a code block whose fence is longer than any within it."""
    longest = max(map(len, _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
