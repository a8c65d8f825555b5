"""A stage whose agent dir the ``sapwood`` command is pointed at."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bench.reference import Reference

    from support.rpc import Rpc
    from support.stage import Stage


@pytest.fixture
async def stage_with(tmp_path: Path) -> AsyncIterator[Callable[..., Stage]]:
    """Build a `Stage` from answers; its default model is set for the command."""
    from support.stage import PROVIDER, Stage

    stages: list[Stage] = []

    def build(*arguments: Any, settings: dict[str, Any] | None = None, **options: Any) -> Stage:
        chosen = {"defaultProvider": PROVIDER, "defaultModel": "fake-1"} | (settings or {})
        folder = tmp_path / f"stage{len(stages)}"
        folder.mkdir()
        stages.append(Stage(folder, *arguments, settings=chosen, **options))
        return stages[-1]

    yield build
    for stage in stages:
        await stage.finish()


@pytest.fixture
def start() -> Iterator[Callable[..., Rpc]]:
    """Start ``sapwood --mode rpc`` on a stage; it is ended with the test."""
    from support.rpc import Rpc

    started: list[Rpc] = []

    def begin(stage: Stage, *arguments: str, **more: Any) -> Rpc:
        started.append(Rpc(stage, *arguments, **more))
        return started[-1]

    yield begin
    for rpc in started:
        rpc.close()


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """The reference program, where it is installed."""
    from bench.reference import find_reference

    named = os.environ.get("SAPWOOD_REFERENCE")
    if not named:
        pytest.skip("SAPWOOD_REFERENCE names no folder with the reference program")
    folder = tmp_path_factory.mktemp("reference") if named == "npm" else Path(named)
    found = find_reference(folder)
    if found is None:
        pytest.skip(f"the reference program is not in {folder}, and npm did not bring it")
    return found
