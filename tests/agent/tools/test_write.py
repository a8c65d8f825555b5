from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from support.limits import unwritable
from support.tools import ok, refused


async def test_a_new_file_gets_its_folders(tmp_path: Path) -> None:
    told = await ok("write", tmp_path, path="out/new.txt", content="héllo 😀\n")
    assert told == "Made out/new.txt (12 bytes)."
    assert (tmp_path / "out/new.txt").read_bytes() == "héllo 😀\n".encode()


async def test_an_existing_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    os.symlink("run.sh", tmp_path / "link")
    assert await ok("write", tmp_path, path="link", content="new") == "Replaced link (3 bytes)."
    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "run.sh"]


async def test_a_new_file_has_the_mode_the_umask_leaves(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        await ok("write", tmp_path, path="a", content="")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


async def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    assert "folder is not a file" in await refused("write", tmp_path, path="folder", content="")
    assert "pipe is not a file" in await refused("write", tmp_path, path="pipe", content="")
    assert "a part of its path" in await refused("write", tmp_path, path="file/x", content="")


async def test_surrogates_never_reach_the_disk(tmp_path: Path) -> None:
    await ok("write", tmp_path, path="a", content="\ud83d\ude00 \ud83d")
    assert (tmp_path / "a").read_text() == "😀 \ufffd"


async def test_changes_of_one_file_do_not_overtake_each_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"<{n}>" for n in range(20)))
    edits = (
        ok("edit", tmp_path, path="a", edits=[{"oldText": f"<{n}>", "newText": f"[{n}]"}])
        for n in range(20)
    )
    await asyncio.gather(*edits)
    assert (tmp_path / "a").read_text() == "".join(f"[{n}]" for n in range(20))


async def test_a_file_that_is_write_protected_stays_as_it_is(tmp_path: Path) -> None:
    """Its folder would let it be replaced all the same."""
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "file").write_text("as it was")
    edits = [{"oldText": "was", "newText": "is"}]
    with unwritable(folder):
        for told in (
            await refused("write", folder, path="file", content="new"),
            await refused("edit", folder, path="file", edits=edits),
        ):
            assert told == "file is write-protected"
        assert "new" in await refused("write", folder, path="new", content="")
    assert (folder / "file").read_text() == "as it was"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
async def test_the_mode_of_a_file_counts_where_its_folder_would_let_it_be_replaced(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("as it was")
    (tmp_path / "file").chmod(0o444)
    assert await refused("write", tmp_path, path="file", content="") == "file is write-protected"
    assert (tmp_path / "file").read_text() == "as it was"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_folders_that_may_not_be_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    for name, more in (("ls", {}), ("find", {"pattern": "*"})):
        told = await refused(name, tmp_path, path="shut", **more)
        assert told == "shut: permission denied"
    assert "ermission denied" in await refused("grep", tmp_path, path="shut", pattern="x")
    assert await ok("find", tmp_path, pattern="*") == "shut/"
