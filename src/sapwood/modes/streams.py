"""Standard streams as they come: closed by the caller, full, or left by their reader."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def open_missing() -> None:
    """Put the null device where a stream was closed.

    Else the next file to be opened would get its number, and whatever is printed would go there.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
            setattr(sys, name, open(number, mode, closefd=False, encoding="utf-8"))  # noqa: SIM115


def take_output() -> BinaryIO:
    """Standard output for answers and records alone.

    Whatever else prints from now on, an extension or a library, writes to standard error.
    """
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def reader_left() -> int:
    """The reader of a pipe has gone, as ``| head`` does: say nothing more; the exit status."""
    discard_output()
    return 0


def discard_output() -> None:
    """Standard output takes nothing more; what it still holds must not be tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reason(error: OSError) -> str:
    """What an error of the system says, in one line."""
    words = error.strerror or str(error)
    return f"{error.filename}: {words}" if error.filename else words
