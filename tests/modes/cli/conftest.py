"""A private agent dir and project for every test, and the ``session`` command run in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sapwood.modes.main import main

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def private_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("PI_CODING_AGENT_SESSION_DIR", raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run ``sapwood session …``; standard output, and the status if another than 0 is meant.

    What it said on standard error is in ``run.err``.
    """

    def run(*args: str | Path, status: int = 0) -> str:
        got = main(["session", *map(str, args)])
        out, err = capfdbinary.readouterr()
        assert got == status, err.decode()
        run.err = err.decode()  # type: ignore[attr-defined]
        return out.decode()

    return run
