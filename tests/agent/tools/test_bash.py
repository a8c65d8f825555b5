from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from sapwood.agent.shell import ShellResult, run_shell
from sapwood.agent.tools import ShellSettings, ToolContext, ToolResult
from sapwood.agent.tools.running import run_tool
from support.limits import file_size_limit
from support.processes import wait_until_gone
from support.tools import TOOLS, call, ok, refused, text_of


async def test_output_and_exit_code(tmp_path: Path) -> None:
    assert await ok("bash", tmp_path, command="echo out; echo err >&2; pwd") == (
        f"out\nerr\n{tmp_path}"
    )
    failed = await call("bash", tmp_path, command="echo hi; exit 3")
    assert failed == ToolResult(
        [{"type": "text", "text": "hi\n\nCommand exited with code 3"}], {"exitCode": 3}, True
    )
    assert await ok("bash", tmp_path, command="true") == "(no output)"
    assert "code 137" in await refused("bash", tmp_path, command="kill -9 $$")


async def test_long_output_keeps_its_tail_and_the_rest_in_a_private_file(tmp_path: Path) -> None:
    result = await call("bash", tmp_path, command="seq 1 3000")
    text = text_of(result)
    assert text.startswith("1001\n1002\n")
    full = result.details["fullOutputPath"]
    assert text.endswith(f"\n3000\n\n[The last 2000 of 3000 lines. All of it: {full}]")
    try:
        assert Path(full).read_text() == "".join(f"{n}\n" for n in range(1, 3001))
        assert stat.S_IMODE(os.stat(full).st_mode) == 0o600
    finally:
        os.unlink(full)


async def test_one_endless_line_keeps_its_end(tmp_path: Path) -> None:
    command = "head -c 300000 /dev/zero | tr '\\0' x; printf END"
    result = await call("bash", tmp_path, command=command)
    os.unlink(result.details["fullOutputPath"])
    assert text_of(result).partition("\n\n[")[0].endswith("xxEND")
    assert len(text_of(result)) < 52_000


async def test_a_full_page_is_not_called_cut(tmp_path: Path) -> None:
    result = await call("bash", tmp_path, command="seq 1 2000")
    assert text_of(result).endswith("\n2000")
    assert result.details == {"exitCode": 0}


async def test_there_is_no_input_and_the_environment_says_who_runs(tmp_path: Path) -> None:
    context = ToolContext(
        tmp_path, environment={"PI_SESSION_ID": "s1"}, shell=ShellSettings(prefix="export A=b")
    )
    command = (
        'cat; echo "$AI_AGENT $PI_SESSION_ID $A"; (exec 2>/dev/null; : </dev/tty) || echo none'
    )
    result = await run_tool(TOOLS, "bash", "c", {"command": command}, context)
    assert text_of(result) == "sapwood s1 b\nnone"


async def test_the_time_limit_ends_grandchildren_too(tmp_path: Path) -> None:
    command = "sleep 300 & echo $! > child; (sleep 300; true) & wait"
    told = await refused("bash", tmp_path, command=command, timeout=0.3)
    assert told == "Command timed out after 0.3 s"
    await wait_until_gone(int((tmp_path / "child").read_text()))


async def test_abort_ends_the_group_and_keeps_the_output(tmp_path: Path) -> None:
    heard = asyncio.Event()
    context = ToolContext(tmp_path, on_update=lambda partial: heard.set())
    command = "trap 'echo bye; exit' TERM; sleep 300 & echo $!; wait"
    task = asyncio.create_task(run_tool(TOOLS, "bash", "c", {"command": command}, context))
    async with asyncio.timeout(10):
        await heard.wait()
        task.cancel()
        result = await task
    child, *rest = text_of(result).split("\n")
    assert rest == ["bye", "", "Command aborted by the person"]
    assert result.is_error
    await wait_until_gone(int(child))


