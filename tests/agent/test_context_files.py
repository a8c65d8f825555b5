from __future__ import annotations

import os
from pathlib import Path

import pytest

from sapwood.agent.context_files import (
    append_texts,
    custom_prompt,
    load_context_files,
    text_or_file,
)


@pytest.fixture
def agent_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "home/agent"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    folder = tmp_path / "top/project/sub"
    folder.mkdir(parents=True)
    return folder


def test_widest_first_and_one_per_folder(agent_dir: Path, cwd: Path) -> None:
    (agent_dir / "CLAUDE.md").write_text("user")
    top, project = cwd.parent.parent, cwd.parent
    (top / "AGENTS.md").write_text("top")
    (top / "CLAUDE.md").write_text("passed over")
    (project / "AGENTS.md").write_text("passed over too")
    (project / "AGENTS.override.md").write_text("project")
    (cwd / "CLAUDE.md").write_text("here")
    found = load_context_files(agent_dir, cwd)
    assert [(file.path, file.text) for file in found] == [
        (agent_dir / "CLAUDE.md", "user"),
        (top / "AGENTS.md", "top"),
        (project / "AGENTS.override.md", "project"),
        (cwd / "CLAUDE.md", "here"),
    ]


def test_a_file_is_read_once_whatever_its_names(agent_dir: Path, cwd: Path) -> None:
    (agent_dir / "AGENTS.md").write_text("same")
    (cwd / "AGENTS.md").symlink_to(agent_dir / "AGENTS.md")
    assert [file.path for file in load_context_files(agent_dir, cwd)] == [agent_dir / "AGENTS.md"]
    inside = load_context_files(agent_dir, agent_dir / "x")
    assert len(inside) == 1


def test_what_is_no_file_is_passed_over(agent_dir: Path, cwd: Path) -> None:
    os.mkfifo(cwd / "AGENTS.override.md")
    (cwd / "AGENTS.md").mkdir()
    (cwd / "CLAUDE.md").write_bytes(b"\xef\xbb\xbfcaf\xe9")
    assert [file.text for file in load_context_files(agent_dir, cwd)] == ["caf\ufffd"]


def test_a_file_without_end_is_cut_and_says_so(agent_dir: Path, cwd: Path) -> None:
    (cwd / "AGENTS.md").write_text("x" * 1_000_000)
    (file,) = load_context_files(agent_dir, cwd)
    assert len(file.text) < 300_000
    assert file.text.endswith("is too long]")


def test_prompt_files_of_the_project_count_once_it_is_trusted(agent_dir: Path, cwd: Path) -> None:
    (cwd / ".pi").mkdir()
    for folder, owner in ((agent_dir, "user"), (cwd / ".pi", "project")):
        (folder / "SYSTEM.md").write_text(f"{owner} prompt")
        (folder / "APPEND_SYSTEM.md").write_text(f"{owner} more")
    assert custom_prompt(None, agent_dir, cwd, None) == "user prompt"
    assert custom_prompt(None, agent_dir, cwd, cwd) == "project prompt"
    assert custom_prompt("mine", agent_dir, cwd, cwd) == "mine"
    assert append_texts([], agent_dir, cwd, None) == ["user more"]
    assert append_texts([], agent_dir, cwd, cwd) == ["project more"]
    assert append_texts(["a", "b"], agent_dir, cwd, cwd) == ["a", "b"]


def test_without_files_there_is_no_custom_prompt(agent_dir: Path, cwd: Path) -> None:
    assert custom_prompt(None, agent_dir, cwd, cwd) is None
    assert append_texts([], agent_dir, cwd, cwd) == []


def test_a_flag_is_a_file_or_a_text(cwd: Path) -> None:
    (cwd / "prompt.md").write_text("from the file")
    assert text_or_file("prompt.md", cwd) == "from the file"
    assert text_or_file("You are terse.", cwd) == "You are terse."
    assert text_or_file("prompt.md\n", cwd) == "prompt.md\n"
    assert text_or_file("x" * 10_000, cwd) == "x" * 10_000
    assert text_or_file("", cwd) == ""
