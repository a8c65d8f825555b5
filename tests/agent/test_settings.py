from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from sapwood.agent.settings import Settings, merge
from sapwood.errors import SettingsError


def write(file: Path, value: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


@pytest.fixture
def agent_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


def test_without_files_everything_has_its_default(agent_dir: Path, project: Path) -> None:
    settings = Settings.load(agent_dir, project, trusted=True)
    assert settings.values.steering_mode == "one-at-a-time"
    assert settings.values.retry.max_retries == 3
    assert settings.values.retry.max_agent_delay_ms == 60000
    assert settings.values.images.auto_resize is True
    assert settings.compaction.reserve_tokens == 16384
    assert settings.branch_summary.skip_prompt is False
    assert settings.session_dir is None
    assert settings.raw == {}


def test_the_project_wins_and_objects_merge(agent_dir: Path, project: Path) -> None:
    write(
        agent_dir / "settings.json",
        {
            "theme": "dark",
            "retry": {"maxRetries": 5, "baseDelayMs": 10},
            "compaction": {"reserveTokens": 100, "keepRecentTokens": 50},
            "enabledModels": ["a", "b"],
            "x-own": {"a": 1},
        },
    )
    write(
        project / ".pi/settings.json",
        {
            "theme": "light",
            "retry": {"maxRetries": 1},
            "compaction": {"reserveTokens": 7},
            "enabledModels": ["c"],
            "x-own": {"b": 2},
        },
    )
    settings = Settings.load(agent_dir, project, trusted=True)
    assert settings.values.theme == "light"
    assert (settings.values.retry.max_retries, settings.values.retry.base_delay_ms) == (1, 10)
    assert settings.values.enabled_models == ["c"]
    assert settings.compaction.reserve_tokens == 7
    assert settings.compaction.keep_recent_tokens == 50
    assert settings.raw["x-own"] == {"a": 1, "b": 2}


def test_before_trust_only_the_session_dir_of_a_project_counts(
    agent_dir: Path, project: Path
) -> None:
    write(project / ".pi/settings.json", {"sessionDir": "logs", "theme": "light", "retry": 3})
    settings = Settings.load(agent_dir, project, trusted=False)
    assert settings.session_dir == project / "logs"
    assert settings.values.theme is None
    write(project / ".pi/settings.json", "{not json")
    assert Settings.load(agent_dir, project, trusted=False).session_dir is None
    with pytest.raises(SettingsError, match="not valid JSON"):
        Settings.load(agent_dir, project, trusted=True)


def test_session_dir_may_start_at_home(
    agent_dir: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    write(agent_dir / "settings.json", {"sessionDir": "~/sessions"})
    settings = Settings.load(agent_dir, project, trusted=False)
    assert settings.session_dir == Path("/home/somebody/sessions")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"theme": 3}, "settings.json: theme is 3: expected a text"),
        (
            {"retry": {"maxRetries": -1}},
            "settings.json: retry.maxRetries is -1: expected a whole number >= 0",
        ),
        (
            {"steeringMode": "some"},
            'settings.json: steeringMode is "some": not one of the known values',
        ),
        ({"images": True}, "settings.json: images is true: expected an object"),
        ({"compaction": []}, "settings.json: compaction is []: expected an object"),
        ({"compaction": {"reserveTokens": "x"}}, "compaction.reserveTokens is 'x'"),
        (
            {"modelThinkingLevels": {"m": "deep"}},
            'settings.json: modelThinkingLevels[...] is {"m":"deep"}: not one of the known values',
        ),
        ("[]", "settings.json: must hold a JSON object"),
        ("{", "settings.json: not valid JSON"),
        ("[" * 100_000, "settings.json: not valid JSON"),
    ],
)
def test_an_unusable_value_names_file_key_and_value(agent_dir: Path, value: Any, told: str) -> None:
    write(agent_dir / "settings.json", value)
    with pytest.raises(SettingsError) as caught:
        Settings.load(agent_dir, None, trusted=False)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bom_and_an_empty_file_are_accepted(agent_dir: Path) -> None:
    (agent_dir / "settings.json").write_bytes(b'\xef\xbb\xbf{"theme": "x"}')
    assert Settings.load(agent_dir, None, trusted=False).values.theme == "x"
    (agent_dir / "settings.json").write_bytes(b" \n")
    assert Settings.load(agent_dir, None, trusted=False).raw == {}


def test_saving_changes_one_value_and_keeps_the_rest(agent_dir: Path) -> None:
    file = write(agent_dir / "settings.json", {"other": {"deep": [1]}, "retry": {"x": 1}})
    file.chmod(0o640)
    settings = Settings.load(agent_dir, None, trusted=False)
    settings.save_user("retry.enabled", False)
    settings.save_user("theme", "dark")
    assert json.loads(file.read_text()) == {
        "other": {"deep": [1]},
        "retry": {"x": 1, "enabled": False},
        "theme": "dark",
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    settings.save_user("theme", None)
    assert "theme" not in json.loads(file.read_text())
    assert os.listdir(agent_dir) == ["settings.json"]


def test_what_another_program_saved_meanwhile_is_kept(agent_dir: Path) -> None:
    settings = Settings.load(agent_dir, None, trusted=False)
    write(agent_dir / "settings.json", {"fromElsewhere": 1})
    settings.save_user("theme", "dark")
    assert json.loads((agent_dir / "settings.json").read_text()) == {
        "fromElsewhere": 1,
        "theme": "dark",
    }


def test_a_new_file_is_private_and_an_unusable_value_is_not_stored(agent_dir: Path) -> None:
    settings = Settings.load(agent_dir, None, trusted=False)
    with pytest.raises(SettingsError, match="theme is 3"):
        settings.save_user("theme", 3)
    assert os.listdir(agent_dir) == []
    settings.save_user("theme", "dark")
    assert stat.S_IMODE((agent_dir / "settings.json").stat().st_mode) == 0o600


def test_extension_paths_are_relative_to_their_file(agent_dir: Path, project: Path) -> None:
    (agent_dir / "folder").mkdir()
    write(agent_dir / "settings.json", {"extensions": ["mine.py", "folder", "theirs.ts"]})
    write(project / ".pi/settings.json", {"extensions": ["/abs/x.py", "-builtin:mcp", "y.py"]})
    settings = Settings.load(agent_dir, project, trusted=True)
    assert settings.extension_paths == (
        agent_dir / "mine.py",
        agent_dir / "folder",
        Path("/abs/x.py"),
        project / ".pi/y.py",
    )


def test_merge_replaces_everything_but_objects() -> None:
    assert merge({"a": {"b": 1}, "c": [1]}, {"a": 2, "c": [2], "d": None}) == {
        "a": 2,
        "c": [2],
        "d": None,
    }
