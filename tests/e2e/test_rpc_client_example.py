"""The client of examples/rpc_client.py, with a real Sapwood behind it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.command import environment

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]
EXAMPLES = Path(__file__).parents[2] / "examples"
GATE = EXAMPLES / "extensions" / "permission_gate.py"


def ask(stage: Stage, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    programs = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "rpc_client.py"), *arguments],
        cwd=stage.project,
        env=environment(stage.agent_dir, PATH=programs),
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_shows_the_answer_and_asks_the_person(stage_with: Build) -> None:
    call = {"name": "bash", "arguments": {"command": "rm -rf gone; echo removed"}}
    stage = stage_with([{"tools": [call]}, {"text": "All is\u2028gone."}])
    done = ask(stage, "Clean up.", "-e", str(GATE), typed="y\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("(y/n) All is\u2028gone.\n")
    assert "Run this command?" in done.stdout
    assert "[bash]" in done.stderr
    assert "removed" in str(stage.bodies()[-1]["messages"])


def test_it_says_what_went_wrong(stage_with: Build) -> None:
    stage = stage_with(settings={"defaultProvider": None, "defaultModel": None})
    (stage.agent_dir / "models.json").write_text('{"providers": {}}')
    done = ask(stage, "Hello?")
    assert (done.returncode, done.stdout) == (1, "")
    assert "No model is set" in done.stderr
