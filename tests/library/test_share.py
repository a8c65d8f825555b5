"""Sharing: masked, through gh or a token, and politely refused without either."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sapwood.library import share
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
        self.headers: dict[str, str] = {}
        self.answer = b'{"html_url": "https://gist.github.com/secret/2"}'
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, self.headers["Authorization"], body))
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.answer)

            def do_GET(self) -> None:
                outer.requests.append((self.path, self.headers["Authorization"], {}))
                self.send_response(200)
                self.end_headers()

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


def fake_gh(folder: Path, status: int = 0, script: str = GH) -> dict[str, str]:
    program = folder / "gh"
    program.write_text(script.format(status=status, folder=folder))
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


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "#!/bin/sh\n[ $1 = auth ] || {{ printf '\\033[31mHTTP 422: \\377no\\n' >&2; exit 1; }}",
            "422: .no$",
        ),
        ("#!/bin/sh\n[ $1 = auth ] || exit 1", "no reason"),
        ("#!/bin/sh\n[ $1 = auth ] || echo done", "no address"),
        ("#!/bin/sh\n[ $1 = auth ] || kill -9 $$", "no reason"),
        ("#!/bin/sh\n[ $1 = auth ] || exec sleep 60", "did not answer within 1 s"),
        ("#!/bin/sh\n[ $1 = auth ] && rm $0", "No such file"),
    ],
)
def test_a_gh_that_fails_or_hangs_is_one_plain_line(
    tmp_path: Path, script: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "_SECONDS", 1.0)
    with pytest.raises(ShareError, match=said) as failure:
        publish(prepare_share(session(user("x"))), environ=fake_gh(tmp_path, script=script))
    assert str(failure.value).isprintable()


def test_a_login_that_hangs_counts_as_none(
    tmp_path: Path, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "_LOGIN_SECONDS", 0.5)
    environ = fake_gh(tmp_path, script="#!/bin/sh\nexec sleep 60\n") | {"GH_TOKEN": "t"}
    prepared = prepare_share(session(user("x")))
    assert publish(prepared, environ=environ, api=github.address).endswith("/secret/2")


def test_the_token_follows_no_redirect(github: GitHub) -> None:
    github.status, github.headers = 302, {"Location": f"{github.address}/elsewhere"}
    with pytest.raises(ShareError, match="status 302"):
        publish(
            prepare_share(session(user("x"))),
            environ={"PATH": "/nowhere", "GH_TOKEN": "t0ken"},
            api=github.address,
        )
    assert [path for path, _, _ in github.requests] == ["/gists"]


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"[]", b'{"html_url": 5}', b'{"html_url": "file:///x"}', b"\xff", b"[" * 9999],
)
def test_an_answer_without_an_address_says_where_to_look(github: GitHub, answer: bytes) -> None:
    github.answer = answer
    with pytest.raises(ShareError, match="no address"):
        publish(
            prepare_share(session(user("x"))),
            environ={"PATH": "/nowhere", "GH_TOKEN": "t"},
            api=github.address,
        )


def test_a_hostile_name_is_a_harmless_title(tmp_path: Path) -> None:
    manager = session(user("x"))
    manager.append_session_info("--public \x00\n\x1b[31m ../../\ud800 " + "x" * 5000)
    prepared = prepare_share(manager)
    assert prepared.title.isprintable()
    assert len(prepared.title) <= 200
    assert all(Path(name).name == name for name in prepared.files)
    publish(prepared, environ=fake_gh(tmp_path))
    assert (tmp_path / "arguments").read_text().splitlines()[3] == prepared.title


def test_too_much_for_a_gist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "MAX_BYTES", 100_000)
    with pytest.raises(ShareError, match="too large"):
        prepare_share(session(user("x" * 60_000), user("y" * 60_000)))


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
