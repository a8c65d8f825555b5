"""Our side of the bench: one task per process, timings in milliseconds as JSON on standard output.

    python -m bench.tasks open FILE

Each task has its counterpart of the same name in reference.mjs.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Times = dict[str, float]


class Watch:
    """Milliseconds from one ``lap`` to the next."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        now = time.perf_counter()
        passed = (now - self._last) * 1000
        self._last = now
        return passed


def open_session(file: str) -> Times:
    """Open a session and project its path: what happens before the first request."""
    from sapwood.context.projection import project
    from sapwood.session.manager import SessionManager

    watch = Watch()
    manager = SessionManager.open(file, writer="none")
    opened = watch.lap()
    project(manager.tree)
    projected = watch.lap()
    return {"open": opened, "project": projected, "both": opened + projected}


def chain(file: str) -> Times:
    """Open, project, build the tree, fork: on one long line of entries."""
    from sapwood.context.projection import project
    from sapwood.session.manager import SessionManager

    with tempfile.TemporaryDirectory() as folder:
        watch = Watch()
        manager = SessionManager.open(file, folder, writer="none")
        times = {"open": watch.lap()}
        project(manager.tree)
        times["project"] = watch.lap()
        manager.get_tree()
        times["tree"] = watch.lap()
        manager.branched(manager.get_leaf())
        times["fork"] = watch.lap()
    return times


def append(count: str) -> Times:
    """Append messages of 2 kB, one after the other; the time of one."""
    from sapwood.session.manager import SessionManager

    text = "word " * 400
    with tempfile.TemporaryDirectory() as folder, SessionManager.create("/w", folder) as manager:
        for stamp in range(20):
            manager.append_message({"role": "user", "content": text, "timestamp": stamp})
        watch = Watch()
        for stamp in range(int(count)):
            manager.append_message({"role": "user", "content": text, "timestamp": stamp})
        return {"append": watch.lap() / int(count)}


def list_all(folder: str) -> Times:
    """List a folder without a cache, then through it."""
    from sapwood.library.catalogue import Catalogue

    with tempfile.TemporaryDirectory() as cache:
        file = Path(cache) / "sessions.msgpack"
        watch = Watch()
        Catalogue(file).list_all(Path(folder))
        cold = watch.lap()
        Catalogue(file).list_all(Path(folder))
        return {"cold": cold, "again": watch.lap()}


def turn(file: str) -> Times:
    """Project again after one more append: what each turn costs. The median of many turns."""
    from statistics import median

    from sapwood.context.projection import project
    from sapwood.session.manager import SessionManager

    with SessionManager.open(file, writer="none") as stored:
        entries = [entry.data for entry in stored.tree.entries]
    manager = SessionManager.in_memory("/w", entries=entries)
    project(manager.tree)
    times = []
    for stamp in range(50):
        manager.append_message({"role": "user", "content": "next", "timestamp": stamp})
        watch = Watch()
        project(manager.tree)
        times.append(watch.lap())
    return {"project": median(times)}


def tree_view(file: str) -> Times:
    """The rows of the tree: open, a filter, then letters of a search (once warmed)."""
    from sapwood.library.tree_rows import TreeFilter, TreeView
    from sapwood.session.manager import SessionManager

    manager = SessionManager.open(file, writer="none")
    watch = Watch()
    view = TreeView(manager.tree)
    rows = view.rows()
    _ = rows[-40:]
    times = {"open": watch.lap()}
    _ = view.rows(TreeFilter.NO_TOOLS)[-40:]
    times["filter"] = watch.lap()
    view.texts.warm(view.entries, 600)
    times["warm"] = watch.lap()
    _ = view.rows(search="re")[-40:]
    times["letter"] = watch.lap()
    return times


def imports() -> Times:
    """The import of the session package."""
    watch = Watch()
    import sapwood.session  # noqa: F401

    return {"import": watch.lap()}


TASKS: dict[str, Callable[..., Times]] = {
    "open": open_session,
    "chain": chain,
    "append": append,
    "list": list_all,
    "turn": turn,
    "tree-view": tree_view,
    "import": imports,
}


def main(arguments: list[str]) -> None:
    name, *rest = arguments
    result: dict[str, Any] = TASKS[name](*rest)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result["memory"] = peak / (1024 if sys.platform != "darwin" else 1024 * 1024)
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1:])
