"""Where extensions are found, and how one is loaded.

In load order: installed packages (entry points of the group ``sapwood.extensions``), the agent
dir's ``extensions/*.py``, the trusted project's ``.pi/extensions/*.py``, then the paths that were
given (settings, ``-e``). An extension is a function ``extension(api)``. Files in other languages,
which other programs keep in the same folders, are passed over.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from sapwood.agent.extensions.api import ExtensionApi
from sapwood.agent.settings import PROJECT_FOLDER

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "sapwood.extensions"


@dataclass(frozen=True, slots=True)
class Source:
    """One extension that was found: its name, where it is, and what brings its function."""

    name: str
    path: str
    fetch: Callable[[], object]


def find_extensions(
    agent_dir: Path | None, trusted_project: Path | None, paths: Sequence[Path], discover: bool
) -> Iterator[Source]:
    """All extensions in load order, each file once."""
    folders: list[Path] = []
    if discover:
        yield from _installed()
        if agent_dir is not None:
            folders.append(agent_dir / "extensions")
        if trusted_project is not None:
            folders.append(trusted_project / PROJECT_FOLDER / "extensions")
    files = [file for folder in folders if folder.is_dir() for file in _files_in(folder)]
    files += [file for path in paths for file in (_files_in(path) if path.is_dir() else [path])]
    seen: set[str] = set()
    for file in files:
        real = os.path.realpath(file)
        if real not in seen:
            seen.add(real)
            yield Source(file.stem, str(file), partial(_from_file, file))


def load_extension(source: Source, api: ExtensionApi) -> str | None:
    """Let the extension register itself; what went wrong, or None."""
    try:
        function = source.fetch()
        if not callable(function):
            return "it has no function extension(api)"
        answer = function(api)
        if inspect.iscoroutine(answer):
            answer.close()
            return "extension(api) must not be async; its handlers may be"
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _files_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.py") if not file.name.startswith(("_", ".")))


def _installed() -> Iterator[Source]:
    from importlib.metadata import entry_points

    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        yield Source(entry.name, entry.value, partial(_from_entry_point, entry))


def _from_file(file: Path) -> object:
    return getattr(_module_from(file), "extension", None)


def _from_entry_point(entry: EntryPoint) -> object:
    """An entry point may name the function itself or the module that holds it."""
    found = entry.load()
    return getattr(found, "extension", None) if isinstance(found, ModuleType) else found


def _module_from(file: Path) -> ModuleType:
    digest = hashlib.sha256(os.fsencode(os.path.realpath(file))).hexdigest()[:8]
    name = f"sapwood_extension_{file.stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
