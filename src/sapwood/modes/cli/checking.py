"""What is odd about a session file: what reading it found, and what projecting it finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from sapwood.modes.cli.opening import locate
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.manager import SessionManager
from sapwood.text import one_line


@dataclass(frozen=True, slots=True)
class Findings:
    """``entries`` were read from ``path``; ``messages`` of them are in the context."""

    path: Path
    entries: int
    messages: int
    diagnostics: list[Diagnostic]

    def json(self) -> dict[str, Any]:
        found = [asdict(diagnostic) for diagnostic in self.diagnostics]
        return {"path": str(self.path), "entries": self.entries, "diagnostics": found}


def check(session: str, session_dir: Path | None) -> Findings:
    """Raises ``SessionError`` for what is no session at all."""
    from sapwood.context.projection import project

    path = locate(session, session_dir)
    with SessionManager.open(path, session_dir, writer="none") as manager:
        projection = project(manager.tree)
        return Findings(
            path,
            len(manager.tree),
            len(projection.items),
            [*manager.diagnostics, *projection.diagnostics],
        )


def check_lines(found: Findings, width: int) -> Iterator[str]:
    """One finding per paragraph: where, how often, what."""
    for diagnostic in found.diagnostics:
        times = f" ({diagnostic.count}×)" if diagnostic.count > 1 else ""
        where = f"line {diagnostic.line}: " if diagnostic.line else ""
        text = one_line(f"{where}{diagnostic.kind}{times}: {diagnostic.message}")
        yield from wrap(text, width, subsequent_indent="  ")
    entries = "1 entry" if found.entries == 1 else f"{found.entries:,} entries"
    messages = "1 message" if found.messages == 1 else f"{found.messages:,} messages"
    outcome = "nothing odd" if not found.diagnostics else f"{len(found.diagnostics)} to report"
    yield f"{entries}, {messages} in the context: {outcome}."
