"""Write the text in the user's own editor: ``externalEditor``, ``$VISUAL``, ``$EDITOR``."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat


def editor_command(setting: str | None, environ: dict[str, str]) -> list[str]:
    """The command to run, without the file."""
    command = setting or environ.get("VISUAL") or environ.get("EDITOR") or "nano"
    return shlex.split(command)


async def edit_outside(chat: Chat) -> None:
    """Give the terminal to the editor; take the text back when it ends well."""
    setting = chat.session.settings.values.external_editor if chat.session else None
    command = editor_command(setting, dict(os.environ))
    descriptor, name = tempfile.mkstemp(prefix="sapwood-", suffix=".md")
    file = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(chat.editor.attachments.resolve(chat.editor.text)[0])
        with chat.app.suspend():
            status = _run([*command, name])
        if status == 0:
            chat.editor.set_text(file.read_text(encoding="utf-8", errors="replace").rstrip("\n"))
        else:
            chat.status.notice(f"The editor ended with status {status}; the text is as it was")
    finally:
        file.unlink(missing_ok=True)
    chat.app.refresh(layout=True)


def _run(command: list[str]) -> int:
    try:
        return subprocess.run(command, check=False).returncode
    except OSError as error:
        raise SapwoodError(f"{command[0]} cannot be started: {error.strerror}") from error
