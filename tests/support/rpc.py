"""A program that drives Sapwood, or the reference, over RPC: real process, real pipes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from support.command import environment, wait_until
from support.warm import WarmProcess

if TYPE_CHECKING:
    from support.stage import Stage

Record = dict[str, Any]


class Rpc:
    """One process in RPC mode: ours, warm, or another command.

    ``records`` holds what it wrote, in order, ``lines`` the same as bytes.
    """

    def __init__(
        self, stage: Stage, *arguments: str, command: Sequence[str] | None = None, **more: str
    ) -> None:
        words = ["--mode", "rpc", *arguments]
        env = environment(stage.agent_dir, **more)
        self.process: subprocess.Popen[bytes] | WarmProcess
        if command is None:
            self.process = WarmProcess(words, cwd=stage.project, env=env)
        else:
            self.process = subprocess.Popen(
                [*command, *words],
                cwd=stage.project,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        self.records: list[Record] = []
        self.lines: list[bytes] = []
        self.errors = b""
        self._asked = 0
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_records, self._read_errors)
        ]
        for thread in self._threads:
            thread.start()

    def _read_records(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:  # bytes: ends at LF only
            assert line.endswith(b"\n")
            self.lines.append(line)
            with contextlib.suppress(RecursionError):  # nested deeper than Python reads
                self.records.append(json.loads(line))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    # Talking

    def send(self, **fields: Any) -> None:
        self.send_bytes(json.dumps(fields).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, command: str, /, **fields: Any) -> Record:
        """Send a command with an id of its own and wait for its response."""
        self._asked += 1
        request_id = f"ask-{self._asked}"
        self.send(id=request_id, type=command, **fields)
        return self.response(request_id)

    def data(self, command: str, /, **fields: Any) -> Any:
        """The data of a command that must succeed."""
        response = self.ask(command, **fields)
        assert response["success"], response
        return response.get("data")

    def error(self, command: str, /, **fields: Any) -> str:
        """The error of a command that must fail."""
        response = self.ask(command, **fields)
        assert not response["success"], response
        return str(response["error"])

    # Listening

    def find(self, fits: Callable[[Record], bool]) -> list[Record]:
        return [record for record in self.records if fits(record)]

    def all(self, kind: str) -> list[Record]:
        """The records of one type so far."""
        return self.find(lambda record: record["type"] == kind)

    def wait(self, fits: Callable[[Record], bool], count: int = 1) -> Record:
        """The record number `count` that fits, once it is there."""
        wait_until(lambda: len(self.find(fits)) >= count or not self._is_listening())
        found = self.find(fits)
        assert len(found) >= count, (self.records[-5:], self.errors)
        return found[count - 1]

    def event(self, kind: str, count: int = 1) -> Record:
        return self.wait(lambda record: record["type"] == kind, count)

    def response(self, request_id: Any) -> Record:
        return self.wait(lambda r: r["type"] == "response" and r.get("id") == request_id)

    def question(self, method: str) -> Record:
        """What an extension asks, or tells, the person."""
        return self.wait(
            lambda r: r["type"] == "extension_ui_request" and r["method"] == method,
        )

    def prompt(self, message: str, **fields: Any) -> None:
        """Prompt and wait until it is settled."""
        settled = len(self.all("agent_settled"))
        assert self.data("prompt", message=message, **fields) == {"disposition": "started"}
        self.event("agent_settled", settled + 1)

    def types(self, *left_out: str) -> list[str]:
        """What came, in order: events by type, responses by command."""
        names = (r["command"] if r["type"] == "response" else r["type"] for r in self.records)
        return [name for name in names if name not in left_out]

    def _is_listening(self) -> bool:
        return self._threads[0].is_alive()

    # The end

    def close(self) -> int:
        """End standard input; the exit status."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.end()

    def end(self) -> int:
        """Wait for the end; the exit status."""
        try:
            status = self.process.wait(60)
        finally:
            self.process.kill()
        for thread in self._threads:
            thread.join(10)
        return status
