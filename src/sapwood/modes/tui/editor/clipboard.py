"""Take an image from the clipboard with the tool the desktop has for it."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat

IMAGE_TOOLS = (
    ["wl-paste", "--type", "image/png"],
    ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
    ["pngpaste", "-"],
)


async def paste_image(chat: Chat) -> None:
    """Attach the image on the clipboard to what is being written."""
    known = [command for command in IMAGE_TOOLS if shutil.which(command[0])]
    if not known:
        names = ", ".join(command[0] for command in IMAGE_TOOLS)
        chat.status.notice(f"Pasting images needs one of: {names}. Or paste a file's path", "warn")
        return
    data = await asyncio.to_thread(_read, known)
    if data is None or not chat.editor.attach_image(data):
        chat.status.notice("There is no image on the clipboard")


def _read(commands: list[list[str]]) -> bytes | None:
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, timeout=5, check=False)
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0 and done.stdout:
            return done.stdout
    return None