async def test_what_will_not_end_politely_is_ended(tmp_path: Path) -> None:
    heard = asyncio.Event()
    task = asyncio.create_task(
        run_shell(
            "trap '' TERM; echo $$; while :; do sleep 1; done",
            tmp_path,
            on_output=lambda tail: heard.set(),
        )
    )
    async with asyncio.timeout(20):
        await heard.wait()
        task.cancel()
        task.cancel()
        result = await task
    assert result.cancelled
    assert result.exit_code is None
    await wait_until_gone(int(result.output))


async def test_a_child_in_the_background_does_not_hold_the_command_up(tmp_path: Path) -> None:
    async with asyncio.timeout(10):
        text = await ok("bash", tmp_path, command="sleep 60 & echo $!")
    os.kill(int(text), 9)


async def test_updates_show_the_output_so_far(tmp_path: Path) -> None:
    seen: list[str] = []
    heard = asyncio.Event()

    def listen(tail: str) -> None:
        seen.append(tail)
        heard.set()

    (tmp_path / "go").touch()
    task = asyncio.create_task(
        run_shell(
            "echo one; until [ -e on ]; do sleep 0.02; done; echo two", tmp_path, on_output=listen
        )
    )
    async with asyncio.timeout(10):
        await heard.wait()
        (tmp_path / "on").touch()
        result = await task
    assert seen[0] == "one"
    assert result.output == "one\ntwo"


async def test_a_flood_of_output_does_not_fill_memory(tmp_path: Path) -> None:
    result = await run_shell("head -c 30000000 /dev/zero | tr '\\0' '\\n'", tmp_path)
    assert result.full_output_path is not None
    assert os.path.getsize(result.full_output_path) == result.total_bytes == 30_000_000
    os.unlink(result.full_output_path)
    assert len(result.output) <= 2000


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (r"printf 'a\xffb\xf0\x9f'", "a�b�"),
        (r"printf '\033[1;31mred\033[0m \033]0;title\007end'", "red end"),
        (r"printf 'one\r\ntwo\r\n'", "one\ntwo"),
        (r"printf '10%%\r50%%\r100%%\n'", "100%"),
        (r"printf 'a\0b\a\tc'", "ab\tc"),
    ],
)
async def test_odd_bytes_become_plain_text(tmp_path: Path, command: str, text: str) -> None:
    assert await ok("bash", tmp_path, command=command) == text


@pytest.mark.parametrize(
    ("shell", "cwd", "told"),
    [
        (ShellSettings(path="/no/such/shell"), ".", "setting shellPath"),
        (ShellSettings(), "gone", "does not exist"),
    ],
)
async def test_what_cannot_start_is_an_error(
    tmp_path: Path, shell: ShellSettings, cwd: str, told: str
) -> None:
    context = ToolContext(tmp_path / cwd, shell=shell)
    result = await run_tool(TOOLS, "bash", "c", {"command": "true"}, context)
    assert result.is_error
    assert told in text_of(result)


async def test_another_shell_can_be_set(tmp_path: Path) -> None:
    script = tmp_path / "shell"
    script.write_text('#!/bin/sh\necho "mine: $2"\n')
    script.chmod(0o755)
    result = await run_shell("hello", tmp_path, shell=ShellSettings(path=str(script)))
    assert result == ShellResult("mine: hello", 0, False, False, False, None, 1, 12)


async def test_many_commands_leave_no_open_handles(tmp_path: Path) -> None:
    await run_shell("true", tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    await asyncio.gather(*(run_shell("echo x", tmp_path) for _ in range(40)))
    assert len(os.listdir("/proc/self/fd")) == before


async def test_a_command_goes_on_when_its_output_cannot_be_kept(tmp_path: Path) -> None:
    with file_size_limit(60 * 1024):
        result = await call("bash", tmp_path, command="seq 1 30000; sleep 0.2; echo the end")
    text = text_of(result)
    assert not result.is_error
    assert "\nthe end\n" in text
    assert text.endswith(
        "[The last 2000 of 30001 lines. The rest could not be kept: File too large]"
    )
    assert "fullOutputPath" not in result.details
