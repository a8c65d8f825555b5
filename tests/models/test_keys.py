"""Keys: the order of places, variables and commands, and the saved file."""

from __future__ import annotations

import json
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import ModelError
from sapwood.models.auth import AuthStore
from sapwood.models.catalogue import Catalogue


def catalogue(tmp_path: Path, provider: dict[str, Any] | None = None, **environ: str) -> Catalogue:
    if provider is not None:
        (tmp_path / "models.json").write_text(json.dumps({"providers": {"anthropic": provider}}))
    return Catalogue.load(tmp_path, environ)


def key_of(known: Catalogue, given: str | None = None) -> str | None:
    return known.key_for(known.find("anthropic/claude-sonnet-4-5").model, given)


def test_the_order_of_places(tmp_path: Path) -> None:
    everywhere = catalogue(tmp_path, {"apiKey": "of the file"}, ANTHROPIC_API_KEY="of the shell")
    AuthStore(tmp_path / "auth.json").save("anthropic", "saved")

    assert key_of(everywhere, "given") == "given"
    assert key_of(everywhere) == "of the file"
    (tmp_path / "models.json").unlink()
    without_file = catalogue(tmp_path, ANTHROPIC_API_KEY="of the shell")
    assert key_of(without_file) == "saved"
    AuthStore(tmp_path / "auth.json").remove("anthropic")
    assert key_of(without_file) == "of the shell"


def test_no_key_says_how_to_get_going(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as failure:
        key_of(catalogue(tmp_path))

    assert str(failure.value) == (
        "No key for Anthropic: set ANTHROPIC_API_KEY, use --api-key, "
        "or save one with /login anthropic"
    )


def test_a_variable_of_ones_own(tmp_path: Path) -> None:
    assert key_of(catalogue(tmp_path, {"apiKey": "$MY_KEY"}, MY_KEY="k1")) == "k1"
    with pytest.raises(ModelError, match=r"The key of anthropic is read from \$MY_KEY, which is"):
        key_of(catalogue(tmp_path, {"apiKey": "$MY_KEY"}))


def test_a_command_is_run_once(tmp_path: Path) -> None:
    counter = tmp_path / "runs"
    command = f"!echo run >> {counter}; echo secret"

    known = catalogue(tmp_path, {"apiKey": command})

    assert [key_of(known), key_of(known)] == ["secret", "secret"]
    assert counter.read_text() == "run\n"


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("!echo first >&2; echo locked >&2; exit 3", r"failed with status 3 \(locked\)"),
        ("!true", "printed nothing"),
        ("!no-such-program-here", "failed with status 127"),
    ],
)
def test_a_command_that_fails_is_one_clear_line(
    tmp_path: Path, command: str, complaint: str
) -> None:
    with pytest.raises(ModelError, match=f"The key of anthropic: its command {complaint}") as error:
        key_of(catalogue(tmp_path, {"apiKey": command}))

    assert "\n" not in str(error.value)


def test_asking_whether_there_is_a_key_runs_no_command(tmp_path: Path) -> None:
    marker = tmp_path / "ran"

    assert catalogue(tmp_path, {"apiKey": f"!touch {marker}; echo k"}).has_key("anthropic")
    assert not marker.exists()


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    local = {"api": "openai-completions", "baseUrl": "http://127.0.0.1:9", "models": [{"id": "m"}]}
    (tmp_path / "models.json").write_text(json.dumps({"providers": {"mine": local}}))
    known = Catalogue.load(tmp_path, {})

    assert known.key_for(known.find("mine/m").model) is None


def test_a_saved_key_is_private_and_other_entries_survive(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    oauth = {"type": "oauth", "refresh": "r", "expires": 1}
    path.write_text(json.dumps({"github-copilot": oauth}))
    path.chmod(0o644)
    store = AuthStore(path)

    store.save("openai", "sk-1")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {
        "github-copilot": oauth,
        "openai": {"type": "api_key", "key": "sk-1"},
    }
    assert store.providers() == ["openai"]
    assert store.remove("openai")
    assert not store.remove("openai")
    assert json.loads(path.read_text()) == {"github-copilot": oauth}
    assert not path.with_name("auth.json.lock").exists()


def test_a_login_of_another_kind_is_not_taken_for_a_key(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text('{"anthropic": {"type": "oauth", "access": "x"}}')

    with pytest.raises(ModelError, match="No key for Anthropic"):
        key_of(catalogue(tmp_path))


def test_saving_waits_for_the_lock_of_the_reference(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "auth.json"
    lock = path.with_name("auth.json.lock")
    lock.mkdir()
    freed_at: list[float] = []

    def free() -> None:
        freed_at.append(time.monotonic())
        lock.rmdir()

    threading.Timer(0.3, free).start()
    AuthStore(path).save("openai", "sk-1")

    assert freed_at
    assert time.monotonic() >= freed_at[0]
    assert AuthStore(path).saved("openai") == "sk-1"


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000])
def test_a_damaged_file_is_refused_and_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "auth.json"
    path.write_text(text)

    with pytest.raises(ModelError, match=r"auth\.json"):
        AuthStore(path).save("openai", "sk-1")

    assert path.read_text() == text


@pytest.mark.parametrize("key", ["!printf 'one\\ntwo'", "sk-\u2026", "  ", "a\tb"])
def test_a_key_that_cannot_be_sent_is_refused(tmp_path: Path, key: str) -> None:
    """Sent as it is, it would look as if the server could not be reached."""
    with pytest.raises(ModelError, match="The key of anthropic is empty, or holds characters"):
        key_of(catalogue(tmp_path, {"apiKey": key}))


def test_blanks_around_a_key_are_no_part_of_it(tmp_path: Path) -> None:
    assert key_of(catalogue(tmp_path, ANTHROPIC_API_KEY="k1\n")) == "k1"
    assert key_of(catalogue(tmp_path), " k2 ") == "k2"


def test_saved_keys_that_others_can_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    AuthStore(path).save("anthropic", "saved")
    assert catalogue(tmp_path).problems == ()
    path.chmod(0o644)
    assert catalogue(tmp_path).problems == (
        f"{path}: other users can read the keys in it; run chmod 600 on it",
    )
    assert key_of(catalogue(tmp_path)) == "saved"
