"""Files that models name: regular ones only, so that nothing can block or never end."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from sapwood.agent.tools.paths import shown
from sapwood.agent.tools.tool import ToolError
from sapwood.files import write_atomic

_KINDS = {
    stat.S_IFDIR: "a folder; use ls or find to look into it",
    stat.S_IFIFO: "a named pipe, which cannot be read as a file",
    stat.S_IFCHR: "a device, which cannot be read as a file",
    stat.S_IFBLK: "a device, which cannot be read as a file",
    stat.S_IFSOCK: "a socket, which cannot be read as a file",
}
MAX_EDITED_BYTES = 64 * 1024 * 1024


def open_regular(path: Path, cwd: Path) -> BinaryIO:
    """The file, opened for reading; opening does not wait for a pipe's other end.

    Raises:
        ToolError: it is missing, not a regular file, or not readable.
    """
    try:
        _refuse_special(path.stat().st_mode, path, cwd)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise file_error(error, path, cwd) from error
    file = os.fdopen(handle, "rb")
    try:
        _refuse_special(os.fstat(handle).st_mode, path, cwd)
    except ToolError:
        file.close()
        raise
    return file


def read_regular(path: Path, cwd: Path) -> bytes:
    """All of a file that is to be edited.

    Raises:
        ToolError: it cannot be read, or is too large to be edited.
    """
    with open_regular(path, cwd) as file:
        data = file.read(MAX_EDITED_BYTES + 1)
    if len(data) > MAX_EDITED_BYTES:
        raise ToolError(
            f"{shown(path, cwd)} is larger than {MAX_EDITED_BYTES >> 20} MB; change it with bash"
        )
    return data


def store(path: Path, data: bytes, cwd: Path) -> None:
    """Make a file, or replace it in one step.

    Raises:
        ToolError: it is write-protected, which replacing would pass over, or cannot be written.
    """
    try:
        if path.exists() and not os.access(path, os.W_OK):
            raise ToolError(f"{shown(path, cwd)} is write-protected")
        write_atomic(path, data, mode=None)
    except OSError as error:
        raise file_error(error, path, cwd) from error


def file_error(error: OSError, path: Path, cwd: Path) -> ToolError:
    """An error of the system, in words a model can act on."""
    name = shown(path, cwd)
    if isinstance(error, FileNotFoundError):
        return ToolError(f"{name} does not exist")
    if isinstance(error, NotADirectoryError | FileExistsError):
        return ToolError(f"{name} does not exist: a part of its path is a file")
    if isinstance(error, PermissionError):
        return ToolError(f"{name}: permission denied")
    return ToolError(f"{name}: {error.strerror or error}")


def _refuse_special(mode: int, path: Path, cwd: Path) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "not a regular file")
        raise ToolError(f"{shown(path, cwd)} is {kind}")
