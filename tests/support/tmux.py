"""The real program in a real terminal: one tmux server per test, keys in, screens out."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("sapwood")
TIMEOUT = 20.0


class Terminal:
    """A terminal of 100 × 30 unless said otherwise."""

    def __init__(self, environ: Mapping[str, str], width: int = 100, height: int = 30) -> None:
        self.socket = _socket()
        self.environ = {**os.environ, "TERM": "xterm-256color", **environ}
        self.size = (width, height)

    def _tmux(self, *arguments: str, given: str = "") -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", "/dev/null", *arguments],
            env=self.environ, capture_output=True, check=True, timeout=TIMEOUT,
            input=given.encode(),
        )  # fmt: skip
        return done.stdout.decode("utf-8", "replace")

    def start(self, folder: Path, *arguments: str) -> None:
        """Run the program; when it ends the terminal shows its status."""
        # tmux has a TERM of its own for what runs in it.
        command = shlex.join(["env", f"TERM={self.environ['TERM']}", str(PROGRAM), *arguments])
        self.run(folder, f"{command}; echo ended with $?; sleep 60")

    def run(self, folder: Path, command: str) -> None:
        """Run a shell command in a new terminal."""
        width, height = self.size
        self._tmux(
            "new-session", "-d", "-x", str(width), "-y", str(height), "-c", str(folder), command
        )

    def keys(self, *keys: str) -> None:
        """Keys by tmux's names: ``Enter``, ``Escape``, ``M-Enter``, ``C-c``."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def paste(self, text: str) -> None:
        """What a terminal sends for a paste: in brackets, line ends as carriage returns."""
        self._tmux("load-buffer", "-b", "paste", "-", given=text)
        self._tmux("paste-buffer", "-p", "-b", "paste")

    def resize(self, width: int, height: int) -> None:
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    @property
    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    @property
    def colours(self) -> set[int]:
        """The colour parameters (SGR) that stand on the screen; none where there is no colour."""
        screen = self._tmux("capture-pane", "-p", "-e")
        codes = ";".join(re.findall(r"\x1b\[([\d;:]*)m", screen)).replace(":", ";").split(";")
        numbers = {int(code) for code in codes if code}
        # tmux says "default colours" (39, 49) with every reset.
        return numbers & {*range(30, 39), *range(40, 49), *range(90, 108)}

    def until(self, *texts: str, gone: str = "") -> str:
        """Wait until all texts are on the screen (and one is not); gives the screen."""
        deadline = time.monotonic() + TIMEOUT
        screen = ""
        while time.monotonic() < deadline:
            screen = self.screen
            if all(text in screen for text in texts) and not (gone and gone in screen):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"waited for {texts}, without {gone!r}; on screen:\n{screen}")

    def stop(self) -> None:
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)
        self.socket = _socket()


def _socket() -> str:
    return f"sapwood-{uuid.uuid4().hex[:12]}"


@contextmanager
def terminal(agent_dir: Path, **options: int) -> Iterator[Terminal]:
    """A terminal whose programs keep their files in ``agent_dir``."""
    own = Terminal({"PI_CODING_AGENT_DIR": str(agent_dir)}, **options)
    try:
        yield own
    finally:
        own.stop()


def have_tmux() -> bool:
    return shutil.which("tmux") is not None
