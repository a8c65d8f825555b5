"""``sapwood -p`` as people use it in scripts: output, exit status, every session flag."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import TYPE_CHECKING

import pytest

from support.command import COMMAND, environment, sapwood, start_sapwood, wait_until
from support.lifecycle import PNG
from support.stage import entries_of, request_texts

if TYPE_CHECKING:
    from support.stage import Stage

Build = Callable[..., "Stage"]


def run(stage: Stage, *arguments: str, stdin: str | None = None) -> CompletedProcess[bytes]:
    return sapwood(list(arguments), cwd=stage.project, agent_dir=stage.agent_dir, stdin=stdin)


def files(stage: Stage) -> list[Path]:
    return sorted((stage.agent_dir / "sessions").rglob("*.jsonl"))


def said(stage: Stage, number: int = -1) -> list[str]:
    return [text for role, text in request_texts(stage.bodies()[number]) if role == "user"]


def test_the_final_answer_alone_is_on_standard_output(stage_with: Build) -> None:
    (stage := stage_with([{"text": "first", "tools": [BASH]}, {"text": "höllo \u2028 done"}]))
    done = run(stage, "-p", "hello")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == "höllo \u2028 done\n".encode()


BASH = {"name": "bash", "arguments": {"command": "echo from-tool"}}


def test_messages_are_prompts_one_after_the_other(stage_with: Build) -> None:
    stage = stage_with([{"text": "one"}, {"text": "two"}])
    assert run(stage, "-p", "first", "second").stdout == b"two\n"
    assert said(stage) == ["first", "second"]


def test_a_redirected_end_means_print_mode(stage_with: Build) -> None:
    stage = stage_with([{"text": "answer"}])
    assert run(stage, "hello").stdout == b"answer\n"


def test_piped_input_and_files_go_before_the_first_message(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}, {"text": "ok"}])
    (stage.project / "notes.txt").write_text("from the file </file> really")
    run(stage, "-p", "@notes.txt", "the question", "another", stdin="from the pipe\n")
    first = said(stage, 0)[0]
    assert first.startswith("from the pipe\n\n")
    assert first.index("from the file") < first.index("the question")
    assert first.count("</file>") == 1
    assert said(stage, 1)[1] == "another"


def test_piped_input_alone_is_a_prompt(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    assert run(stage, "-p", stdin="only this").returncode == 0
    assert said(stage) == ["only this"]


def test_a_template_and_a_skill_are_used(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    prompts, skill = stage.agent_dir / "prompts", stage.agent_dir / "skills" / "count"
    prompts.mkdir()
    skill.mkdir(parents=True)
    (prompts / "review.md").write_text("---\ndescription: x\n---\nReview $1.", "utf-8")
    (skill / "SKILL.md").write_text("---\ndescription: x\n---\nCount twice.", "utf-8")
    run(stage, "-p", '/review "this one"', "/skill:count it")
    first, second = said(stage)
    assert first == "Review this one."
    assert "Count twice." in second
    run(stage, "-p", "/review that", stdin="a diff")
    assert said(stage) == ["a diff\n\nReview that."]


def test_an_image_is_attached(stage_with: Build) -> None:
    stage = stage_with([{"text": "a dot"}])
    (stage.project / "dot.png").write_bytes(PNG)
    assert run(stage, "-p", "@dot.png", "what is it").returncode == 0
    content = stage.bodies()[0]["messages"][-1]["content"]
    urls = [block["image_url"]["url"] for block in content if block["type"] == "image_url"]
    assert len(urls) == 1
    assert base64.b64decode(urls[0].partition(",")[2]).startswith(b"\x89PNG")


def test_nothing_to_ask_is_one_line(stage_with: Build) -> None:
    done = run(stage_with(), "-p")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_missing_file_is_one_line(stage_with: Build) -> None:
    done = run(stage_with(), "-p", "@missing.txt", "hello")
    assert done.returncode == 1
    assert done.stderr.startswith(b"sapwood: missing.txt cannot be read")


def test_a_run_that_ends_in_an_error_is_status_1_and_one_line(stage_with: Build) -> None:
    bad = {"error": {"status": 400, "body": {"error": {"message": "bad\nrequest \x1b[31m"}}}}
    done = run(stage_with([bad]), "-p", "hello")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr


HANDLING = """
import os, subprocess
def extension(api):
    def hello(text):
        subprocess.run("echo $AI_AGENT > agent.txt", shell=True)
    api.command("hello", "", hello)
    api.on("input", lambda event: {"handled": event["text"] == "swallow this"})
