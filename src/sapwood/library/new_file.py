"""Files that never replace another: written whole under a hidden name, then given a free one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain, count
from pathlib import Path

from sapwood.errors import SapwoodError
from sapwood.files import replace_atomic


def write_new(path: Path, pieces: Iterable[bytes], *, numbered: bool = False) -> Path:
    """Write a new private file; where the name is taken, ``name-2`` and so on if ``numbered``.

    However many do so at once, each file is written whole and none is replaced. Raises
    ``SapwoodError`` when the name is taken or the file cannot be written.
    """
    names = _names(path) if numbered else iter([path])
    hidden = path.with_name(f".{path.name[:40]}.{os.getpid()}-{os.urandom(6).hex()}.new")
    try:
        if not numbered and path.exists():
            raise FileExistsError
        replace_atomic(hidden, pieces)
        try:
            return _claim(hidden, names)
        finally:
            hidden.unlink(missing_ok=True)
    except FileExistsError:
        raise SapwoodError(f"{path} exists already; it is left as it is.") from None
    except OSError as error:
        raise SapwoodError(f"{path}: not written ({error.strerror or error}).") from error


def _names(path: Path) -> Iterator[Path]:
    return chain([path], (path.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2)))


def _claim(hidden: Path, names: Iterator[Path]) -> Path:
    """Give the file the first name that is free. Raises ``FileExistsError`` when none is."""
    for name in names:
        try:
            _link(hidden, name)
        except FileExistsError:
            continue
        return name
    raise FileExistsError


def _link(hidden: Path, name: Path) -> None:
    try:
        os.link(hidden, name)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: take the name first, then fill it
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.replace(hidden, name)
