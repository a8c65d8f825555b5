from __future__ import annotations

import asyncio
import base64
import io
import os
from pathlib import Path

import pytest
from PIL import Image

from sapwood.agent.tools import ToolContext
from sapwood.agent.tools.running import run_tool
from support.tools import TOOLS, call, ok, refused, text_of


async def test_a_short_file_comes_back_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffhéllo 😀\r\n\r\nlast".encode())
    result = await call("read", tmp_path, path="a.txt")
    assert text_of(result) == "héllo 😀\n\nlast"
    assert result.details is None


async def test_a_stretch_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 3001)))
    result = await call("read", tmp_path, path="a.txt")
    assert text_of(result).endswith("line 2000\n\n[Lines 1-2000 of 3000. Go on with offset=2001.]")
    assert result.details == {"truncation": {"firstLine": 1, "lastLine": 2000, "totalLines": 3000}}
    assert await ok("read", tmp_path, path="a.txt", offset=2001) == "\n".join(
        f"line {n}" for n in range(2001, 3001)
    )
    assert (
        await ok("read", tmp_path, path="a.txt", offset=10, limit=2)
        == "line 10\nline 11\n\n[Lines 10-11 of 3000. Go on with offset=12.]"
    )


async def test_the_last_line_counts_without_its_newline(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree")
    assert "of 3." in await ok("read", tmp_path, path="a.txt", limit=1)
    assert await ok("read", tmp_path, path="a.txt", offset=3) == "three"
    told = await refused("read", tmp_path, path="a.txt", offset=4)
    assert told == "There is no line 4: a.txt has 3 lines"


async def test_many_long_lines_stop_at_the_size_limit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(("x" * 999 + "\n") * 200)
    text = await ok("read", tmp_path, path="a.txt")
    assert text.endswith("[Lines 1-51 of 200 (as much as fits). Go on with offset=52.]")
    assert len(text) < 52 * 1024


async def test_a_ten_megabyte_line_is_cut_on_a_character(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" + "é" * 5_000_000 + "\nsecond\n")
    text = await ok("read", tmp_path, path="a.txt")
    assert "�" not in text
    assert "\nsecond\n" in text
    assert "Lines longer than 8192 bytes are cut" in text
    assert len(text) < 10_000


async def test_bytes_that_are_not_text_do_not_get_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    assert await ok("read", tmp_path, path="latin.txt") == "caf�"
    (tmp_path / "program").write_bytes(b"\x7fELF\0\0\0")
    assert "is a binary file" in await refused("read", tmp_path, path="program")
    (tmp_path / "empty").touch()
    assert await ok("read", tmp_path, path="empty") == "(the file is empty)"


async def test_what_is_no_file_is_an_error_and_never_a_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.symlink("loop", tmp_path / "loop")
    told = {
        "pipe": "pipe is a named pipe",
        "/dev/zero": "/dev/zero is a device",
        "folder": "folder is a folder; use ls or find",
        "missing.txt": "missing.txt does not exist",
        "file/below": "file/below does not exist: a part of its path is a file",
        "loop": "loop: Too many levels of symbolic links",
        "": "The path is empty",
        "a\0b": "The path is empty or holds a NUL",
        "a\ud800b": "Not a valid path",
        "x" * 5000: "File name too long",
    }
    for path, start in told.items():
        async with asyncio.timeout(5):
            assert start in await refused("read", tmp_path, path=path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "secret").touch(mode=0)
    assert await refused("read", tmp_path, path="secret") == "secret: permission denied"


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("café.txt", "cafe\u0301.txt"),
        ("cafe\u0301.txt", "café.txt"),
        ("it\u2019s.txt", "it's.txt"),
        ("it's.txt", "it\u2019s.txt"),
        ("Shot 2026-01-02 at 3.04.05\u202fPM.txt", "Shot 2026-01-02 at 3.04.05 PM.txt"),
        ("a b.txt", "a\u00a0b.txt"),
        ("a.txt", "@a.txt"),
        ("@b.txt", "@b.txt"),
        ("with space.txt", "with space.txt"),
    ],
)
async def test_other_spellings_of_a_name_find_the_file(
    tmp_path: Path, stored: str, asked: str
) -> None:
    (tmp_path / stored).write_text("found")
    assert await ok("read", tmp_path, path=asked) == "found"


async def test_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.txt").write_text("home")
    assert await ok("read", Path("/"), path="~/a.txt") == "home"


def _picture(size: tuple[int, int], form: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "teal").save(buffer, form)
    return buffer.getvalue()


async def test_a_small_image_is_sent_as_it_is(tmp_path: Path) -> None:
    data = _picture((4, 3))
    (tmp_path / "p.dat").write_bytes(data)
    result = await call("read", tmp_path, path="p.dat")
    assert result.content[1] == {
        "type": "image",
        "data": base64.b64encode(data).decode(),
        "mimeType": "image/png",
    }


async def test_a_large_image_is_made_smaller_and_the_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "p.jpg").write_bytes(_picture((4000, 1000), "JPEG"))
    result = await call("read", tmp_path, path="p.jpg")
    assert "4000×1000 pixels and is shown at 2000×500; multiply coordinates by 2.00" in text_of(
        result
    )
    block = result.content[1]
    assert block["type"] == "image"
    assert Image.open(io.BytesIO(base64.b64decode(block["data"]))).size == (2000, 500)


async def test_a_format_that_providers_do_not_take_becomes_png(tmp_path: Path) -> None:
    (tmp_path / "p.bmp").write_bytes(_picture((5, 5), "BMP"))
    block = (await call("read", tmp_path, path="p.bmp")).content[1]
    assert block["type"] == "image"
    assert block["mimeType"] == "image/png"


async def test_a_damaged_image_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(_picture((50, 50))[:60])
    assert "the image is damaged" in await refused("read", tmp_path, path="p.png")


async def test_without_resizing_a_large_image_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(_picture((3000, 10)))
    context = ToolContext(tmp_path, resize_images=False)
    result = await run_tool(TOOLS, "read", "c", {"path": "p.png"}, context)
    assert result.is_error
    assert "3000×10 pixels" in text_of(result)