"""


@pytest.mark.parametrize("mode", ["text", "json"])
@pytest.mark.parametrize("first", [{"text": "an old answer"}, {"error": "429"}])
def test_what_an_extension_handles_has_no_answer(
    stage_with: Build, first: dict[str, object], mode: str
) -> None:
    """The old answer of the session is not told again, nor its old failure."""
    stage = stage_with([first], settings={"retry": {"enabled": False}})
    (stage.project / "handle.py").write_text(HANDLING)
    run(stage, "-p", "go")
    words = ["-c", "--mode", mode, "-e", "handle.py", "/hello", "swallow this"]
    done = run(stage, "-p", *words)
    assert (done.returncode, done.stderr) == (0, b"")
    assert mode == "json" or done.stdout == b""
    assert len(stage.requests) == 1
    assert (stage.project / "agent.txt").read_text() == "sapwood\n"


def test_what_a_run_says_again_and_again_is_told_once(stage_with: Build) -> None:
    """A message too large for the window: tried, left, and tried anew with the next one."""
    stage = stage_with([{"error": "openai_overflow"}], window=8192)
    first = run(stage, "-p", "hi", stdin="word " * 200_000)
    assert (first.returncode, first.stdout) == (1, b"")
    second = run(stage, "-c", "-p", "hello")
    assert second.returncode == 1
    for done in (first, second):
        lines = done.stderr.splitlines()
        assert len(lines) == len(set(lines)) == 2
        assert b"maximum context length" in lines[-1]


def test_interrupting_stores_the_run_and_is_status_130(stage_with: Build) -> None:
    stage = stage_with([{"text": "slow", "delay": 30}])
    process = start_sapwood(["-p", "hello"], cwd=stage.project, agent_dir=stage.agent_dir)
    wait_until(lambda: bool(stage.requests))
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    last = entries_of(files(stage)[0])[-1]
    assert last["message"]["stopReason"] == "aborted"


def test_ctrl_c_while_a_command_prints_the_key_is_status_130(stage_with: Build) -> None:
    stage = stage_with([{"text": "never"}])
    models = stage.agent_dir / "models.json"
    config = json.loads(models.read_text())
    config["providers"]["fake"]["apiKey"] = f"!touch '{stage.project / 'asked'}'; sleep 20"
    models.write_text(json.dumps(config))
    process = start_sapwood(
        ["-p", "hello"], cwd=stage.project, agent_dir=stage.agent_dir, start_new_session=True
    )
    wait_until((stage.project / "asked").exists)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(15) == 130
    assert stage.requests == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_it_in_order_with_its_tools(
    stage_with: Build, number: signal.Signals
) -> None:
    call = {"name": "bash", "arguments": {"command": "echo $$ > pid; sleep 60"}}
    stage = stage_with([{"tools": [call]}, {"text": "never"}])
    process = start_sapwood(["-p", "hello"], cwd=stage.project, agent_dir=stage.agent_dir)
    pid_file = stage.project / "pid"
    wait_until(lambda: pid_file.exists() and bool(pid_file.read_text()))
    process.send_signal(number)
    assert process.wait(10) == 128 + number
    roles = [e["message"]["role"] for e in entries_of(files(stage)[0]) if "message" in e]
    assert roles == ["system", "user", "assistant", "toolResult", "assistant"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_an_ignored_signal_stays_ignored(stage_with: Build) -> None:
    stage = stage_with([{"text": "answer", "delay": 1}])
    words = ["nohup", *COMMAND, "-p", "hello"]
    process = subprocess.Popen(
        words,
        cwd=stage.project,
        env=environment(stage.agent_dir),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: bool(stage.requests))
    process.send_signal(signal.SIGHUP)
    assert process.communicate(timeout=20) == (b"answer\n", None)
    assert process.returncode == 0


STUCK = """
def extension(api):
    def wait(event):
        while True:
            pass
    api.on("turn_end", wait)
