"""Threads for reading and writing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable


def start_thread(name: str, work: Callable[[], None]) -> None:
    """Begin `work` in a thread that the end does not wait for and that takes no signals.

    The main thread must get them all: only there do they interrupt what it waits for.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        threading.Thread(target=work, name=name, daemon=True).start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
