"""`sapwood -p` against a real llama.cpp server: a chat, a resume, a real overflow and its recovery.

Run by ``make test-local-model``, which starts the server and names it in SAPWOOD_LOCAL_MODEL_URL.
The model is tiny and talks nonsense; what is checked is the bookkeeping around it. Its window is
not declared, so it must be learnt from the server's refusal.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from support.command import COMMAND, environment

URL = os.environ.get("SAPWOOD_LOCAL_MODEL_URL", "")
WINDOW = 8192

pytestmark = pytest.mark.skipif(not URL, reason="needs the server of make test-local-model")


class Project:
    """A folder to work in, with an agent dir that knows only the local model."""

    def __init__(self, root: Path) -> None:
        self.cwd = root / "project"
        self.agent_dir = root / "agent"
        self.cwd.mkdir()
        self.agent_dir.mkdir()
        model = {"id": "smollm2", "maxTokens": 64, "cost": {"input": 1, "output": 2}}
        local = {"api": "openai-completions", "baseUrl": f"{URL}/v1", "models": [model]}
        (self.agent_dir / "models.json").write_text(json.dumps({"providers": {"local": local}}))

    def sapwood(self, *arguments: str) -> list[dict[str, Any]]:
        """Run it; the events it wrote. Shows each run as it goes, for the log."""
        command = [*COMMAND, "--mode", "json", "-nt", "--model", "local/smollm2"]
        command += ["--system-prompt", "Answer in one short sentence."]
        started = time.monotonic()
        result = subprocess.run(
            [*command, *arguments],
            cwd=self.cwd,
            env=environment(self.agent_dir),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=900,
        )
        print(f"\n$ sapwood {' '.join(arguments)}  ({time.monotonic() - started:.0f} s)")
        assert result.returncode == 0, result.stderr
        events = [json.loads(line) for line in result.stdout.splitlines()]
        for event in events:
            if line := _told(event):
                print("  ", line)
        return events

    def entries(self) -> list[dict[str, Any]]:
        (path,) = self.agent_dir.rglob("sessions/**/*.jsonl")
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _told(event: dict[str, Any]) -> str | None:
    if event["type"] == "message_end" and event["message"]["role"] == "assistant":
        message = event["message"]
        usage = {k: message["usage"][k] for k in ("input", "output", "cacheRead")}
        said = "".join(block.get("text", "") for block in message["content"])[:60]
        outcome = message.get("errorMessage") or f"{said!r}"
        return f"{message['stopReason']} {usage} {outcome}"
    if event["type"].startswith(("compaction", "auto_retry", "agent_settled")):
        told = {k: v for k, v in event.items() if k in ("reason", "aborted", "errorMessage")}
        return f"{event['type']} {told}"
    return None


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("local-model"))


def assistants(project: Project) -> list[dict[str, Any]]:
    messages = [e["message"] for e in project.entries() if e["type"] == "message"]
    return [m for m in messages if m["role"] == "assistant"]


def test_a_chat_reports_real_usage(project: Project) -> None:
    project.sapwood("Say hello.")

    (message,) = assistants(project)
    assert message["stopReason"] in ("stop", "length")
    assert message["usage"]["input"] > 10
    assert 0 < message["usage"]["output"] <= 64
    assert message["usage"]["cost"]["total"] > 0


def test_a_resume_goes_on_in_the_same_session(project: Project) -> None:
    project.sapwood("-c", "And goodbye.")

    first, second = assistants(project)
    seen = [m["usage"]["input"] + m["usage"]["cacheRead"] for m in (first, second)]
    assert seen[1] > seen[0] + first["usage"]["output"]


def test_a_real_overflow_is_recovered_by_compaction(project: Project) -> None:
    """Two texts that do not fit the window together; each alone does."""
    for name, sentences in (("first.txt", 330), ("second.txt", 380)):
        text = "\n".join(f"The gardener waters apple tree number {n}." for n in range(sentences))
        (project.cwd / name).write_text(text)
    project.sapwood("-c", "@first.txt", "Read it.")
    events = project.sapwood("-c", "@second.txt", "Read this too.")

    refused = [m for m in assistants(project) if m["stopReason"] == "error"]
    assert len(refused) == 1
    assert "exceed_context_size_error" in refused[0]["errorMessage"]
    reasons = [event["reason"] for event in events if event["type"] == "compaction_start"]
    assert reasons[0] == "overflow"
    last = assistants(project)[-1]
    assert last["stopReason"] in ("stop", "length")
    assert 0 < last["usage"]["input"] + last["usage"]["cacheRead"] < WINDOW


def test_the_models_junk_summary_was_refused_and_the_extractor_used(project: Project) -> None:
    compaction = next(e for e in project.entries() if e["type"] == "compaction")

    assert compaction["usage"]["output"] > 0, "the model was asked for a summary"
    headings = [line for line in compaction["summary"].splitlines() if line.startswith("## ")]
    assert headings[0] == "## Goal"
    assert headings[-1] == "## Critical Context"
    assert "Say hello." in compaction["summary"], "requests are kept verbatim"


def test_the_session_goes_on_after_the_compaction(project: Project) -> None:
    project.sapwood("-c", "Thank you.")

    assert assistants(project)[-1]["stopReason"] in ("stop", "length")
