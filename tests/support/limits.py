"""Disks that refuse: full ones, made with the kernel's limits for processes, and read-only ones."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """No file of this process grows beyond ``size`` bytes: writes end short, then fail."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


@contextlib.contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """A folder in which nothing can be written, not even by root; skips where that cannot be."""
    if os.geteuid() != 0:
        modes = {path: path.stat().st_mode for path in (*folder.iterdir(), folder)}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        try:
            yield
        finally:
            for path, mode in reversed(modes.items()):
                path.chmod(mode)
        return
    if not (_mount("--bind", folder, folder) and _mount("-o", "remount,bind,ro", folder)):
        pytest.skip("root can write everywhere, and mounting is not allowed")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def _mount(*arguments: str | Path) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
