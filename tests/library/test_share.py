"""Sharing: masked, through gh or a token, and politely refused without either."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sapwood.library.share import ShareError, prepare_share, publish
from support.message_makers import assistant, session, user

KEY = "gh" + "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9"
GH = """#!/bin/sh
if [ "$1" = auth ]; then exit {status}; fi
printf '%s\\n' "$@" > {folder}/arguments
shift 4
cat "$@" > {folder}/published
echo "- Creating gist" >&2
echo https://gist.github.com/secret/1
"""


class GitHub:
    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self.status = 201
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, self.headers["Authorization"], body))
                self.send_response(outer.status)
                self.end_headers()
                self.wfile.write(b'{"html_url": "https://gist.github.com/secret/2"}')

            def log_message(self, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def github() -> Iterator[GitHub]:
    service = GitHub()
    threading.Thread(target=service.server.serve_forever, daemon=True).start()
    yield service
    service.server.shutdown()
    service.server.server_close()


def fake_gh(folder: Path, status: int = 0) -> dict[str, str]:
    program = folder / "gh"
    program.write_text(GH.format(status=status, folder=folder))
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_gh_publishes_exactly_what_was_looked_at(tmp_path: Path) -> None:
    prepared = prepare_share(session(user(f"my key is {KEY}"), assistant("noted")))
    assert "Masked 1: 1 × GitHub token." in prepared.description
    address = publish(prepared, environ=fake_gh(tmp_path), api="http://127.0.0.1:1")
    assert address == "https://gist.github.com/secret/1"
    published = (tmp_path / "published").read_text()
    assert published == "".join(prepared.files.values())
    assert KEY not in published
    assert "--public" not in (tmp_path / "arguments").read_text()


def test_a_token_publishes_when_gh_is_not_logged_in(tmp_path: Path, github: GitHub) -> None:
    prepared = prepare_share(session(user("hello")))
    environ = {**fake_gh(tmp_path, status=1), "GITHUB_TOKEN": "t0ken"}
    assert publish(prepared, environ=environ, api=github.address).endswith("/secret/2")
    [(path, authorization, body)] = github.requests
    assert (path, authorization, body["public"]) == ("/gists", "Bearer t0ken", False)
    assert {name: each["content"] for name, each in body["files"].items()} == prepared.files


def test_without_either_it_says_what_helps(github: GitHub) -> None:
    prepared = prepare_share(session(user("hello")))
    with pytest.raises(ShareError, match="gh auth login"):
        publish(prepared, environ={"PATH": "/nowhere"}, api=github.address)
    assert github.requests == []


def test_a_refusal_is_one_line_without_the_token(github: GitHub) -> None:
    github.status = 403
    with pytest.raises(ShareError, match="status 403") as failure:
        publish(
            prepare_share(session(user("x"))),
            environ={"PATH": "/nowhere", "GH_TOKEN": "t0ken"},
            api=github.address,
        )
    assert "t0ken" not in str(failure.value)


def test_a_service_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ShareError, match="could not be reached"):
        publish(
            prepare_share(session(user("x"))),
            environ={"PATH": "/nowhere", "GH_TOKEN": "t"},
            api="http://127.0.0.1:1",
        )


def test_masking_can_be_left_out_on_purpose() -> None:
    prepared = prepare_share(session(user(KEY)), mask=False)
    assert any(KEY in text for text in prepared.files.values())
