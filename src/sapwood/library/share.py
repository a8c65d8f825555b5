"""A session as a secret gist: masked, looked at, then published with ``gh`` or a GitHub token.

``prepare_share`` writes nothing and sends nothing; what it gives is exactly what ``publish`` sends.
A secret gist is not private: whoever has its address can read it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError
from sapwood.library.export import file_stem
from sapwood.library.redact import Masker, described
from sapwood.session.codec import decode_line
from sapwood.text import one_line, plain_text

if TYPE_CHECKING:
    from sapwood.session.manager import SessionManager

API = "https://api.github.com"
MAX_BYTES = 50 * 1024 * 1024
"""Beyond it GitHub takes no gist."""

_SECONDS = 120.0
_LOGIN_SECONDS = 15.0
_MAX_ANSWER = 1024 * 1024
_MAX_TITLE = 200


_NO_ADDRESS = "GitHub gave no address for the gist; look at gist.github.com."


class ShareError(SapwoodError):
    """The session was not published; the message says why and what helps."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What would be published: contents by file name, and what was masked in them."""

    title: str
    files: Mapping[str, str] = field(repr=False)
    masker: Masker

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(len(text.encode()) for text in self.files.values())

    @property
    def description(self) -> str:
        """For a look before it goes: the files, what was masked and how it reads."""
        names = " and ".join(self.files)
        lines = [f"{names}, {self.size / 1024:,.0f} KiB. {described(self.masker)}"]
        lines += [f"  {one_line(sample)}" for sample in self.masker.samples]
        return "\n".join(lines)


def prepare_share(manager: SessionManager, *, mask: bool = True) -> Prepared:
    """The session as a page and as a transcript of its path, keys masked unless told otherwise.

    Raises ``ShareError`` when that is more than a gist may hold.
    """
    masker = Masker()
    tree = masker.tree(manager.tree) if mask else manager.tree
    from sapwood.library.export.html import html_pages
    from sapwood.library.export.markdown import markdown_pieces

    stem = file_stem(manager)
    page = _whole(html_pages(tree), MAX_BYTES)
    transcript = _whole(markdown_pieces(tree), MAX_BYTES - len(page))
    title = masker.text(manager.get_session_name() or "") or f"Session {manager.session_id}"
    return Prepared(
        title=one_line(title)[:_MAX_TITLE],
        files={f"{stem}.html": page.decode(), f"{stem}.md": transcript.decode()},
        masker=masker,
    )


def _whole(pieces: Iterable[bytes], room: int) -> bytes:
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) > room:
            raise ShareError("The session is too large for a gist; /export writes it to a file.")
    return bytes(held)


def publish(prepared: Prepared, *, environ: Mapping[str, str] = os.environ, api: str = API) -> str:
    """Make the secret gist and give its address.

    ``gh`` is used if it is there and logged in, else the token of ``GITHUB_TOKEN`` or ``GH_TOKEN``.
    Raises ``ShareError`` when there is neither, and when GitHub refuses.
    """
    if (program := _logged_in_gh(environ)) is not None:
        return _by_gh(program, prepared, environ)
    token = environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN")
    if token:
        return _by_token(token, prepared, api)
    raise ShareError(
        "Sharing needs a GitHub login: run 'gh auth login', or set GITHUB_TOKEN to a token that"
        " may write gists. /export writes a file instead."
    )


def _logged_in_gh(environ: Mapping[str, str]) -> str | None:
    program = shutil.which("gh", path=environ.get("PATH"))
    if program is None:
        return None
    try:
        status = subprocess.run(
            [program, "auth", "status"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LOGIN_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return program if status.returncode == 0 else None


def _by_gh(program: str, prepared: Prepared, environ: Mapping[str, str]) -> str:
    with tempfile.TemporaryDirectory(prefix="sapwood-share-") as folder:
        paths = [Path(folder, name) for name in prepared.files]
        for path, text in zip(paths, prepared.files.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run(
                [program, "gist", "create", "--desc", prepared.title, *map(str, paths)],
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            said = f"gh did not answer within {_SECONDS:.0f} s; look at gist.github.com"
            raise ShareError(f"{said} whether the gist is there.") from None
        except OSError as error:
            said = one_line(error.strerror or str(error))
            raise ShareError(f"gh did not publish the session: {said}") from None
    if done.returncode != 0:
        raise ShareError(f"gh did not publish the session: {_last_line(done.stderr)}")
    return _address(_last_line(done.stdout))


def _by_token(token: str, prepared: Prepared, api: str) -> str:
    body = {
        "description": prepared.title,
        "public": False,
        "files": {name: {"content": text} for name, text in prepared.files.items()},
    }
    request = urllib.request.Request(
        f"{api}/gists",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "User-Agent": "sapwood",
        },
    )
    try:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=_SECONDS) as answer:
            reply = decode_line(answer.read(_MAX_ANSWER))
    except urllib.error.HTTPError as error:
        hint = " (may the token write gists?)" if error.code in (401, 403, 404) else ""
        raise ShareError(f"GitHub refused the gist with status {error.code}{hint}.") from None
    except ValueError:
        raise ShareError(_NO_ADDRESS) from None
    except (OSError, HTTPException) as error:
        raise ShareError(f"GitHub could not be reached: {one_line(str(error))}") from None
    return _address(reply.get("html_url") if isinstance(reply, dict) else None)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is a refusal: the token goes nowhere but to GitHub."""

    def redirect_request(self, *_: object) -> None:
        return None


def _address(text: object) -> str:
    if isinstance(text, str) and text.startswith("https://"):
        return one_line(text)
    raise ShareError(_NO_ADDRESS)


def _last_line(output: bytes) -> str:
    lines = plain_text(output.decode("utf-8", "replace")).strip().splitlines()
    return one_line(lines[-1])[:300] if lines else "it gave no reason."
