"""Reading sessions onto the shelf in threads, and how far that is.

Rows appear while files are read. What was said in the sessions is read when a search begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from textual.screen import Screen
from textual.worker import get_current_worker

from sapwood.modes.tui.picker.loading import Found, batches, files_everywhere, files_here
from sapwood.modes.tui.picker.shelf import Shelf

TEXTS_PAUSE = 0.2
"""Seconds between two looks at what a search has found in texts meanwhile."""


class Reading:
    """Fills ``shelf``; calls ``more`` when there is more to show, ``read_to_end`` after a list."""

    def __init__(
        self,
        screen: Screen[Path],
        shelf: Shelf,
        cwd: Path,
        session_dir: Path | None,
        *,
        more: Callable[[], None],
        read_to_end: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._shelf = shelf
        self._cwd = cwd
        self._session_dir = session_dir
        self._more = more
        self._ended = read_to_end
        self._under_way: dict[str, tuple[int, int]] = {}  # what → files read, of how many
        self._elsewhere = 0
        self._reads_all = False

    @property
    def is_under_way(self) -> bool:
        """Whether anything is being read, sessions or what was said in them."""
        return bool(self._under_way)

    @property
    def files_elsewhere(self) -> int:
        """How many session files of other folders are not on the shelf."""
        return 0 if self._reads_all else self._elsewhere

    @property
    def words(self) -> str:
        """`` · reading sessions 120/2,000``."""
        return "".join(
            f" · reading {what} {done:,}/{total:,}"
            for what, (done, total) in self._under_way.items()
            if total
        )

    def sessions_here(self) -> None:
        self._start("sessions", self._read_here)

    def sessions_everywhere(self) -> None:
        """Read those of all folders, once."""
        if not self._reads_all:
            self._reads_all = True
            self._start("all sessions", self._read_everywhere)

    def look_for(self, words: list[str]) -> None:
        """Look for words in what was said, instead of others; sessions turn up meanwhile."""
        self._under_way["texts"] = (0, 0)
        self._run("texts", lambda: self._look_for(words))

    def stop(self) -> None:
        """Nothing more will come."""
        self._under_way.clear()

    def _start(self, what: str, read: Callable[[], None]) -> None:
        self._under_way[what] = (0, 0)
        self._run(what, read)

    def _run(self, group: str, read: Callable[[], None]) -> None:
        self._screen.run_worker(read, thread=True, group=group, exclusive=True, exit_on_error=False)

    # In threads

    def _read_here(self) -> None:
        files = files_here(self._cwd, self._session_dir)
        self._read("sessions", files)
        everywhere = files_everywhere(self._session_dir)
        self._tell(self._count_elsewhere, len(set(everywhere) - set(files)))

    def _read_everywhere(self) -> None:
        self._read("all sessions", files_everywhere(self._session_dir))

    def _read(self, what: str, files: list[Path]) -> None:
        worker = get_current_worker()
        done = 0
        for found in batches(files, lambda: worker.is_cancelled):
            done += len(found)
            self._tell(self.take_in, found, what, done, len(files))
        if not worker.is_cancelled:
            self._tell(self._end, what)

    def _look_for(self, words: list[str]) -> None:
        worker = get_current_worker()
        infos = self._shelf.newest()
        due = time.monotonic() + TEXTS_PAUSE
        for done, info in enumerate(infos):
            if worker.is_cancelled:
                return
            self._shelf.mentions.look(info, words)
            if time.monotonic() >= due:
                due = time.monotonic() + TEXTS_PAUSE
                self._tell(self._texts_progress, done, len(infos))
        self._tell(self._texts_progress, len(infos), len(infos))

    def _tell(self, what: Callable[..., None], *arguments: object) -> None:
        self._screen.app.call_from_thread(what, *arguments)

    # On the screen's side

    def take_in(self, found: Found, what: str, done: int, total: int) -> None:
        """Put what was found on the shelf; so much of it is done."""
        self._shelf.add(found)
        self._under_way[what] = (done, total)
        self._more()

    def _end(self, what: str) -> None:
        self._under_way.pop(what, None)
        self._ended()

    def _count_elsewhere(self, files: int) -> None:
        self._elsewhere = files
        self._more()

    def _texts_progress(self, done: int, total: int) -> None:
        self._under_way["texts"] = (done, total)
        if done == total:
            del self._under_way["texts"]
        self._more()
