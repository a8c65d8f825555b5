"""``sapwood session import``: go on here with a session from elsewhere."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import click

from sapwood.modes.cli.opening import json_option, session_dir_option
from sapwood.modes.cli.output import note, say, say_json
from sapwood.modes.cli.session import session_group
from sapwood.session.manager import SessionManager
from sapwood.text import one_line


@session_group.command("import")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@json_option
@session_dir_option
def import_command(file: Path, as_json: bool, session_dir: Path | None) -> None:
    """Take in a session of Sapwood, Pi, Claude Code or Codex.

    Prints the new session's file and how many messages of which role it has. FILE stays as it is.
    """
    from sapwood.library.importing import import_session

    path = import_session(file, Path(os.getcwd()), session_dir)
    with SessionManager.open(path, writer="none") as manager:
        counts, origin = _message_counts(manager), _provenance(manager)
    oddities: dict[str, int] = origin.get("oddities", {})
    if as_json:
        format_name = origin.get("format", "native")
        say_json(
            {"path": f"{path}", "format": format_name, "messages": counts, "oddities": oddities}
        )
        return
    say(f"{path}")
    say(", ".join(f"{count} {one_line(role)}" for role, count in counts.items()) or "no messages")
    if oddities:
        note("; ".join(f"{one_line(name)}: {count}" for name, count in oddities.items()))


def _message_counts(manager: SessionManager) -> dict[str, int]:
    """How many messages of each role are in the file, on all branches."""
    return dict(Counter(str(e.message.get("role")) for e in manager.get_entries() if e.message))


def _provenance(manager: SessionManager) -> dict[str, Any]:
    """What a conversion noted at the start of the session; nothing for a copy."""
    from sapwood.library.importing import IMPORT_TYPE

    first = manager.get_entries()[0]
    noted = first.type == "custom" and first.data.get("customType") == IMPORT_TYPE
    data = first.data.get("data") if noted else None
    return data if isinstance(data, dict) else {}
