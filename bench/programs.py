"""The two programs as a person starts them: each visit in a home of its own, beside one server."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.generate import CWD
from bench.reference import Reference
from bench.server import write_models
from bench.terminal import Terminal

_OPTIONS = ["--model", "bench/one"]


@dataclass(frozen=True, slots=True)
class Program:
    """How to start it; ``search`` is the key that begins a search in its tree, if one must."""

    command: tuple[str, ...]
    search: str = ""


OURS = Program((str(Path(sys.executable).parent / "sapwood"),), search="/")


def theirs(reference: Reference) -> Program:
    return Program(tuple(reference.command))


@dataclass(frozen=True, slots=True)
class Home:
    """The folders of one visit."""

    folder: Path
    project: Path
    environment: dict[str, str]

    def take_in(self, session: Path) -> Path:
        """A copy of a generated session, as one of this project."""
        copy = self.folder / session.name
        with session.open("rb") as source, copy.open("wb") as target:
            target.write(source.readline().replace(CWD.encode(), str(self.project).encode(), 1))
            while piece := source.read(1 << 20):
                target.write(piece)
        return copy


@contextmanager
def home(url: str, project: Path) -> Iterator[Home]:
    """A fresh one, whose only model is that of the server at ``url``."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        agent_dir = folder / "agent"
        places = {"HOME": name, "PI_CODING_AGENT_DIR": str(agent_dir)}
        write_models(agent_dir, url)
        project.mkdir(parents=True, exist_ok=True)
        yield Home(folder, project, {**kept, **places, "PI_OFFLINE": "1"})


@contextmanager
def started(program: Program, here: Home, *arguments: str) -> Iterator[tuple[Terminal, float]]:
    """The program in its terminal, and when it was launched; ended afterwards without ceremony."""
    with Terminal(here.environment, here.project) as terminal:
        launched = terminal.launch([*program.command, *_OPTIONS, *arguments])
        yield terminal, launched
