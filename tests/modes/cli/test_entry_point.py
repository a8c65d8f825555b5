"""Start-up: the short ways stay short, help is everywhere, completion works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sapwood
from sapwood.modes.main import main
from sapwood.session.manager import SessionManager


def python(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr().out == f"{sapwood.__version__}\n"


HEAVY = ("asyncio", "click", "pydantic_ai", "rich", "textual", "PIL", "jinja2", "httpx", "msgspec")


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("from sapwood.modes.main import main; main(['--version'])", ()),
        ("import sapwood", ()),
        ("import sapwood.session", ("msgspec",)),
        ("import sapwood.context.request", ("msgspec",)),
        (
            "from sapwood.modes.main import main; main(['session', 'list'])",
            ("click", "msgspec"),
        ),
    ],
)
def test_nothing_heavy_is_imported(statement: str, allowed: tuple[str, ...]) -> None:
    heavy = [name for name in HEAVY if name not in allowed]
    done = python("-c", f"{statement}\nimport sys; print([m for m in {heavy} if m in sys.modules])")
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["session"],
        *(
            ["session", name]
            for name in (
                [
                    "list",
                    "tree",
                    "context",
                    "show",
                    "goto",
                    "label",
                    "name",
                    "fork",
                    "clone",
                    "export",
                    "check",
                    "compact",
                ]
            )
        ),
        ["demo"],
        ["completion"],
    ],
)
def test_help_fits_80_columns(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Usage: sapwood")
    assert max(map(len, out.splitlines())) <= 80
    assert "..." not in out.partition("Commands:")[2]


def test_help_names_the_options_of_the_agent_and_the_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["--help"])
    out = capsys.readouterr().out
    for word in ("--print", "--continue", "--session", "  session ", "  demo ", "  completion "):
        assert word in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_SAPWOOD_COMPLETE" in capsys.readouterr().out


def complete(line: str) -> str:
    """What bash is told when Tab is pressed at the end of `line`."""
    words = line.split(" ")
    return python(
        "-m",
        "sapwood",
        _SAPWOOD_COMPLETE="bash_complete",
        COMP_WORDS=line,
        COMP_CWORD=str(len(words) - 1),
    ).stdout


def test_completion_knows_commands_and_options() -> None:
    assert "plain,session" in complete("sapwood se")
    assert "plain,tree" in complete("sapwood session t")
    assert "plain,--continue" in complete("sapwood --co")
    assert "plain,user-only" in complete("sapwood session tree x --filter u")


def test_completion_knows_what_flags_take(tmp_path: Path) -> None:
    with SessionManager.create(Path.cwd()) as manager:
        manager.append_message({"role": "user", "content": "hello", "timestamp": 1})
        session_id = manager.session_id
    models = [{"id": "small"}, {"id": "large"}]
    provider = {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "models": models}
    (tmp_path / "agent" / "models.json").write_text(json.dumps({"providers": {"box": provider}}))

    def offered(line: str) -> list[str]:
        return [item.removeprefix("plain,") for item in complete(line).split()]

    assert offered("sapwood --session ") == offered("sapwood --fork ") == [session_id]
    assert offered("sapwood -p --model box/l") == ["box/large"]
    assert offered("sapwood --models box/small,box/") == ["box/small,box/large"]
    assert offered("sapwood --provider bo") == ["box"]
    assert offered("sapwood -t read,+gr") == ["read,+grep"]
    assert offered("sapwood -xt w") == ["write"]
    assert offered("sapwood --mode j") == ["json"]
    assert offered("sapwood --thinking x") == ["xhigh"]
