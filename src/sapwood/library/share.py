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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError
from sapwood.library.export import file_stem
from sapwood.library.redact import Masker, described
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.manager import SessionManager

API = "https://api.github.com"
MAX_BYTES = 50 * 1024 * 1024
"""Beyond it GitHub takes no gist."""

_SECONDS = 120.0


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
    prepared = Prepared(
        title=masker.text(manager.get_session_name() or "") or f"Session {manager.session_id}",
        files={
            f"{stem}.html": b"".join(html_pages(tree)).decode(),
            f"{stem}.md": b"".join(markdown_pieces(tree)).decode(),
        },
        masker=masker,
    )
    if prepared.size > MAX_BYTES:
        raise ShareError("The session is too large for a gist; /export writes it to a file.")
    return prepared


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
            timeout=_SECONDS,
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
                text=True,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise ShareError(f"gh did not publish the session: {one_line(str(error))}") from None
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
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            reply = json.load(answer)
    except urllib.error.HTTPError as error:
        hint = " (may the token write gists?)" if error.code in (401, 403, 404) else ""
        raise ShareError(f"GitHub refused the gist with status {error.code}{hint}.") from None
    except (OSError, ValueError) as error:
        raise ShareError(f"GitHub could not be reached: {one_line(str(error))}") from None
    return _address(reply.get("html_url") if isinstance(reply, dict) else None)


def _address(text: object) -> str:
    if isinstance(text, str) and text.startswith(("https://", "http://")):
        return one_line(text)
    raise ShareError("GitHub gave no address for the gist; look at gist.github.com.")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return one_line(lines[-1]) if lines else "it gave no reason."
