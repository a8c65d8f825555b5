"""The session files of the bench, made when they are first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench import generate

ENTRIES_100_MB = 44_905
RESULT_SIZE = 6400  # characters of a tool result; makes that many entries 100 MB


@dataclass(frozen=True, slots=True)
class Files:
    """``scale`` divides the sizes."""

    folder: Path
    scale: int

    @property
    def project(self) -> Path:
        """The folder to which the sessions of `many` belong."""
        return self.folder / "project"

    def big(self, *, compacted: bool) -> str:
        """100 MB."""
        name = "compacted" if compacted else "plain"
        return self._session(name, ENTRIES_100_MB, compacted=compacted)

    def tenth(self) -> str:
        """10 MB."""
        return self._session("tenth", ENTRIES_100_MB // 10)

    def _session(self, name: str, entries: int, *, compacted: bool = False) -> str:
        lines = generate.session(
            1,
            entries=entries // self.scale,
            result_size=RESULT_SIZE,
            compacted=compacted,
            branch_every=230,
        )
        return str(generate.write(self.folder / f"{name}.jsonl", lines))

    def chain(self, entries: int) -> str:
        count = entries // self.scale
        return str(generate.write(self.folder / f"chain-{count}.jsonl", generate.chain(2, count)))

    def tail(self, entries: int) -> str:
        """Entries of which a compaction near the end keeps the same last turns."""
        lines = generate.session(3, entries=entries, result_size=200, compacted=True)
        return str(generate.write(self.folder / f"tail-{entries}.jsonl", lines))

    def many(self) -> str:
        count, folder, cwd = 2000 // self.scale, self.folder / "sessions", str(self.project)
        return str(generate.sessions(folder, count, 5400, cwd))
