"""Keep the files as they were after every turn, so that going back in the tree can bring them back.

Try it:  sapwood -e examples/extensions/git_checkpoint.py     then /restore-files

A checkpoint is a commit that no branch knows: made with an index of its own, so HEAD, the index and
the working files stay as they are. It is recorded in the session tree; `/restore-files` takes the
newest one on the active path, after it has kept the present state in another.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from sapwood.agent.extensions import ExtensionApi

KIND = "git-checkpoint"
AUTHOR = {
    "GIT_AUTHOR_NAME": "sapwood",
    "GIT_AUTHOR_EMAIL": "sapwood@localhost",
    "GIT_COMMITTER_NAME": "sapwood",
    "GIT_COMMITTER_EMAIL": "sapwood@localhost",
}


def extension(api: ExtensionApi) -> None:
    async def keep(event: dict[str, Any]) -> None:
        if event["type"] == "turn_end" and not event.get("toolResults"):
            return
        commit = await snapshot(api.cwd, api.session.session_id)
        if commit is not None and commit != last_checkpoint(api):
            api.append_entry(KIND, {"commit": commit})

    async def restore(arguments: str) -> None:
        commit = arguments or last_checkpoint(api)
        if commit is None:
            api.notify("there is no checkpoint on this path", "warning")
            return
        now = await snapshot(api.cwd, api.session.session_id)
        await bring_back(api.cwd, now, commit)
        api.notify(f"files are as in {commit[:12]}; before that they were as in {now}")

    api.on("agent_start", keep)
    api.on("turn_end", keep)
    api.command("restore-files", "Bring back the files of the active path", restore)


def last_checkpoint(api: ExtensionApi) -> str | None:
    """The newest checkpoint on the active path."""
    for entry in reversed(api.session.get_branch()):
        if entry.type == "custom" and entry.data.get("customType") == KIND:
            return str(entry.data["data"]["commit"])
    return None


async def snapshot(folder: Path, session_id: str) -> str | None:
    """Commit all files that git does not ignore; None outside of a repository."""
    try:
        found = await git(folder, "rev-parse", "--path-format=absolute", "--git-path", "index")
    except (OSError, RuntimeError):
        return None
    index = Path(found)
    with tempfile.TemporaryDirectory() as temporary:
        own_index = Path(temporary) / "index"
        if index.exists():
            shutil.copyfile(index, own_index)
        environment = {"GIT_INDEX_FILE": str(own_index)}
        await git(folder, "add", "--all", ":/", **environment)
        tree = await git(folder, "write-tree", **environment)
    dates = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
    commit = await git(folder, "commit-tree", tree, "-m", "Checkpoint", **AUTHOR, **dates)
    await git(folder, "update-ref", f"refs/sapwood/{session_id}/{commit[:16]}", commit)
    return commit


async def bring_back(folder: Path, now: str | None, commit: str) -> None:
    """Make the files as in `commit`, removing those that are in `now` alone."""
    with tempfile.TemporaryDirectory() as temporary:
        environment = {"GIT_INDEX_FILE": str(Path(temporary) / "index")}
        await git(folder, "read-tree", f"{now}^{{tree}}", **environment)
        await git(folder, "read-tree", "--reset", "-u", f"{commit}^{{tree}}", **environment)


async def git(folder: Path, *arguments: str, **environment: str) -> str:
    """Run git in the folder and return what it prints."""
    process = await asyncio.create_subprocess_exec(
        "git",
        *arguments,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"git {arguments[0]}: {errors.decode(errors='replace').strip()}")
    return output.decode(errors="replace").strip()
