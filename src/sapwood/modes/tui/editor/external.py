"""Write the text in the user's own editor: ``externalEditor``, ``$VISUAL``, ``$EDITOR``.

The editor has the terminal to itself: nothing of ours is drawn, and nothing goes on, until it ends.
Whatever goes wrong, the text is as it was.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat

USUAL = ("nano", "vim", "vi")


def editor_command(setting: str | None, environ: Mapping[str, str]) -> list[str]:
    """The command to run, without the file. Raises `SapwoodError` when there is none."""
    for command in (setting, environ.get("VISUAL"), environ.get("EDITOR")):
        if command and command.strip():
            try:
                return shlex.split(command)
            except ValueError as error:
                raise SapwoodError(f"The editor {command} cannot be started: {error}.") from None
    found = next((name for name in USUAL if shutil.which(name)), None)
    if found is None:
        raise SapwoodError("There is no editor: set VISUAL, or externalEditor in /settings.")
    return [found]


async def edit_outside(chat: Chat) -> None:
    """Give the terminal to the editor; take the text back when it ends well."""
    setting = chat.session.settings.values.external_editor if chat.session else None
    command = editor_command(setting, os.environ)
    descriptor, name = tempfile.mkstemp(prefix="sapwood-", suffix=".md")
    file = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(chat.editor.attachments.resolve(chat.editor.text)[0])
        with chat.app.suspend(), _deaf_to_ctrl_c():
            failure = _run([*command, name])
        if failure:
            chat.status.notice(f"{failure}; the text is as it was", "warn")
        else:
            chat.editor.set_text(_read(file))
    finally:
        file.unlink(missing_ok=True)
        chat.app.refresh(layout=True)


def _run(command: list[str]) -> str:
    """Run to the end; says what went wrong. An exception would leave the app suspended."""
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}"
    return f"The editor ended with status {status}" if status else ""


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    except OSError as error:
        raise SapwoodError(
            f"The editor left nothing to read ({error.strerror}); the text is as it was"
        ) from None


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Ctrl+C in the editor is the editor's; what it runs still hears it."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
