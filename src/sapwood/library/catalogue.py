"""What is known of all session files, kept between runs so that a list need not read them again.

The cache is one file beside other caches. It holds a row per session file together with what told
it apart then (size, change time, inode); a file that has changed since is read again. It may be
deleted at any time; one that is damaged, or of another version, counts as none. It is replaced
whole, so programs that write it at once cannot spoil it, only repeat each other's reading.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import msgspec

from sapwood.files import make_private_folder, replace_atomic
from sapwood.session.info import SessionInfo, session_info
from sapwood.session.listing import Listing, list_all_sessions, list_here

_VERSION = 1
_FILE = "sessions.msgpack"


class _Known(msgspec.Struct, array_like=True, gc=False):
    """A file as it was read: its size in bytes, change time in ns, inode; None is no session."""

    size: int
    changed: int
    inode: int
    row: _Row | None


class _Row(msgspec.Struct, array_like=True, gc=False):
    """A `SessionInfo`; texts as bytes, for they may hold lone surrogates."""

    id: bytes
    cwd: bytes
    name: bytes | None
    parent_session: bytes | None
    created: int | None
    modified: int
    message_count: int
    first_message: bytes


class _Cache(msgspec.Struct, array_like=True):
    version: int
    files: dict[str, _Known]


def cache_file() -> Path:
    """``$XDG_CACHE_HOME/sapwood/sessions.msgpack``, by default below ``~/.cache``."""
    configured = os.environ.get("XDG_CACHE_HOME")
    base = Path(configured) if configured else Path.home() / ".cache"
    return base / "sapwood" / _FILE


class Catalogue:
    """Listings through the cache. One object per listing or program, as you like."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = cache_file() if file is None else file
        self._known = _load(self._file)
        self._changed = False

    def list_here(
        self, cwd: str | os.PathLike[str], session_dir: str | os.PathLike[str] | None = None
    ) -> Listing:
        """The sessions made in ``cwd``, newest first."""
        with self._saving():
            return list_here(cwd, session_dir, self.info)

    def list_all(self, root: Path | None = None) -> Listing:
        """The sessions of all working folders; with ``root`` those of that folder and below."""
        with self._saving():
            return list_all_sessions(root, self.info)

    def read(self, paths: Iterable[Path]) -> Generator[tuple[Path, SessionInfo | None], None, None]:
        """Row after row in the order of ``paths``, for a list that fills while it is read.

        What was read is kept, also when the reader stops before the end.
        """
        try:
            for path in paths:
                yield path, self.info(path)
        finally:
            if self._changed:
                self._save()

    def info(self, path: Path) -> SessionInfo | None:
        """The row of one file, from the cache if the file is still what it was."""
        key = os.path.abspath(path)
        try:
            status = os.stat(path)
        except OSError:
            self._changed |= self._known.pop(key, None) is not None
            return None
        state = status.st_size, status.st_mtime_ns, status.st_ino
        known = self._known.get(key)
        if known is None or (known.size, known.changed, known.inode) != state:
            info = session_info(path)
            self._known[key] = _Known(*state, None if info is None else _pack(info))
            self._changed = True
            return info
        return None if known.row is None else _unpack(path, known.row)

    @contextlib.contextmanager
    def _saving(self) -> Iterator[None]:
        yield
        if self._changed:
            self._save()

    def _save(self) -> None:
        """Write the cache; where that is impossible the next listing just reads again."""
        files = {key: known for key, known in self._known.items() if os.path.exists(key)}
        with contextlib.suppress(OSError):
            make_private_folder(self._file.parent)
            replace_atomic(self._file, [msgspec.msgpack.encode(_Cache(_VERSION, files))])
            self._changed = False


def _load(file: Path) -> dict[str, _Known]:
    try:
        cache = msgspec.msgpack.decode(file.read_bytes(), type=_Cache)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return cache.files if cache.version == _VERSION else {}


def _pack(info: SessionInfo) -> _Row:
    return _Row(
        _bytes(info.id),
        _bytes(info.cwd),
        None if info.name is None else _bytes(info.name),
        None if info.parent_session is None else _bytes(info.parent_session),
        info.created,
        info.modified,
        info.message_count,
        _bytes(info.first_message),
    )


def _unpack(path: Path, row: _Row) -> SessionInfo:
    return SessionInfo(
        path,
        _text(row.id),
        _text(row.cwd),
        None if row.name is None else _text(row.name),
        None if row.parent_session is None else _text(row.parent_session),
        row.created,
        row.modified,
        row.message_count,
        _text(row.first_message),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
