"""Taking in a session from elsewhere: looked at first, then written under a free name.

Files of Sapwood and Pi come in byte for byte; logs of Claude Code and Codex are converted. The
source stays untouched, a failure leaves nothing behind, and no name or id that a file holds becomes
part of a path unless it is a valid session id.
"""

from __future__ import annotations

from pathlib import Path

from sapwood.errors import NotASessionError, SapwoodError
from sapwood.library.importing import claude_code, codex
from sapwood.library.importing.draft import IMPORT_TYPE, Draft, Provenance
from sapwood.library.importing.native import import_native, write_session
from sapwood.library.importing.recognise import recognise
from sapwood.library.importing.records import Tally, read_records
from sapwood.session.javascript import iso_timestamp
from sapwood.session.origin import SYSTEM, Origin
from sapwood.session.paths import default_session_dir
from sapwood.session.shapes import new_header

_CONVERTERS = {"claude-code": claude_code.convert, "codex": codex.convert}


def import_session(
    source: Path, cwd: Path, session_dir: Path | None = None, *, origin: Origin = SYSTEM
) -> Path:
    """Take ``source`` into the sessions of ``cwd`` and give the new file.

    The session works in ``cwd``, wherever it was recorded: that folder may be on another machine.

    Raises:
        NotASessionError: it is no session of a known kind.
        SapwoodError: it holds no conversation, is too large, or cannot be written.
    """
    folder = session_dir or default_session_dir(cwd)
    kind = recognise(source)
    if kind is None:
        raise NotASessionError(
            f"{source}: this is no session of Sapwood or Pi and no log of Claude Code or Codex."
        )
    if kind == "native":
        return import_native(source, cwd, folder, origin)
    tally = Tally()
    draft = _CONVERTERS[kind](read_records(source, tally), tally)
    return _write(draft, Provenance(source, kind, tally), cwd, folder, origin)


def _write(draft: Draft, provenance: Provenance, cwd: Path, folder: Path, origin: Origin) -> Path:
    if not draft.nodes:
        raise SapwoodError(f"{provenance.source}: there is nothing in this session to take in.")
    header = new_header(origin, str(cwd))
    header["timestamp"] = iso_timestamp(draft.nodes[0].ms)
    return write_session(folder, header, draft.lines(provenance, origin))


__all__ = ["IMPORT_TYPE", "import_session"]
