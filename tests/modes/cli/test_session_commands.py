"""``sapwood session …`` on real files: what it prints, and what it does to the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sapwood.context.projection import project
from sapwood.modes.main import main
from sapwood.session.manager import SessionManager

GOLDEN = Path(__file__).parents[2] / "golden" / "sessions"
UNICODE = GOLDEN / "12-unicode-80.jsonl"


@pytest.fixture
def session() -> Path:
    """hello → hi → (first try → no) and (second try → yes), standing at yes."""
    with SessionManager.create(Path.cwd()) as manager:
        say(manager, "user", "hello")
        hi = say(manager, "assistant", "hi")
        say(manager, "user", "first try")
        say(manager, "assistant", "no")
        manager.branch(hi)
        say(manager, "user", "second try")
        say(manager, "assistant", "yes")
        assert manager.path is not None
        return manager.path


def say(manager: SessionManager, role: str, text: str) -> str:
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return manager.append_message({"role": role, "content": content, "timestamp": 1})


def entry_of(path: Path, text: str) -> str:
    with SessionManager.open(path, writer="none") as manager:
        return next(e.id for e in manager.tree.entries if f'"{text}"'.encode() in e.raw)


Run = Any


def test_tree_marks_the_active_path_and_the_leaf(run: Run, session: Path) -> None:
    rows = [line[22:] for line in run("tree", session).splitlines()]
    assert rows == [
        "• user: hello",
        "• assistant: hi",
        "├⊟ • user: second try",
        "│  • assistant: yes ◀ here",
        "└⊟   user: first try",
        "     assistant: no",
    ]


def test_tree_as_json_has_the_same_rows(run: Run, session: Path) -> None:
    answer = json.loads(run("tree", session, "--json", "--filter", "user-only"))
    assert [row["text"] for row in answer["rows"]] == ["hello", "second try", "first try"]
    assert [row["onPath"] for row in answer["rows"]] == [True, True, False]
    assert answer["leafId"] == entry_of(session, "yes")


@pytest.mark.parametrize(
    "command", [("tree",), ("tree", "--filter", "user-only"), ("context",), ("check",)]
)
@pytest.mark.parametrize("columns", ["80", "60", "200"])
def test_lines_fit_the_terminal(run: Run, command: tuple[str, ...], columns: str) -> None:
    from sapwood.text import cell_width

    os.environ["COLUMNS"] = columns
    for line in run(command[0], UNICODE, *command[1:]).splitlines():
        assert cell_width(line) <= int(columns)
        assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in line)


def test_context_names_the_entry_of_each_message(run: Run, session: Path) -> None:
    answer = json.loads(run("context", session, "--json"))
    with SessionManager.open(session, writer="none") as manager:
        projected = project(manager.tree)
    assert answer["messages"] == projected.messages
    assert answer["sources"] == [[entry.id] for entry in projected.sources]
    table = run("context", session).splitlines()
    assert [line.split()[0] for line in table[1:]] == [e.id[:8] for e in projected.sources]


def test_context_at_another_entry(run: Run, session: Path) -> None:
    no = entry_of(session, "no")
    texts = json.loads(run("context", session, "--at", no[:6], "--json"))["messages"]
    assert [m["content"] for m in texts if m["role"] == "user"] == ["hello", "first try"]
    assert run("context", session, "--at", no, "--tokens") == "7\n"


def test_context_in_full(run: Run, session: Path) -> None:
    text = run("context", session, "--text")
    assert f"── user · {entry_of(session, 'second try')} ──\nsecond try\n" in text


def test_show_tells_place_and_text(run: Run, session: Path) -> None:
    hi = entry_of(session, "hi")
    shown = run("show", session, hi[:5])
    assert shown.startswith(f"message · assistant · {hi}\n")
    assert "\nhi\n" in shown
    assert json.loads(run("show", session, hi, "--json"))["id"] == hi


def test_goto_moves_and_the_move_survives(run: Run, session: Path) -> None:
    before = session.read_bytes()
    first = entry_of(session, "first try")
    assert run("goto", session, first) == f"At {first}: first try\n"
    assert session.read_bytes().startswith(before)
    run("name", session, "Another way")
    here = [line for line in run("tree", session).splitlines() if line.endswith("◀ here")]
    assert [line[:8] for line in here] == [first]
    with SessionManager.open(session) as manager:
        texts = [message.get("content") for message in project(manager.tree).messages]
        assert texts[-1] == "first try"
        say(manager, "user", "again")
        assert [e.id for e in manager.get_branch()][2] == first


def test_goto_the_last_entry_writes_nothing(run: Run, session: Path) -> None:
    before = session.read_bytes()
    run("goto", session, entry_of(session, "yes"))
    assert session.read_bytes() == before


def test_goto_root_starts_anew(run: Run, session: Path) -> None:
    run("goto", session, "root")
    with SessionManager.open(session, writer="none") as manager:
        assert project(manager.tree).messages == []
    assert run("tree", session).splitlines()[-1] == "The next message starts a new root."


def test_goto_with_a_summary_needs_no_model(run: Run, session: Path) -> None:
    target = entry_of(session, "first try")
    run("goto", session, target, "--summarize")
    with SessionManager.open(session, writer="none") as manager:
        summary = manager.get_branch()[-1]
        assert summary.type == "branch_summary"
        assert summary.parent_id == target


def test_label_and_name(run: Run, session: Path) -> None:
    hi = entry_of(session, "hi")
    assert (
        run("label", session, hi[:6], "good\x1b[31m start") == f"[good\ufffd[31m start] {hi}: hi\n"
    )
    assert "[good\ufffd[31m start] assistant: hi" in run("tree", session)
    assert run("label", session, hi, "--remove") == f"No label on {hi}: hi\n"
    assert run("name", session) == "(no name)\n"
    assert run("name", session, "Greeting") == "Greeting\n"
    assert run("name", session) == "Greeting\n"
    assert "Greeting" in run("list")
    assert run("name", session, "--remove") == "The session has no name now\n"
    run("name", session, "Greeting")
    assert run("name", session, " ") == "The session has no name now\n"
    assert run("name", session) == "(no name)\n"


def test_fork_holds_the_path_to_the_entry(run: Run, session: Path) -> None:
    before = session.read_bytes()
    copy = Path(run("fork", session, entry_of(session, "no")).strip())
    assert session.read_bytes() == before
    with SessionManager.open(copy, writer="none") as manager:
        texts = [e.data["message"]["content"] for e in manager.tree.entries]
        assert texts[::2] == ["hello", "first try"]
        assert manager.header["parentSession"] == str(session)


def test_clone_holds_the_active_path_or_everything(run: Run, session: Path) -> None:
    active = Path(run("clone", session).strip())
    whole = Path(run("clone", session, "--all-branches").strip())
    assert len(active.read_bytes().splitlines()) == 5
    assert whole.read_bytes().split(b"\n")[1:] == session.read_bytes().split(b"\n")[1:]


def test_export_writes_lines(run: Run, session: Path, tmp_path: Path) -> None:
    assert run("export", session, "--jsonl").encode() == session.read_bytes()
    target = tmp_path / "out.jsonl"
    run("export", session, target, "--branch")
    assert len(target.read_bytes().splitlines()) == 5
    run("export", session, target, status=1)
    assert "--force" in run.err
    run("export", session, target, "--force", "--at", entry_of(session, "hello"))
    assert len(target.read_bytes().splitlines()) == 2


def test_list_here_and_everywhere(run: Run, session: Path, tmp_path: Path) -> None:
    with SessionManager.create(tmp_path) as manager:
        say(manager, "user", "elsewhere")
    assert "hello" in run("list")
    assert "elsewhere" not in run("list")
    everywhere = run("list", "--all")
    assert "hello" in everywhere
    assert f"{tmp_path}\n" in everywhere
    rows = json.loads(run("list", "--json"))
    assert [(row["path"], row["messageCount"]) for row in rows] == [(str(session), 6)]


def test_an_empty_list_says_where_to_look(run: Run) -> None:
    assert run("list") == ""
    assert "--all" in run.err


def test_a_list_of_a_missing_folder_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", "list", "--session-dir", "nowhere"]) == 0
    assert capsys.readouterr().err == "sapwood: there is no folder nowhere, and so no session\n"


def test_sessions_go_by_id_prefix_and_path(run: Run, session: Path) -> None:
    with SessionManager.open(session, writer="none") as manager:
        session_id = manager.session_id
    by_path = run("tree", session)
    assert run("tree", session_id) == by_path
    assert run("tree", session_id[:12]) == by_path
    assert run("tree", session_id, "--session-dir", session.parent) == by_path


def test_check_is_quiet_about_a_sound_file_and_tells_of_others(run: Run, session: Path) -> None:
    assert "nothing odd" in run("check", session)
    assert "nothing odd" in run("check", UNICODE)
    found = run("check", GOLDEN / "edge-comp-unknown.jsonl", status=1)
    assert "kept-boundary" in found
    with session.open("ab") as file:
        file.write(b'{"type":"message","id":"torn')
    before = session.read_bytes()
    answer = json.loads(run("check", session, "--json", status=1))
    assert {each["kind"] for each in answer["diagnostics"]} == {"torn-tail", "unreadable-line"}
    assert session.read_bytes() == before


def test_every_golden_file_is_drawn_projected_and_checked(run: Run) -> None:
    for path in sorted(GOLDEN.glob("*.jsonl")):
        before = path.read_bytes()
        for command in ("tree", "context", "check"):
            status = main(["session", command, str(path)])
            assert status in (0, 1), (path.name, command)
        assert path.read_bytes() == before


def test_no_colour_and_no_control_characters_when_piped(session: Path) -> None:
    for arguments in (["tree"], ["context"], ["context", "--text"], ["check"]):
        command = [sys.executable, "-m", "sapwood", "session", *arguments, str(UNICODE)]
        done = subprocess.run(command, capture_output=True, check=True)
        assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_of_another_encoding_is_no_reason_to_fail(encoding: str) -> None:
    command = [sys.executable, "-m", "sapwood", "session", "tree", str(UNICODE)]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    assert b"[ls: docs/" in done.stdout
    assert done.stderr == b""


def test_a_reader_that_leaves_ends_it_quietly() -> None:
    command = f"{sys.executable} -m sapwood session context --text {GOLDEN}/18-mixed-3000.jsonl"
    done = subprocess.run(
        f"{command} | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr
