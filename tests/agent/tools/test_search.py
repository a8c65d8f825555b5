"""grep and find, each with the installed program and with our own stand-in: same answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.agent.tools.globs import compile_glob
from sapwood.agent.tools.walk import walk
from support.tools import call, ok, refused, text_of

PROGRAMS = ("rg", "fd", "fdfind")


@pytest.fixture(params=["programs", "own"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Once with ripgrep and fd, once as on a machine without them."""
    if request.param == "own":
        which = shutil.which
        monkeypatch.setattr(
            shutil, "which", lambda name, *rest: None if name in PROGRAMS else which(name, *rest)
        )
    elif shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        ".gitignore": "*.log\n/build/\n!keep.log\n",
        "a.py": "import os\n\ndef run():\n    return os.name\n",
        "src/b.py": "import sys\nIMPORT = 'import (x'\n",
        "src/deep/c.ts": "import x\r\n",
        "src/deep/.gitignore": "secret*\n",
        "src/deep/secret.py": "import hidden\n",
        ".env.py": "import dotted\n",
        "trace.log": "import logged\n",
        "keep.log": "import kept\n",
        "build/out.py": "import built\n",
        "src/build/in.py": "import inner\n",
        "data.bin": "import\0binary\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


async def test_grep_passes_over_what_git_ignores(either_way: str, project: Path) -> None:
    assert (await ok("grep", project, pattern="^import")).split("\n") == [
        ".env.py:1: import dotted",
        "a.py:1: import os",
        "keep.log:1: import kept",
        "src/b.py:1: import sys",
        "src/build/in.py:1: import inner",
        "src/deep/c.ts:1: import x",
    ]


async def test_grep_outside_of_a_repository(either_way: str, project: Path) -> None:
    shutil.rmtree(project / ".git")
    text = await ok("grep", project, pattern="import", glob="*.log")
    assert text == "keep.log:1: import kept"


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        ({"pattern": "import (", "literal": True}, ["src/b.py:2: IMPORT = 'import (x'"]),
        ({"pattern": "IMPORT OS", "ignoreCase": True}, ["a.py:1: import os"]),
        ({"pattern": "import s", "path": "src"}, ["src/b.py:1: import sys"]),
        ({"pattern": "import", "path": "src/deep/c.ts"}, ["src/deep/c.ts:1: import x"]),
        ({"pattern": "import", "glob": "src/**/*.ts"}, ["src/deep/c.ts:1: import x"]),
        ({"pattern": "import", "glob": "*.{ts,md}"}, ["src/deep/c.ts:1: import x"]),
        (
            {"pattern": "def", "context": 1},
            ["a.py-2- ", "a.py:3: def run():", "a.py-4-     return os.name"],
        ),
        ({"pattern": "nowhere"}, ["No matches."]),
        ({"pattern": "-v"}, ["No matches."]),
        (
            {"pattern": "import", "path": "src", "limit": 1},
            [
                "src/b.py:1: import sys",
                "",
                "[1 matches, the limit; there are more. "
                "Narrow the pattern, path or glob, or raise limit.]",
            ],
        ),
    ],
)
async def test_grep_options(
    either_way: str, project: Path, arguments: dict[str, object], rows: list[str]
) -> None:
    assert (await ok("grep", project, **arguments)).split("\n") == rows


async def test_grep_errors(either_way: str, project: Path) -> None:
    os.mkfifo(project / "pipe")
    told = await refused("grep", project, pattern="(")
    assert "regex parse error" in told or "not a valid pattern" in told
    assert "gone does not exist" in await refused("grep", project, pattern="x", path="gone")
    assert "neither a file" in await refused("grep", project, pattern="x", path="pipe")
    assert await ok("grep", project, pattern="nowhere to be found") == "No matches."


async def test_grep_cuts_long_lines_and_long_answers(either_way: str, project: Path) -> None:
    (project / "min.js").write_text("needle" + "x" * 5_000_000)
    assert len(await ok("grep", project, pattern="needle")) < 700
    (project / "many.txt").write_text(("hit " + "y" * 400 + "\n") * 1000)
    text = await ok("grep", project, pattern="hit", limit=1000)
    assert text.endswith("raise limit.]")
    assert len(text) < 52_000


async def test_grep_can_be_aborted_inside_a_hopeless_expression(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    (project / "a.txt").write_text("a" * 40 + "b\nfound\n")
    task = asyncio.create_task(call("grep", project, pattern="^(a+)+$|found", path="a.txt"))
    async with asyncio.timeout(20):
        await asyncio.wait([task], timeout=0.5)
        task.cancel()
        assert (await task).is_error


async def test_searching_a_folder_runs_nothing_in_it(either_way: str, tmp_path: Path) -> None:
    for name in ("json.py", "re.py", "sapwood.py", "sitecustomize.py"):
        (tmp_path / name).write_text("open('ran', 'w')  # needle\n")
    text = await ok("grep", tmp_path, pattern="needle")
    assert text.count("needle") == 4
    assert not (tmp_path / "ran").exists()


async def test_a_program_that_complains_a_lot_is_not_kept_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = tmp_path / "bin/rg"
    noisy.parent.mkdir()
    noisy.write_text("#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' e >&2\nexit 2\n")
    noisy.chmod(0o755)
    monkeypatch.setenv("PATH", str(noisy.parent), prepend=os.pathsep)
    async with asyncio.timeout(20):
        told = await refused("grep", tmp_path, pattern="x")
    assert told == "e" * 500 + "…"


async def test_find_lists_files_and_folders(either_way: str, project: Path) -> None:
    assert (await ok("find", project, pattern="*.py")).split("\n") == [
        ".env.py",
        "a.py",
        "src/b.py",
        "src/build/in.py",
    ]
    assert await ok("find", project, pattern="build") == "src/build/"
    assert await ok("find", project, pattern="src/*/*.ts") == "src/deep/c.ts"
    assert await ok("find", project, pattern="**/deep/**") == "src/deep/.gitignore\nsrc/deep/c.ts"
    assert await ok("find", project, pattern="*.ts", path="src") == "src/deep/c.ts"
    assert await ok("find", project, pattern="*.none") == "No files found."


async def test_find_outside_of_a_repository(either_way: str, project: Path) -> None:
    shutil.rmtree(project / ".git")
    assert await ok("find", project, pattern="*.log") == "keep.log"


async def test_find_says_what_it_left_out(either_way: str, project: Path) -> None:
    result = await call("find", project, pattern="*.py", limit=2)
    assert text_of(result) == (
        ".env.py\na.py\n\n[2 of 4. Narrow the pattern or path, or raise limit.]"
    )
    assert "a.py is not a folder" in await refused("find", project, pattern="*", path="a.py")
    assert "gone does not exist" in await refused("find", project, pattern="*", path="gone")
    assert "not a valid glob" in await refused("find", project, pattern="[z-a]")


async def test_ls(tmp_path: Path) -> None:
    for name in ("b.txt", "A.txt", ".hidden", "two\nlines"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert await ok("ls", tmp_path) == ".hidden\nA.txt\nb.txt\nfolder/\ntwo lines"
    assert await ok("ls", tmp_path, path="folder") == "(the folder is empty)"
    assert await ok("ls", tmp_path, limit=2) == (
        ".hidden\nA.txt\n\n[2 of 5. Raise limit for more, or use find.]"
    )
    assert "A.txt is a file" in await refused("ls", tmp_path, path="A.txt")
    assert "gone does not exist" in await refused("ls", tmp_path, path="gone")


async def test_links_that_lead_nowhere_are_listed(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "up").symlink_to("..")
    assert await ok("ls", tmp_path) == "circle\ngone\nup/"
    assert await ok("find", tmp_path, pattern="*") == "circle\ngone\nup"


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py/b"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("/a.py", ["a.py"], ["x/a.py"]),
        ("[!a]?.{py,ts}", ["bc.py", "bc.ts"], ["ac.py", "bc.js", "b/.py"]),
        ("[]x].c", ["].c", "x.c"], ["y.c"]),
        ("a\\*b", ["a*b"], ["axb"]),
        ("{a", ["{a"], ["a"]),
        ("[", ["["], ["a"]),
    ],
)
def test_globs(pattern: str, matches: list[str], others: list[str]) -> None:
    regex = compile_glob(pattern)
    assert [path for path in matches if regex.fullmatch(path)] == matches
    assert [path for path in others if regex.fullmatch(path)] == []


_NAMES = st.sampled_from(["a", "b", "ab", "a.b", "dir", "c d"])
_RULES = st.sampled_from(
    [
        "a",
        "*.b",
        "/a",
        "dir/",
        "dir/a",
        "!a",
        "!dir/",
        "**/b",
        "dir/**",
        "a*",
        "#a",
        "c\\ d",
        "[ab]",
        "/dir/*",
    ]
)


@settings(max_examples=200, deadline=None)
@given(
    st.sets(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8),
    st.lists(_RULES, max_size=5),
    st.lists(_RULES, max_size=3),
)
def test_our_walk_ignores_what_git_ignores(
    tmp_path_factory: pytest.TempPathFactory,
    paths: set[str],
    rules: list[str],
    inner_rules: list[str],
) -> None:
    root = tmp_path_factory.mktemp("walk")
    for path in sorted(paths):
        folder = (root / path).parent
        if not any(part.is_file() for part in (folder, *folder.parents)):
            folder.mkdir(parents=True, exist_ok=True)
            if not (root / path).exists():
                (root / path).touch()
    (root / ".gitignore").write_text("\n".join(rules) + "\n")
    if (root / "dir").is_dir():
        (root / "dir/.gitignore").write_text("\n".join(inner_rules) + "\n")
    listed = subprocess.run(
        ["git", "init", "-q", "."], cwd=root, check=True, capture_output=True
    ) and subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    assert {path for path, is_folder in walk(root) if not is_folder} == set(
        filter(None, listed.stdout.split("\0"))
    )
