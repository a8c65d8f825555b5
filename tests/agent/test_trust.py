from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sapwood.agent.trust import is_trusted, protected_files, save_decision
from sapwood.errors import SettingsError


@pytest.fixture
def agent_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work/project"
    (folder / ".pi").mkdir(parents=True)
    (folder / ".pi/settings.json").write_text("{}")
    return folder


def test_somebody_must_decide(agent_dir: Path, project: Path) -> None:
    assert is_trusted(agent_dir, project) is None
    assert is_trusted(agent_dir, project, default="always") is True
    assert is_trusted(agent_dir, project, default="never") is False
    assert is_trusted(agent_dir, project, override=True) is True


def test_a_project_without_files_of_its_own_asks_nothing(agent_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "plain/.pi").mkdir(parents=True)
    assert protected_files(tmp_path / "plain") == []
    assert is_trusted(agent_dir, tmp_path / "plain", default="always") is False


def test_a_decision_is_kept_as_the_reference_keeps_it(agent_dir: Path, project: Path) -> None:
    save_decision(agent_dir, project, True)
    assert json.loads((agent_dir / "trust.json").read_text()) == {os.path.realpath(project): True}
    assert is_trusted(agent_dir, project) is True
    assert is_trusted(agent_dir, project, override=False) is False
    save_decision(agent_dir, project, False)
    assert is_trusted(agent_dir, project, default="always") is False


def test_the_closest_folder_decides(agent_dir: Path, project: Path) -> None:
    save_decision(agent_dir, project.parent, True)
    assert is_trusted(agent_dir, project) is True
    save_decision(agent_dir, project, False)
    assert is_trusted(agent_dir, project) is False
    assert is_trusted(agent_dir, project.parent) is True


def test_a_link_to_a_trusted_folder_is_that_folder(agent_dir: Path, project: Path) -> None:
    save_decision(agent_dir, project, True)
    link = project.parent / "link"
    link.symlink_to(project)
    assert is_trusted(agent_dir, link) is True


@pytest.mark.parametrize("damaged", ["{", "[]", '{"/a": "yes"}'])
def test_a_damaged_file_trusts_nobody(agent_dir: Path, project: Path, damaged: str) -> None:
    (agent_dir / "trust.json").write_text(damaged)
    with pytest.raises(SettingsError, match=r"trust\.json"):
        is_trusted(agent_dir, project)
    with pytest.raises(SettingsError, match=r"trust\.json"):
        save_decision(agent_dir, project, True)
    assert (agent_dir / "trust.json").read_text() == damaged
