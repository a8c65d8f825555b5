"""From what was typed to an open session and an entry of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sapwood.errors import EntryNotFoundError, NotASessionError, SessionError, SessionNotFoundError
from sapwood.modes import completion
from sapwood.modes.cli.output import note
from sapwood.session.entry import Entry
from sapwood.session.find import resolve_session
from sapwood.session.manager import SessionManager
from sapwood.session.tree import SessionTree
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.lock import Writer

_SHOWN = 4

session_dir_option = click.option(
    "--session-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where session files are kept.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")


def session_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument SESSION and the option that says where to look for it."""
    argument = click.argument("session", metavar="FILE|ID", shell_complete=completion.sessions)
    return argument(session_dir_option(command))


def locate(session: str, session_dir: Path | None) -> Path:
    """The file of a session given by path, id or prefix.

    Raises ``SessionNotFoundError``, and ``NotASessionError`` for an empty file: the library would
    start a session there, which nobody asks of these commands.
    """
    try:
        path = resolve_session(session, Path.cwd(), session_dir)
    except SessionNotFoundError:
        if not os.path.exists(session):
            raise
        path = Path(session)
    if path.is_file() and not path.stat().st_size:
        raise NotASessionError(f"{path}: the file is empty.")
    return path


@contextmanager
def opened(
    session: str, session_dir: Path | None, writer: Writer = "none"
) -> Iterator[SessionManager]:
    """The session, closed afterwards; below the answer one line notes what is odd about it."""
    path = locate(session, session_dir)
    with SessionManager.open(path, session_dir, writer=writer) as manager:
        yield manager
        _note_oddities(manager, session)


def _note_oddities(manager: SessionManager, session: str) -> None:
    for diagnostic in manager.diagnostics:
        if diagnostic.kind == "newer-version":
            note(diagnostic.message)
    others = sum(each.kind != "newer-version" for each in manager.diagnostics)
    if others:
        kinds = "1 oddity" if others == 1 else f"{others} kinds of oddities"
        note(f"{kinds} in this file; `sapwood session check {session}` tells more")


def find_entry(tree: SessionTree, text: str) -> Entry:
    """The entry with this id, or the only one whose id starts with it.

    Raises ``EntryNotFoundError``, and ``SessionError`` when several fit.
    """
    exact = tree.get(text)
    if exact is not None:
        return exact
    matches = {entry.id: entry for entry in tree.entries if text and entry.id.startswith(text)}
    if not matches:
        raise EntryNotFoundError(f"The session has no entry {one_line(text)!r}.")
    if len(matches) > 1:
        ids = ", ".join(map(one_line, list(matches)[:_SHOWN]))
        more = ", …" if len(matches) > _SHOWN else ""
        raise SessionError(f"{len(matches)} entries fit {one_line(text)!r}: {ids}{more}.")
    return next(iter(matches.values()))