"""


def test_a_handler_that_never_ends_can_be_interrupted(stage_with: Build) -> None:
    stage = stage_with([{"text": "answer"}])
    (stage.project / "stuck.py").write_text(STUCK)
    words = ["-p", "-e", "stuck.py", "hello"]
    process = start_sapwood(words, cwd=stage.project, agent_dir=stage.agent_dir)
    wait_until(lambda: any(b'"answer"' in path.read_bytes() for path in files(stage)))
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130


def test_continue_goes_on_with_the_most_recent_session(stage_with: Build) -> None:
    stage = stage_with([{"text": "one"}, {"text": "two"}])
    run(stage, "-p", "first")
    assert run(stage, "-c", "-p", "second").stdout == b"two\n"
    assert said(stage) == ["first", "second"]
    assert len(files(stage)) == 1


def test_continue_without_a_session_makes_one(stage_with: Build) -> None:
    stage = stage_with([{"text": "one"}])
    assert run(stage, "-c", "-p", "first").stdout == b"one\n"


def test_session_by_id_prefix_and_path(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "-p", "first")
    path = files(stage)[0]
    session_id = entries_of(path)[0]["id"]
    assert run(stage, "--session", session_id[:12], "-p", "second").returncode == 0
    assert run(stage, "--session", str(path), "-p", "third").returncode == 0
    assert said(stage) == ["first", "second", "third"]
    done = run(stage, "--session", "nosuch", "-p", "x")
    assert done.returncode == 1
    assert b"nosuch" in done.stderr


def test_session_id_is_opened_or_made(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "--session-id", "my-session", "-p", "first")
    run(stage, "--session-id", "my-session", "-p", "second")
    assert [entries_of(path)[0]["id"] for path in files(stage)] == ["my-session"]
    assert said(stage) == ["first", "second"]


def test_a_fork_does_not_take_an_id_that_is_taken(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "--session-id", "mine", "-p", "hello")
    (source,) = files(stage)
    done = run(stage, "--fork", str(source), "--session-id", "mine", "-p", "hello")
    assert done.returncode == 1
    assert done.stderr == b"sapwood: There is a session mine in this folder already.\n"
    assert files(stage) == [source]
    assert run(stage, "--fork", str(source), "--session-id", "copy", "-p", "go").returncode == 0


def test_a_session_id_with_a_path_in_it_is_refused(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    done = run(stage, "--session-id", "../../x", "-p", "first")
    assert done.returncode == 1
    assert files(stage) == []


def test_fork_leaves_the_source_alone(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "-p", "first")
    source = files(stage)[0]
    before = source.read_bytes()
    assert run(stage, "--fork", str(source), "-p", "second").returncode == 0
    assert source.read_bytes() == before
    fork = next(path for path in files(stage) if path != source)
    assert entries_of(fork)[0]["parentSession"] == str(source)
    assert said(stage) == ["first", "second"]


@pytest.mark.parametrize(
    "flags",
    [
        ("--fork", "x", "-c"),
        ("-c", "--session", "x"),
        ("--no-session", "--session-id", "x"),
        ("--session", "x", "--session-id", "y"),
    ],
)
def test_contradicting_session_flags_are_wrong_usage(
    stage_with: Build, flags: tuple[str, ...]
) -> None:
    done = run(stage_with(), *flags, "-p", "hello")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"exclude each other" in done.stderr


def test_blank_messages_are_none(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    assert run(stage, "-p", "", " \n").returncode == 1
    assert run(stage, "-p", "", "hello").returncode == 0
    assert said(stage) == ["hello"]


def test_the_way_out_of_having_no_model_is_told(stage_with: Build) -> None:
    stage = stage_with(settings={"defaultProvider": None, "defaultModel": None})
    (stage.agent_dir / "models.json").unlink()
    done = run(stage, "-p", "hello")
    assert done.returncode == 1
    assert b"ANTHROPIC_API_KEY" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert b"known: anthropic" in run(stage, "--provider", "nope", "-p", "hello").stderr


def test_an_extension_asked_for_must_load(stage_with: Build) -> None:
    """It may be what keeps the tools in check."""
    stage = stage_with([{"text": "ok"}])
    (stage.project / "gate.py").write_text("raise RuntimeError('broken')")
    for name in ("gate.py", "missing.py"):
        done = run(stage, "-e", name, "-p", "hello")
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.startswith(b"sapwood: Extension ")
    assert stage.requests == []


def test_a_handler_that_raises_is_told_and_passed_over(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    (stage.project / "one.py").write_text(
        "def extension(api):\n    api.on('input', lambda event: 1 / 0)\n"
    )
    done = run(stage, "-e", "one.py", "-p", "hello")
    assert (done.returncode, done.stdout) == (0, b"ok\n")
    assert b"Extension one, input: ZeroDivisionError" in done.stderr


def test_a_project_cannot_run_anything_before_it_is_trusted(stage_with: Build) -> None:
    """Neither extensions nor settings that name programs; links and parents make no difference."""
    call = {"name": "bash", "arguments": {"command": "echo hi"}}
    stage = stage_with([{"tools": [call]}, {"text": "ok"}])
    trap = stage.project / "ran"
    code = f"open({str(trap)!r}, 'w')\ndef extension(api): pass\n"
    folder = stage.project / ".pi" / "extensions"
    folder.mkdir(parents=True)
    (folder / "evil.py").write_text(code)
    (stage.project / "evil.py").write_text(code)
    settings = {
        "extensions": ["../evil.py"],
        "shellPath": "./evil-shell",
        "shellCommandPrefix": f"touch {trap};",
        "defaultProjectTrust": "always",
    }
    (stage.project / ".pi" / "settings.json").write_text(json.dumps(settings))
    done = run(stage, "-p", "hello")
    assert done.returncode == 0
    assert b"left out until it is trusted" in done.stderr
    assert not trap.exists()


def test_an_unusable_setting_is_named(stage_with: Build) -> None:
    stage = stage_with(settings={"retry": {"maxRetries": "many"}})
    done = run(stage, "-p", "hello")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    for part in (b"settings.json", b"retry.maxRetries", b"many"):
        assert part in done.stderr


def test_a_terminal_is_not_driven_by_an_answer(stage_with: Build) -> None:
    stage = stage_with([{"text": "a\x1b]0;owned\x07b\x1b[31m"}])
    ours, theirs = os.openpty()
    process = start_sapwood(
        ["-p", "hello"], cwd=stage.project, agent_dir=stage.agent_dir, stdout=theirs
    )
    assert process.wait(60) == 0
    shown = os.read(ours, 1000)
    assert shown.startswith(b"a")
    assert b"\x1b" not in shown
    assert b"\x07" not in shown


def test_ctrl_c_before_the_run_is_status_130(stage_with: Build) -> None:
    """While an extension loads, long before anybody handles the signal."""
    stage = stage_with()
    (stage.project / "slow.py").write_text(
        "import time\nopen('loading', 'w')\ntime.sleep(30)\ndef extension(api): pass\n"
    )
    process = start_sapwood(
        ["-e", "slow.py", "-p", "hello"], cwd=stage.project, agent_dir=stage.agent_dir
    )
    wait_until((stage.project / "loading").exists)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert process.stderr is not None
    assert process.stderr.read().strip() == b""


def test_the_session_file_removed_by_a_tool_is_written_again(stage_with: Build) -> None:
    call = {"name": "bash", "arguments": {"command": 'rm "$PI_SESSION_FILE"'}}
    stage = stage_with([{"tools": [call]}, {"text": "ok"}])
    assert run(stage, "-p", "hello").returncode == 0
    roles = [e["message"]["role"] for e in entries_of(files(stage)[0]) if e["type"] == "message"]
    assert roles == ["system", "user", "assistant", "toolResult", "assistant"]


def test_the_session_file_cut_by_a_tool_is_left_alone(stage_with: Build) -> None:
    call = {"name": "bash", "arguments": {"command": ': > "$PI_SESSION_FILE"'}}
    stage = stage_with([{"tools": [call]}, {"text": "ok"}])
    done = run(stage, "-p", "hello")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"became shorter" in done.stderr
    assert files(stage)[0].read_bytes() == b""


def test_no_session_writes_nothing(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    assert run(stage, "--no-session", "-p", "hello").stdout == b"ok\n"
    assert files(stage) == []


def test_session_dir_flag_beats_the_environment(stage_with: Build, tmp_path: Path) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "--session-dir", str(tmp_path / "mine"), "-p", "hello")
    assert len(list((tmp_path / "mine").glob("*.jsonl"))) == 1
    assert files(stage) == []


def test_files_and_folders_are_private(stage_with: Build) -> None:
    """B21."""
    stage = stage_with([{"text": "ok"}])
    run(stage, "-p", "hello")
    path = files(stage)[0]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_name_is_stored_once(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "--name", "my work", "-p", "one")
    run(stage, "-c", "--name", "my work", "-p", "two")
    names = [e["name"] for e in entries_of(files(stage)[0]) if e["type"] == "session_info"]
    assert names == ["my work"]


def test_model_and_thinking_flags(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    assert run(stage, "--model", "fake/fake-thinker:high", "-p", "hello").returncode == 0
    assert stage.bodies()[0]["model"] == "fake-thinker"
    assert stage.bodies()[0]["reasoning_effort"] == "high"
    run(stage, "--provider", "fake", "--model", "fake-thinker", "--thinking", "low", "-p", "hello")
    assert stage.bodies()[1]["reasoning_effort"] == "low"
    done = run(stage, "--model", "nothing-like-it", "-p", "hello")
    assert done.returncode == 1
    assert b"nothing-like-it" in done.stderr


def test_the_model_of_a_session_is_taken_up_again(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    run(stage, "--model", "fake/fake-large", "-p", "one")
    run(stage, "-c", "-p", "two")
    assert [body["model"] for body in stage.bodies()] == ["fake-large", "fake-large"]


def test_a_model_that_is_gone_is_told(stage_with: Build) -> None:
    """B109."""
    stage = stage_with([{"text": "ok"}])
    run(stage, "-p", "one")
    path = files(stage)[0]
    path.write_text(path.read_text().replace('"fake"', '"gone"'))
    done = run(stage, "-c", "-p", "two")
    assert done.returncode == 0
    assert b"gone/fake-1 is not available" in done.stderr


def test_tool_flags(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])

    def offered(*flags: str) -> list[str]:
        assert run(stage, *flags, "-p", "hello").returncode == 0
        tools = stage.bodies()[-1].get("tools") or []
        return sorted(tool["function"]["name"] for tool in tools)

    assert offered() == ["bash", "edit", "read", "write"]
    assert offered("--tools", "read,grep") == ["grep", "read"]
    assert offered("-t", "+ls,-bash") == ["edit", "ls", "read", "write"]
    assert offered("--exclude-tools", "bash") == ["edit", "read", "write"]
    assert offered("--no-tools") == []
    done = run(stage, "--tools", "hammer", "-p", "hello")
    assert done.returncode == 1
    assert b"hammer" in done.stderr


def test_prompt_flags_and_context_files(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    (stage.project / "AGENTS.md").write_text("always use tabs")
    (stage.project / "extra.md").write_text("from a file")

    def prompt(*flags: str) -> str:
        assert run(stage, *flags, "-p", "hello").returncode == 0
        return str(stage.bodies()[-1]["messages"][0]["content"])

    assert "always use tabs" in prompt()
    assert "always use tabs" not in prompt("-nc")
    replaced = prompt("--system-prompt", "You are a pirate.", "--append-system-prompt", "extra.md")
    assert replaced.startswith("You are a pirate.")
    assert "from a file" in replaced


def test_project_settings_wait_for_trust(stage_with: Build) -> None:
    stage = stage_with([{"text": "ok"}])
    (stage.project / ".pi").mkdir()
    (stage.project / ".pi" / "settings.json").write_text('{"defaultTools": ["read"]}')

    def tools(*flags: str) -> int:
        assert run(stage, *flags, "-p", "hello").returncode == 0
        return len(stage.bodies()[-1]["tools"])

    assert tools() == 4
    assert tools("--approve") == 1
    assert tools("-na") == 4


def test_list_models(stage_with: Build) -> None:
    done = run(stage_with(), "--list-models", "large")
    assert done.returncode == 0
    assert done.stdout.decode().split() == ["fake/fake-large", "100,000", "image"]


def test_a_vanished_folder_is_a_clear_line(stage_with: Build, tmp_path: Path) -> None:
    """B104."""
    stage = stage_with([{"text": "ok"}])
    gone = tmp_path / "gone"
    gone.mkdir()
    sapwood(["-p", "one"], cwd=gone, agent_dir=stage.agent_dir)
    gone.rmdir()
    before = files(stage)
    done = run(stage, "--session", str(before[0]), "-p", "two")
    assert done.returncode == 1
    assert b"does not exist any more" in done.stderr
    assert files(stage) == before


def test_a_current_folder_that_is_gone_is_a_clear_line(stage_with: Build, tmp_path: Path) -> None:
    stage = stage_with()
    leave = "import os, sys; from pathlib import Path; os.rmdir(Path.cwd());"
    run_main = "from sapwood.modes.main import main; sys.exit(main(['-p', 'hello']))"
    (gone := tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", leave + run_main],
        cwd=gone,
        env=environment(stage.agent_dir),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"does not exist any more" in done.stderr


def test_a_full_disk_ends_the_run_in_one_line_and_leaves_whole_lines(stage_with: Build) -> None:
    call = {"name": "bash", "arguments": {"command": "echo hi; # " + "x" * 9000}}
    stage = stage_with([{"tools": [call]}, {"text": "ok"}])
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192));"
        "from sapwood.modes.main import main; sys.exit(main(['-p', 'hello']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited],
        cwd=stage.project,
        env={**environment(stage.agent_dir), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert b"not written" in done.stderr
    assert run(stage, "-c", "-p", "again").stdout == b"ok\n"
    assert all(entry["type"] for entry in entries_of(files(stage)[0]))


def test_commands_know_the_session_and_the_model(stage_with: Build) -> None:
    show = 'echo "$PI_SESSION_ID|$PI_SESSION_FILE|$PI_PROVIDER|$PI_MODEL|$AI_AGENT"'
    call = {"name": "bash", "arguments": {"command": show}}
    stage = stage_with([{"tools": [call]}, {"text": "ok"}])
    run(stage, "-p", "hello")
    path = files(stage)[0]
    result = dict(request_texts(stage.bodies()[1]))["tool"]
    session_id = entries_of(path)[0]["id"]
    assert f"{session_id}|{path}|fake|fake-1|sapwood" in result


def test_opening_and_quitting_appends_nothing(stage_with: Build) -> None:
    """B32: five failed starts leave the file as it was."""
    stage = stage_with([{"text": "ok"}])
    run(stage, "-p", "one")
    path = files(stage)[0]
    before = path.read_bytes(), path.stat().st_mtime_ns
    for _ in range(5):
        run(stage, "-c", "-p", "@missing")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_help_and_version(stage_with: Build) -> None:
    stage = stage_with()
    assert b"--session" in run(stage, "--help").stdout
    assert run(stage, "--version").stdout.strip()


def test_a_missing_parent_is_told(stage_with: Build) -> None:
    """B10: never a silently shortened context."""
    stage = stage_with([{"text": "ok"}])
    run(stage, "-p", "one")
    run(stage, "-c", "-p", "two")
    path = files(stage)[0]
    lines = path.read_bytes().split(b"\n")
    del lines[5]
    path.write_bytes(b"\n".join(lines))
    done = run(stage, "-c", "-p", "three")
    assert done.returncode == 0
    assert b"parent is not in the file" in done.stderr


def test_models_are_listed_by_words(stage_with: Build) -> None:
    stage = stage_with()
    assert run(stage, "--list-models").stdout.count(b"fake/") == 4
    done = run(stage, "--list-models", "FAKE", "thinker")
    assert done.stdout.decode().split() == ["fake/fake-thinker", "100,000", "image", "thinking"]
    done = run(stage, "--list-models", "hammer")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"sapwood: No available model fits hammer.\n"


def test_export_takes_one_session_and_one_output(stage_with: Build) -> None:
    stage = stage_with([{"text": "the answer"}])
    run(stage, "-p", "hello")
    (source,) = files(stage)
    assert run(stage, "--export", str(source), "out.html").stdout == b"out.html\n"
    assert "the answer" in (stage.project / "out.html").read_text("utf-8")
    made = Path(run(stage, "--export", str(source)).stdout.decode().strip())
    assert made.parent == stage.project
    assert run(stage, "--export", str(source), "a.html", "b.html").returncode == 2
    again = run(stage, "--export", str(source), "out.html")
    assert again.returncode == 1
    assert again.stderr == b"sapwood: out.html exists already; it is left as it is.\n"
