"""What was being written survives the program: one small private file per session or folder.

The file holds the text alone and is removed with it. Nothing here may stand in the way of typing:
a disk that refuses is silently without drafts.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.files import write_atomic

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession

MAX_BYTES = 1_000_000


def draft_of(session: AgentSession, agent_dir: Path) -> Draft:
    """The draft of a session as it is now: of its file, or of its folder before it has one.

    Whoever only reads a session has a draft apart from the one who writes it.
    """
    manager = session.manager
    stored = manager.path is not None and manager.path.exists()
    mark = " read only" if manager.read_only else ""
    return Draft(agent_dir, f"{manager.path if stored else session.cwd}{mark}")


class Draft:
    """The draft of one session file, or of a folder when its session has no file yet."""

    def __init__(self, agent_dir: Path, key: str) -> None:
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self.path = agent_dir / "drafts" / f"{name}.txt"
        self._saved: str | None = None

    def load(self) -> str:
        """The text kept last time; empty when there is none."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return ""
        self._saved = data[:MAX_BYTES].decode("utf-8", "replace")
        return self._saved

    def save(self, text: str) -> None:
        """Keep the text; blank text removes the file."""
        if text == self._saved:
            return
        self._saved = text
        with suppress(OSError):
            if text.strip():
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_atomic(self.path, text.encode("utf-8", "replace")[:MAX_BYTES])
            else:
                self.path.unlink(missing_ok=True)
