"""The stage for agent tests; every request made on it is checked when the test is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from support.stage import Stage


@pytest.fixture
async def stage_with(tmp_path: Path) -> AsyncIterator[Callable[..., Stage]]:
    """Build a `Stage` from answers: ``stage_with(steps, summaries, window=…)``."""
    from support.stage import Stage

    stages: list[Stage] = []

    def build(*arguments: Any, **options: Any) -> Stage:
        folder = tmp_path / f"stage{len(stages)}"
        folder.mkdir()
        stages.append(Stage(folder, *arguments, **options))
        return stages[-1]

    yield build
    for stage in stages:
        await stage.finish()
