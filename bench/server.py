"""A model for the bench: a server in the OpenAI chat format that gives one answer at a set pace."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Answer:
    """What every request is answered; ``pause`` is the time from one chunk to the next in s."""

    text: str = "ok"
    chunks: int = 1
    pause: float = 0.0

    def pieces(self) -> list[str]:
        size = -(-len(self.text) // self.chunks)
        return [self.text[at : at + size] for at in range(0, len(self.text), size)]


@contextmanager
def serve(answer: Answer) -> Iterator[str]:
    """The server's address; ``answer`` may be changed at any time."""

    class Handler(_Handler):
        given = answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def write_models(agent_dir: Path, url: str) -> None:
    """Make ``bench/one`` known there: a model whose window holds any session."""
    model = {"id": "one", "contextWindow": 100_000_000, "maxTokens": 4000}
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "k", "models": [model]}
    agent_dir.mkdir(parents=True, exist_ok=True)
    (agent_dir / "models.json").write_text(json.dumps({"providers": {"bench": provider}}))


class _Handler(BaseHTTPRequestHandler):
    given: Answer

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self._read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        due = time.perf_counter()
        for piece in self.given.pieces():
            time.sleep(max(0.0, due - time.perf_counter()))
            due += self.given.pause
            self._send({"content": piece})
        self._send({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def _read(self, left: int) -> None:
        while left > 0 and (piece := self.rfile.read(min(left, 1 << 20))):
            left -= len(piece)

    def _send(self, delta: dict[str, Any], finish: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "one"}
        data = json.dumps({**chunk, "choices": [choice]}, ensure_ascii=False)
        self.wfile.write(f"data: {data}\n\n".encode())
