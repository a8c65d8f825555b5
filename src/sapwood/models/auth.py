"""Keys: where they are found, in which order, and how a saved one is kept.

For a provider: the key given on the command line, the one in ``models.json``, the one saved in
``auth.json``, the provider's own environment variables. A value is the key itself, ``$NAME`` (an
environment variable) or ``!command`` (its output, run once per process). ``auth.json`` is 0600 and
shared with the reference: unknown entries are kept, and its lock is taken for every change.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sapwood.errors import ModelError
from sapwood.files import folder_lock, write_atomic

COMMAND_SECONDS = 30

_command_output: dict[str, str] = {}


def resolve_value(value: str, environ: Mapping[str, str], what: str) -> str:
    """The key that `value` stands for; `what` names it in errors (``the key of anthropic``).

    Raises `ModelError` if the variable is not set or the command fails.
    """
    if value.startswith("!"):
        return _run(value[1:].strip(), what)
    if value.startswith("$"):
        name = value[1:].strip("{}")
        if found := environ.get(name, "").strip():
            return found
        raise ModelError(f"{what} is read from ${name}, which is not set")
    return value


def needs_a_command(value: str) -> bool:
    """Whether a command must be run for the key that `value` stands for; it may take long."""
    return value.startswith("!") and value[1:].strip() not in _command_output


def fit_to_send(key: str, what: str) -> str:
    """The key without blanks around it.

    Raises `ModelError` for one that no request can carry, two lines of a command for instance:
    it would look as if the server could not be reached.
    """
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable():
        raise ModelError(f"{what} is empty, or holds characters that a key cannot have")
    return key


def _run(command: str, what: str) -> str:
    if command not in _command_output:
        _command_output[command] = _output_of(command, what)
    return _command_output[command]


def _output_of(command: str, what: str) -> str:
    try:
        result = subprocess.run(
            command,
            shell=True,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ModelError(f"{what}: its command gave no answer in {COMMAND_SECONDS} s") from None
    except OSError as error:
        raise ModelError(f"{what}: its command could not be run ({error})") from None
    key = result.stdout.strip()
    if result.returncode == 0 and key:
        return key
    complaint = (result.stderr.strip().splitlines() or ["no message"])[-1]
    if result.returncode == 0:
        raise ModelError(f"{what}: its command printed nothing")
    raise ModelError(f"{what}: its command failed with status {result.returncode} ({complaint})")


class AuthStore:
    """The saved keys in ``auth.json``. Reading never writes; a missing file holds no keys."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def saved(self, provider: str) -> str | None:
        """The saved value for `provider`, unresolved; None if there is none that we can use."""
        entry = self._read().get(provider)
        if not isinstance(entry, dict) or entry.get("type") != "api_key":
            return None
        key = entry.get("key")
        return key if isinstance(key, str) and key else None

    def problem(self) -> str | None:
        """One line if other people of this machine can read the file."""
        try:
            mode = self.path.stat().st_mode
        except OSError:
            return None
        if os.name == "nt" or not mode & 0o077:
            return None
        return f"{self.path}: other users can read the keys in it; run chmod 600 on it"

    def providers(self) -> list[str]:
        """Providers with a saved key, sorted."""
        return sorted(provider for provider in self._read() if self.saved(provider))

    def save(self, provider: str, key: str) -> None:
        """Keep `key` for `provider` (``/login``)."""
        self._change(provider, {"type": "api_key", "key": key})

    def remove(self, provider: str) -> bool:
        """Forget what is saved for `provider` (``/logout``); whether there was anything."""
        known = provider in self._read()
        if known:
            self._change(provider, None)
        return known

    def _change(self, provider: str, entry: dict[str, str] | None) -> None:
        try:
            with folder_lock(self.path):
                content = self._read()
                content.pop(provider, None)
                if entry is not None:
                    content[provider] = entry
                text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
                if self.path.exists():
                    self.path.chmod(0o600)
                write_atomic(self.path, text.encode(), mode=0o600)
        except OSError as error:
            raise ModelError(f"{self.path} cannot be written: {error.strerror}") from None

    def _read(self) -> dict[str, Any]:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ModelError(f"{self.path} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.path} is not valid JSON: {error}") from None
        if not isinstance(content, dict):
            raise ModelError(f"{self.path} must hold a JSON object")
        return content
