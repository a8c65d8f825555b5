"""Where sessions live and what their files are called.

Folder and file names equal the reference's, so both programs find each other's sessions. The folder
name of a working folder is not injective (``/a/b-c`` and ``/a-b/c`` share one), so whoever lists a
folder filters by the header's ``cwd``. Ids are checked in full before they become part of a path.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def agent_dir() -> Path:
    """``$PI_CODING_AGENT_DIR``, else ``~/.pi/agent``."""
    configured = os.environ.get("PI_CODING_AGENT_DIR")
    return Path(configured).expanduser() if configured else Path.home() / ".pi" / "agent"


def session_folder_name(cwd: str | os.PathLike[str]) -> str:
    """The name of the folder for sessions made in ``cwd``."""
    resolved = re.sub(r"^[/\\]", "", os.path.abspath(cwd))
    return "--" + re.sub(r"[/\\:]", "-", resolved) + "--"


def default_session_dir(cwd: str | os.PathLike[str]) -> Path:
    """``$PI_CODING_AGENT_SESSION_DIR``, else the folder of ``cwd`` under the agent dir."""
    configured = os.environ.get("PI_CODING_AGENT_SESSION_DIR")
    if configured:
        return Path(configured).expanduser()
    return agent_dir() / "sessions" / session_folder_name(cwd)


def session_file_name(session_id: str, timestamp: str) -> str:
    """``timestamp`` is the header's, ISO 8601."""
    return f"{re.sub('[:.]', '-', timestamp)}_{session_id}.jsonl"


def valid_session_id(session_id: str) -> bool:
    """Letters, digits, ``.``, ``_`` and ``-``, with a letter or digit at both ends."""
    return _SESSION_ID.fullmatch(session_id) is not None
