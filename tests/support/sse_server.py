"""A scripted HTTP server on 127.0.0.1 that streams server-sent events and sees clients hang up."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Reply:
    """What to answer: ``events`` as (name | None, data) of a stream, or ``body`` as plain JSON.

    ``cut``: drop the connection after the events. ``hang``: keep it open, silent, until the client
    goes away. ``pause``: seconds between events.
    """

    status: int = 200
    body: Any = None
    events: list[tuple[str | None, Any]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hang: bool = False
    pause: float = 0.0


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Body


class SseServer:
    """Answers each POST with `answer(body)`; keeps what it was asked."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.requests: list[Request] = []
        self.hung_up = threading.Event()
        self.hung_up_at = 0.0
        self._answer = answer
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {k.lower(): v for k, v in self.headers.items()}
                request = Request(self.path, headers, body)
                outer.requests.append(request)
                reply = outer._answer(request)
                if reply.events or reply.hang:
                    self._stream(reply)
                else:
                    self._plain(reply)

            def _plain(self, reply: Reply) -> None:
                data = b"" if reply.body is None else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, reply: Reply) -> None:
                try:
                    self._send_stream(reply)
                except ConnectionError:
                    self._note_hang_up()

            def _send_stream(self, reply: Reply) -> None:
                self.send_response(reply.status)
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for name, data in reply.events:
                    self._chunk(name, data)
                    time.sleep(reply.pause)
                if reply.hang:
                    self._wait_for_hang_up()
                elif reply.cut:
                    self.close_connection = True
                    self.connection.shutdown(2)
                else:
                    self.wfile.write(b"0\r\n\r\n")

            def _chunk(self, name: str | None, data: Any) -> None:
                text = data if isinstance(data, str) else json.dumps(data)
                line = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
                raw = line.encode()
                self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
                self.wfile.flush()

            def _wait_for_hang_up(self) -> None:
                self.connection.settimeout(20)
                if self.connection.recv(1) == b"":
                    self._note_hang_up()

            def _note_hang_up(self) -> None:
                outer.hung_up_at = time.monotonic()
                outer.hung_up.set()
                self.close_connection = True

        return Handler


@contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[SseServer]:
    server = SseServer(answer)
    try:
        yield server
    finally:
        server.close()


def in_turn(replies: list[Reply]) -> Callable[[Request], Reply]:
    """Answers with each of `replies` once, then with the last one again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]
