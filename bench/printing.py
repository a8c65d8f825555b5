"""``-p`` from start to exit: both programs ask the same scripted server, in turn.

One prompt, one short answer in the OpenAI chat format, no session file: what is left is start-up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

_ARGUMENTS = ["-p", "--no-session", "--model", "bench/one", "Say ok."]


def print_times(reference: list[str] | None, runs: int) -> tuple[float, float | None]:
    """Median ms from start to exit, ours and the reference's (``reference``: how to start it)."""
    ours = [str(Path(sys.executable).parent / "sapwood")]
    programs = [ours, *([reference] if reference else [])]
    with _server() as url, tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder), url)
        rounds = [
            [_wall([*program, *_ARGUMENTS], environment) for program in programs]
            for _ in range(runs + 1)  # the first one warms the caches
        ]
    medians = [median(times) for times in zip(*rounds[1:], strict=True)]
    return medians[0], medians[1] if reference else None


def _environment(folder: Path, url: str) -> dict[str, str]:
    model = {"id": "one", "contextWindow": 100_000, "maxTokens": 4000}
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "k", "models": [model]}
    (folder / "models.json").write_text(json.dumps({"providers": {"bench": provider}}))
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PI_CODING_AGENT_DIR": str(folder), "PI_OFFLINE": "1"}


def _wall(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=True, env=environment
    )
    assert done.stdout == b"ok\n", done.stdout
    return (time.perf_counter() - started) * 1000


class _Answer(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for delta, finish in (({"content": "ok"}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "one"}
            self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


@contextmanager
def _server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
