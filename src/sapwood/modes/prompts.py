"""From the command line's words, files and piped input to prompts.

Piped input comes first, then the text of ``@files``, then the first message, all in one prompt;
further messages are prompts of their own, blank ones are none. Images become image blocks of the
first prompt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError

if TYPE_CHECKING:
    from sapwood.session.schema import ImageBlock

MAX_FILE_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Prompt:
    """``text``: what was typed. ``material``: piped input and files, which go before it."""

    text: str
    images: tuple[ImageBlock, ...] = ()
    material: str = ""

    @property
    def whole(self) -> str:
        """Everything that is sent."""
        return "\n\n".join(part for part in (self.material, self.text) if part)


def make_prompts(
    words: Sequence[str],
    cwd: Path,
    piped: str = "",
    *,
    resize_images: Callable[[], bool] = lambda: True,
) -> list[Prompt]:
    """The prompts, in order; raises `SapwoodError` for a file that cannot be read.

    `resize_images` tells whether large images are made smaller; it is asked when there is one.
    """
    files = [word[1:] for word in words if _is_file(word)]
    messages = [word for word in words if not _is_file(word) and word.strip()]
    parts = [piped.strip("\n")] if piped.strip() else []
    images: list[ImageBlock] = []
    for name in files:
        text, image = _read(name, cwd, resize_images)
        parts.append(text)
        images += [image] if image is not None else []
    if not (parts or messages):
        return []
    first = messages[0] if messages else ""
    return [
        Prompt(first, tuple(images), "\n\n".join(parts)),
        *(Prompt(text) for text in messages[1:]),
    ]


def _is_file(word: str) -> bool:
    return word.startswith("@") and len(word) > 1


def _read(name: str, cwd: Path, resize: Callable[[], bool]) -> tuple[str, ImageBlock | None]:
    from sapwood.agent.images import ImageError, load_image, sniff_image

    data = _content(name, cwd)
    if sniff_image(data) is not None:
        try:
            image = load_image(data, resize=resize())
        except ImageError as error:
            raise SapwoodError(f"{name}: {error}.") from None
        note = f" {image.note}" if image.note else ""
        return f'<file name="{_attribute(name)}">An image, attached.{note}</file>', image.block
    if b"\0" in data[:8192]:
        raise SapwoodError(f"{name} is neither text nor an image that can be shown to a model.")
    text = data.decode("utf-8-sig", "replace").replace("</file>", r"<\/file>")
    return f'<file name="{_attribute(name)}">\n{text}\n</file>', None


def _content(name: str, cwd: Path) -> bytes:
    """All of a file; only a regular one has an end for sure."""
    path = cwd / os.path.expanduser(name)
    try:
        if path.is_dir():
            raise SapwoodError(f"{name} is a folder; name the files in it.")
        if not path.is_file() and path.stat():
            raise SapwoodError(f"{name} is not a regular file; pipe its content in instead.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SapwoodError(f"{name} cannot be read: {error.strerror}.") from None
    if len(data) > MAX_FILE_BYTES:
        raise SapwoodError(f"{name} is too large for a prompt; let the agent read it instead.")
    return data


def piped_text(data: bytes) -> str:
    """What was piped in; raises `SapwoodError` where it is no text."""
    if b"\0" in data:
        raise SapwoodError("The piped input is not text; name the file with @ instead.")
    return data.decode("utf-8-sig", "replace")


def _attribute(name: str) -> str:
    return name.replace('"', "'").replace("<", "").replace(">", "")
