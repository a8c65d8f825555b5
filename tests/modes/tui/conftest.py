"""The terminal of these tests shows all colours, whatever the one they are started from can do."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def full_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in ("NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(name, raising=False)
