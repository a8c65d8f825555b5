"""``from sapwood import …``: lazy, complete, and the ten lines of the README."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sapwood


def test_every_public_name_is_there() -> None:
    assert all(getattr(sapwood, name) is not None for name in sapwood.__all__)
    assert set(sapwood.__all__) <= set(dir(sapwood))
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = sapwood.nothing_like_it


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, sapwood; print([m for m in sys.modules if m.startswith('sapwood.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_ten_lines_are_an_agent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sapwood import SessionManager, create_agent_session

    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": "Hello from the script."}]))

    def show(event: dict[str, object]) -> None:
        if event["type"] == "message_update":
            print(event["assistantMessageEvent"].get("delta", ""), end="")  # type: ignore[attr-defined]

    session = await create_agent_session(
        manager=SessionManager.create(tmp_path, tmp_path / "sessions"),
        model=f"scripted/{script}",
        agent_dir=tmp_path / "agent",
    )
    session.subscribe(show)
    await session.prompt("Say hello")
    assert session.last_assistant_text() == "Hello from the script."
    await session.dispose()
    assert capsys.readouterr().out == "Hello from the script."
