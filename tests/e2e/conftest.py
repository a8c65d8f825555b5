"""A stage whose agent dir the ``sapwood`` command is pointed at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
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
