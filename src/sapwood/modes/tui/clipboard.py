"""The clipboard: copying through the terminal (OSC 52) and through the desktop's tool, and pasting.

Which tool there is depends on the desktop; the first one that works is taken. Over SSH there may be
none: copying then still works where the terminal knows OSC 52, pasting with the terminal's own key.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat

COPY = (["pbcopy"], ["wl-copy"], ["xclip", "-selection", "clipboard"], ["clip.exe"])
PASTE_IMAGE = (
    ["wl-paste", "--type", "image/png"],
    ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
    ["pngpaste", "-"],
)
PASTE_TEXT = (
    ["wl-paste", "--no-newline", "--type", "text"],
    ["xclip", "-selection", "clipboard", "-o"],
    ["pbpaste"],
)
MAX_BYTES = 50_000_000

NO_TOOL = "Ctrl+V needs wl-paste, xclip or pngpaste; the terminal's own paste key works without"


async def copy_text(chat: Chat, text: str) -> None:
    """Put a text on the clipboard, in every way there is."""
    data = text.encode("utf-8", "replace")
    chat.app.copy_to_clipboard(data.decode())
    await asyncio.to_thread(_give, data)


def _give(data: bytes) -> None:
    for command in _at_hand(COPY):
        # A tool may stay behind to serve what it was given: it gets no pipe to keep open.
        try:
            subprocess.run(
                command,
                input=data,
                timeout=2,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return


async def paste(chat: Chat) -> None:
    """Put the image or the text on the clipboard into what is being written."""
    if not any(_at_hand((*PASTE_IMAGE, *PASTE_TEXT))):
        return chat.status.notice(NO_TOOL, "warn")
    image = await asyncio.to_thread(_take, PASTE_IMAGE)
    if image and chat.editor.attach_image(image):
        return None
    text = await asyncio.to_thread(_take, PASTE_TEXT)
    if not text:
        return chat.status.notice("There is nothing on the clipboard that could be pasted")
    return chat.editor.paste(text.decode("utf-8", "replace"))


def _take(commands: Sequence[list[str]]) -> bytes:
    """What the first tool that has something gives."""
    for command in _at_hand(commands):
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0 and done.stdout:
            return done.stdout[:MAX_BYTES]
    return b""


def _at_hand(commands: Sequence[list[str]]) -> Iterator[list[str]]:
    return (command for command in commands if shutil.which(command[0]))
