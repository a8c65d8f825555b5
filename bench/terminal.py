"""A real terminal to measure in: tmux, 120 × 40, watched through a control-mode client.

tmux tells such a client of every piece of output the moment the program writes it, so nothing is
polled: a time is that of the write as tmux passed it on. `method_latency` measures what the method
itself adds (a key through tmux to ``cat`` and back). Keys go in through the same client.

What is waited for is text in the output stream. A letter that was never on the screen before can
only be an echo; where a whole screen changes, the time is that of its last piece of output.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from types import TracebackType

WIDTH, HEIGHT = 120, 40
TIMEOUT = 60.0
QUIET = 0.25
"""Seconds without output after which a screen counts as finished; not part of any figure."""

_OUTPUT = b"%output "
_ESCAPED = re.compile(rb"\\([0-7]{3})")


class Terminal:
    """One program in one pane. Times are seconds of ``time.perf_counter``."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._socket = f"bench-{uuid.uuid4().hex[:12]}"
        self._environment = {**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._folder = folder
        self.output = bytearray()
        """Everything the program wrote since its launch."""
        self._written_at: list[tuple[int, float]] = []  # length of `output` after a piece, time
        self._unread = b""

    def __enter__(self) -> Terminal:
        # The shell waits for a line, so that a launch is one key and costs neither fork nor tmux.
        waiting = 'stty -echo; echo waiting; read line; eval "exec $line"'
        size = ["-x", str(WIDTH), "-y", str(HEIGHT), "-c", str(self._folder)]
        self._client = subprocess.Popen(
            ["tmux", "-L", self._socket, "-f", "/dev/null", "-C", "new-session", *size, waiting],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment,
        )  # fmt: skip
        self._tell(f"refresh-client -C {WIDTH}x{HEIGHT}")
        self.until("waiting")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        kill = ["tmux", "-L", self._socket, "kill-server"]
        subprocess.run(kill, capture_output=True, check=False)
        self._client.communicate()

    def launch(self, command: Sequence[str]) -> float:
        """Start the program; when that was."""
        self._type(shlex.join(command))
        self.settled(0.05)
        self.output.clear()
        self._written_at.clear()
        return self.key("Enter")

    def type(self, text: str) -> float:
        """Type; when the first key was hit."""
        now = time.perf_counter()
        self._type(text)
        return now

    def key(self, *names: str) -> float:
        """Keys by tmux's names: ``Enter``, ``C-u``; when the first was hit."""
        now = time.perf_counter()
        self._tell(f"send-keys {shlex.join(names)}")
        return now

    def until(self, pattern: str, since: int = 0, timeout: float = TIMEOUT) -> float:
        """When a text was written, looking at the output from position ``since``."""
        wanted = re.compile(pattern.encode())
        deadline = time.perf_counter() + timeout
        while (found := wanted.search(self.output, since)) is None:
            left = deadline - time.perf_counter()
            if left < 0:
                tail = bytes(self.output[-3000:]).decode("utf-8", "replace")
                raise AssertionError(f"{pattern!r} never came; the last output: {tail!r}")
            self._read(left)
        end = found.end()
        return next(at for length, at in self._written_at if length >= end)

    def settled(self, quiet: float = QUIET, timeout: float = TIMEOUT) -> float:
        """Wait until nothing has been written for ``quiet`` seconds; when the last piece was."""
        deadline = time.perf_counter() + timeout
        while self._read(quiet):
            if time.perf_counter() > deadline:
                raise AssertionError("the screen never came to rest")
        return self._written_at[-1][1] if self._written_at else 0.0

    def reaction(self, *names: str, sign: str = "", quiet: float = QUIET) -> float:
        """Seconds from a key to the last piece of output it leads to, or to that with ``sign``."""
        before, pieces = len(self.output), len(self._written_at)
        hit = self.key(*names)
        while len(self.output) == before:
            self._read(TIMEOUT)
        self.settled(quiet)
        found = self.output.find(sign.encode(), before) if sign else -1
        times = self._written_at[pieces:]
        shown = next((at for length, at in times if length > found >= 0), times[-1][1])
        return shown - hit

    def wait(self, seconds: float) -> None:
        """Take in output for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._read(left)

    @property
    def position(self) -> int:
        return len(self.output)

    @property
    def pid(self) -> int:
        """The process in the pane: the program itself, which took the shell's place."""
        show = ["tmux", "-L", self._socket, "display-message", "-p", "#{pane_pid}"]
        return int(subprocess.run(show, capture_output=True, check=True).stdout)

    def memory(self) -> float:
        """MB of resident memory of the program."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise AssertionError("the program has ended")

    def cpu(self) -> float:
        """Seconds of processor time the program has used, all its threads together."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _type(self, text: str) -> None:
        codes = " ".join(f"{byte:02x}" for byte in text.encode())
        self._tell(f"send-keys -H {codes}")

    def _tell(self, command: str) -> None:
        assert self._client.stdin is not None
        self._client.stdin.write(command.encode() + b"\n")
        self._client.stdin.flush()

    def _read(self, timeout: float) -> bool:
        """Take in what tmux says next; False when it says nothing for ``timeout`` seconds."""
        assert self._client.stdout is not None
        number = self._client.stdout.fileno()
        deadline = time.perf_counter() + timeout
        while (left := deadline - time.perf_counter()) > 0:
            if not select.select([number], [], [], left)[0]:
                return False
            piece = os.read(number, 1 << 20)
            now = time.perf_counter()
            if not piece:
                raise AssertionError("tmux has ended")
            if self._take_in(piece, now):
                return True
        return False

    def _take_in(self, piece: bytes, now: float) -> bool:
        """Whether the program wrote anything."""
        *lines, self._unread = (self._unread + piece).split(b"\n")
        before = len(self.output)
        for line in lines:
            if line.startswith(_OUTPUT):
                data = line[len(_OUTPUT) :].partition(b" ")[2]
                self.output += _ESCAPED.sub(lambda code: bytes([int(code[1], 8)]), data)
                self._written_at.append((len(self.output), now))
        return len(self.output) > before


def method_latency(environment: Mapping[str, str], folder: Path, keys: int = 40) -> float:
    """Milliseconds the method adds to each figure: a key to ``cat`` and its echo."""
    with Terminal(environment, folder) as terminal:
        terminal.launch(["sh", "-c", "stty raw; echo ready; cat"])
        terminal.until("ready")
        hits = ((terminal.type(letter), terminal.until(letter)) for letter in LETTERS[:keys])
        return median((echo - hit) * 1000 for hit, echo in hits)


_ALPHABETS = (range(0x410, 0x450), range(0x3B1, 0x3C2), range(0x10D0, 0x10F1), range(0x561, 0x587))
LETTERS = "".join(chr(code) for alphabet in _ALPHABETS for code in alphabet)
"""Letters that no program shows by itself: Cyrillic, Greek, Georgian, Armenian."""
