"""Settings: the user's file, the project's over it, objects merged key by key.

Files are ``<agent dir>/settings.json`` and ``<project>/.pi/settings.json``. The project's counts
only once the project is trusted, all but ``sessionDir``: where the sessions are must be known
before anybody can be asked. Every value is checked; keys that Sapwood does not know are kept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sapwood.agent.setting_types import SettingValues
from sapwood.errors import SettingsError
from sapwood.files import folder_lock, write_atomic
from sapwood.session.schema import Json, JsonObject

if TYPE_CHECKING:
    from sapwood.agent.tools.tool import ShellSettings
    from sapwood.compaction.settings import BranchSummarySettings, CompactionSettings

_WORDS = {
    "str": "a text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "array": "a list",
    "object": "an object",
}
PROJECT_FOLDER = ".pi"
FILE_NAME = "settings.json"


@dataclass(frozen=True)
class Settings:
    """What is set: ``values`` typed and with defaults, ``raw`` merged as in the files.

    A value that was saved is seen by the next ``load``.
    """

    user_file: Path
    project_dir: Path | None
    raw: JsonObject
    values: SettingValues
    extension_paths: tuple[Path, ...] = ()
    """Files and folders of both ``extensions`` lists, each relative to where its file stands."""

    @classmethod
    def load(cls, agent_dir: Path, project_dir: Path | None, trusted: bool) -> Settings:
        """Read both files; a missing one is empty.

        Raises:
            SettingsError: a file is not a JSON object, or a value cannot be used.
        """
        user_file = agent_dir / FILE_NAME
        user = _read(user_file)
        _check(user, user_file)
        project: JsonObject = {}
        extensions = _extension_paths(user, agent_dir)
        if project_dir is not None:
            folder = project_dir / PROJECT_FOLDER
            project = _project_settings(folder / FILE_NAME, trusted)
            extensions += _extension_paths(project, folder)
        raw = merge(user, project)
        values = msgspec.convert(raw, SettingValues)
        return cls(user_file, project_dir, raw, values, extensions)

    @classmethod
    def of(cls, raw: JsonObject, agent_dir: Path) -> Settings:
        """Settings from memory, as if they stood in the user's file.

        Raises:
            SettingsError: a value cannot be used.
        """
        user_file = agent_dir / FILE_NAME
        _check(raw, user_file)
        return cls(user_file, None, raw, msgspec.convert(raw, SettingValues))

    @cached_property
    def compaction(self) -> CompactionSettings:
        """When and how the context is made smaller."""
        from sapwood.compaction.settings import parse_compaction_settings

        return parse_compaction_settings(self.raw.get("compaction", {}), str(self.user_file))

    @cached_property
    def branch_summary(self) -> BranchSummarySettings:
        """How a branch that is left is summarized."""
        from sapwood.compaction.settings import parse_branch_summary_settings

        return parse_branch_summary_settings(self.raw.get("branchSummary", {}), str(self.user_file))

    @property
    def shell(self) -> ShellSettings:
        """How commands are run."""
        from sapwood.agent.tools.tool import ShellSettings

        return ShellSettings(self.values.shell_path, self.values.shell_command_prefix)

    @property
    def session_dir(self) -> Path | None:
        """The folder of session files if one is set; relative to the project."""
        if not self.values.session_dir:
            return None
        given = Path(os.path.expanduser(self.values.session_dir))
        return (self.project_dir or Path.cwd()) / given

    def changed(self, key: str, value: Json) -> Settings:
        """These settings with one value (``retry.enabled``: inside an object) set, in memory only.

        Raises:
            SettingsError: the value cannot be used.
        """
        over: JsonObject = {}
        _set(over, key.split("."), value)
        raw = merge(self.raw, over)
        _check(raw, self.user_file)
        return replace(self, raw=raw, values=msgspec.convert(raw, SettingValues))

    def save_user(self, key: str, value: Json) -> None:
        """Set one value (``retry.enabled``: inside an object) in the user's file; None removes it.

        Everything else in the file stays as it is.

        Raises:
            SettingsError: the value cannot be used, or the file cannot be read or written.
        """
        try:
            with folder_lock(self.user_file):
                stored = _read(self.user_file)
                _set(stored, key.split("."), value)
                _check(stored, self.user_file)
                text = msgspec.json.format(msgspec.json.encode(stored), indent=2)
                write_atomic(self.user_file, text + b"\n")
        except OSError as error:
            raise SettingsError(f"{self.user_file}: cannot save {key}: {error.strerror}") from error


def merge(base: Mapping[str, Json], over: Mapping[str, Json]) -> JsonObject:
    """``over`` laid on ``base``: objects key by key, everything else replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            value = merge(below, value)
        merged[key] = value
    return merged


def _project_settings(file: Path, trusted: bool) -> JsonObject:
    if not trusted:
        try:
            found = _read(file)
        except SettingsError:
            return {}
        session_dir = found.get("sessionDir")
        return {"sessionDir": session_dir} if isinstance(session_dir, str) else {}
    project = _read(file)
    _check(project, file)
    return project


def _extension_paths(raw: JsonObject, folder: Path) -> tuple[Path, ...]:
    """Python files and folders; what other programs list there (packages, patterns) is not ours."""
    paths = (folder / os.path.expanduser(entry) for entry in raw.get("extensions", []))
    return tuple(path for path in paths if path.suffix == ".py" or path.is_dir())


def _read(file: Path) -> JsonObject:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from error
    if not data.strip():
        return {}
    try:
        found = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise SettingsError(f"{file}: not valid JSON: {error}") from error
    if not isinstance(found, dict):
        raise SettingsError(f"{file}: must hold a JSON object")
    return found


def _check(raw: JsonObject, file: Path) -> None:
    try:
        msgspec.convert(raw, SettingValues)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        key = path.rstrip("`")
        shown = msgspec.json.encode(_value_at(raw, key)).decode()
        raise SettingsError(f"{file}: {key} is {shown}: {_plain(problem)}") from error
    from sapwood.compaction.settings import parse_branch_summary_settings, parse_compaction_settings

    parse_compaction_settings(raw.get("compaction", {}), str(file))
    parse_branch_summary_settings(raw.get("branchSummary", {}), str(file))


def _plain(problem: str) -> str:
    """msgspec's words as the end of our sentence."""
    if problem.startswith("Invalid enum value"):
        return "not one of the known values"
    words = problem.partition(", got")[0].replace("`", "").split()
    plain = " ".join(_WORDS.get(word, word) for word in words if word not in ("|", "null"))
    return plain[:1].lower() + plain[1:]


def _value_at(raw: Json, path: str) -> Json:
    for part in path.split("."):
        name = part.partition("[")[0]
        if not isinstance(raw, dict) or name not in raw:
            return raw
        raw = raw[name]
    return raw


def _set(target: JsonObject, path: list[str], value: Json) -> None:
    for name in path[:-1]:
        below = target.get(name)
        if not isinstance(below, dict):
            below = target[name] = {}
        target = below
    if value is None:
        target.pop(path[-1], None)
    else:
        target[path[-1]] = value
