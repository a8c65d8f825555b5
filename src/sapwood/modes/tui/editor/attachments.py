"""Long pastes and images stand in the editor as a short placeholder until the prompt is sent.

A placeholder is plain text: delete it and the attachment is gone; edit it and it is just text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sapwood.modes.tui.transcript.content import base64_size, size_text

if TYPE_CHECKING:
    from sapwood.session.schema import ImageBlock

LONG_LINES = 10
LONG_CHARACTERS = 1_000


def is_long(text: str) -> bool:
    """Whether a paste is better shown as a placeholder."""
    return len(text) > LONG_CHARACTERS or text.count("\n") >= LONG_LINES


@dataclass
class Attachments:
    """What the placeholders of one editor stand for."""

    texts: dict[str, str] = field(default_factory=dict)
    images: dict[str, ImageBlock] = field(default_factory=dict)
    resize: bool = True
    _number: int = 0

    def add_text(self, text: str) -> str:
        """Keep a long text; gives its placeholder."""
        self._number += 1
        lines = text.count("\n") + 1
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        name = f"[paste {self._number}: {size}]"
        self.texts[name] = text
        return name

    def add_image(self, data: bytes) -> str:
        """Keep an image, made small enough to be sent; gives its placeholder.

        Raises `ImageError` for what is none or damaged.
        """
        from sapwood.agent.images import load_image

        return self.add_block(load_image(data, resize=self.resize).block)

    def add_block(self, block: ImageBlock) -> str:
        """Keep an image that is a content block already; gives its placeholder."""
        self._number += 1
        size = size_text(base64_size(block["data"]))
        kind = block["mimeType"].partition("/")[2] or "image"
        name = f"[image {self._number}: {kind}, {size}]"
        self.images[name] = block
        return name

    def resolve(self, text: str) -> tuple[str, Sequence[ImageBlock]]:
        """The text with long pastes put back, and the images it still names, in its order."""
        images = sorted(
            ((text.index(name), block) for name, block in self.images.items() if name in text),
            key=lambda found: found[0],
        )
        for name, long in self.texts.items():
            text = text.replace(name, long)
        return text, [block for _, block in images]

    def clear(self) -> None:
        self.texts.clear()
        self.images.clear()
