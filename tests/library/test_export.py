"""Exports: kinds, names, nothing replaced, everything in it."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import SapwoodError
from sapwood.library.export import ExportKind, export_pieces, export_session
from sapwood.library.redact import Masker
from sapwood.session.manager import SessionManager
from support.command import sapwood
from support.limits import file_size_limit, unwritable
from support.message_makers import assistant, call, result, session, user

KEY = "gh" + "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9"


def rich() -> SessionManager:
    """Three branches, a label, edits, a compaction, a branch summary and hidden items."""
    manager = SessionManager.in_memory("/nowhere")
    manager.append_message({"role": "system", "content": "be brief", "timestamp": 0})
    root = manager.append_message(user("the beginning"))
    manager.append_message(assistant("first branch"))
    manager.branch(root)
    manager.append_message(assistant("second branch"))
    manager.branch_with_summary(root, "what was tried")
    manager.append_label_change(root, "start here")
    question = manager.append_message(user("secret plans"))
    answer = manager.append_message(assistant("", call("c1", "nameless_tool", x=1)))
    output = manager.append_message(result("c1", "long output", name="nameless_tool"))
    manager.append_context_edit(output, {"content": "shortened output"})
    manager.append_context_edit(question, None)
    manager.append_custom_message("note", "unseen note", False)
    manager.append_model_change("prov", "other-model")
    manager.append_compaction("all in short", answer, 1234)
    manager.append_message(user("the end"))
    return manager


def html(manager: SessionManager) -> str:
    return b"".join(export_pieces(manager, "html")).decode()


def article(page: str, text: str) -> str:
    articles = re.findall(r"<article.*?</article>", page, re.DOTALL)
    return next(each for each in articles if text in each)


def test_a_page_holds_all_branches_and_marks_the_active_one() -> None:
    manager = rich()
    page = html(manager)
    assert (
        page.count("<article") == len(manager.tree.entries) == len(re.findall('<a class="d', page))
    )
    assert page.count("<details><summary>first branch") == 1
    assert "on-path" in article(page, "the end")
    assert "active leaf" in article(page, "the end")
    assert "on-path" not in article(page, "second branch")
    assert "start here" in article(page, "the beginning")
    assert "1,234 tokens before" in article(page, "all in short")
    assert "Summary of another branch" in article(page, "what was tried")


def test_edits_are_shown_both_ways() -> None:
    page = html(rich())
    shortened = article(page, "long output")
    assert "Original" in shortened
    assert "What the model sees instead" in shortened
    assert "shortened output" in shortened


def test_arguments_and_differences_read_as_text() -> None:
    code = "def f():\n\treturn '<b>'\n"
    changed = {**result("c1", "done", name="edit"), "details": {"diff": "-1 old\n+1 new"}}
    manager = session(
        user("x"), assistant("", call("c1", "edit", path="a.py", limit=5, text=code)), changed
    )
    page = html(manager)
    assert "path: a.py\nlimit: 5</code>" in article(page, "Call of edit")
    assert "def f():\n\treturn &#39;&lt;b&gt;&#39;" in article(page, "Call of edit")
    assert "Difference" in article(page, "done")
    text = b"".join(export_pieces(manager, "md")).decode()
    assert f"```\n{code}\n```" in text
    assert "```diff\n-1 old\n+1 new\n```" in text


def test_hidden_items_are_marked_as_such() -> None:
    page = html(rich())
    for text in ("be brief", "unseen note", "other-model"):
        assert "hidden-item" in article(page, text)
    assert "hidden-item" not in article(page, "nameless_tool")


def test_the_transcript_is_the_active_path() -> None:
    text = b"".join(export_pieces(rich(), "md")).decode()
    order = ["the beginning", "what was tried", "secret plans", "It is left out.", "the end"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "first branch" not in text
    assert "unseen note" not in text


def test_a_fence_is_longer_than_those_within() -> None:
    manager = session(user("x"), assistant("", call("c", "t")), result("c", "````\nin\n````"))
    assert "`````\n````\nin\n````\n`````" in b"".join(export_pieces(manager, "md")).decode()


def test_lines_are_the_session_byte_for_byte(tmp_path: Path) -> None:
    manager = rich()
    path = export_session(manager, tmp_path / "copy.jsonl")
    assert path.read_bytes().splitlines() == list(manager.lines())
    only = export_session(manager, tmp_path / "path.jsonl", path_only=True)
    assert b"first branch" not in only.read_bytes()
    with SessionManager.open(only, writer="none") as again:
        assert again.get_branch()[-1].type in ("message", "label")


def test_a_path_alone_leaves_other_branches_out() -> None:
    page = b"".join(export_pieces(rich(), "html", path_only=True)).decode()
    assert "the end" in page
    assert "first branch" not in page


@pytest.mark.parametrize("kind", ["html", "md", "jsonl"])
def test_masking_reaches_every_kind(kind: str, tmp_path: Path) -> None:
    manager = session(user(f"{KEY} and ``password=hunter2hunter2``"))
    masker = Masker()
    path = export_session(manager, tmp_path / f"out.{kind}", masker=masker)
    assert KEY not in path.read_text()
    assert masker.counts == {"GitHub token": 1, "assigned secret": 1}


def test_a_file_is_private_and_never_replaced_unless_forced(tmp_path: Path) -> None:
    manager = session(user("one"))
    target = tmp_path / "a.md"
    export_session(manager, target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = target.read_bytes()
    with pytest.raises(SapwoodError, match="exists already"):
        export_session(session(user("two")), target)
    assert target.read_bytes() == before
    export_session(session(user("two")), target, force=True)
    assert b"two" in target.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_exports_at_once_leave_as_many_whole_files(tmp_path: Path) -> None:
    manager = rich()
    manager.append_session_info("My <talk> / about: trees")
    with ThreadPoolExecutor(10) as pool:
        paths = list(pool.map(lambda _: export_session(manager, tmp_path, kind="md"), range(10)))
    assert len(set(paths)) == 10
    assert {path.read_bytes() for path in paths} == {paths[0].read_bytes()}
    assert min(path.name for path in paths) == "sapwood-My-talk-about-trees-10.md"
    assert len(list(tmp_path.iterdir())) == 10


FIRST_EXPORTS = """
import sys, threading
from pathlib import Path
from sapwood.library.export import export_session
from sapwood.session.manager import SessionManager

sys.setswitchinterval(1e-6)
manager = SessionManager.in_memory("/nowhere")
text = "```python\\nx = 1\\n```"
manager.append_message({"role": "assistant", "content": [{"type": "text", "text": text}]})
start = threading.Barrier(8)


def export():
    start.wait()
    export_session(manager, Path(sys.argv[1]))


threads = [threading.Thread(target=export) for _ in range(8)]
[each.start() for each in threads]
[each.join() for each in threads]
"""


def test_the_first_exports_of_a_process_may_be_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_EXPORTS, tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert len(list(tmp_path.iterdir())) == 8


def test_only_one_of_many_gets_a_name_that_all_want(tmp_path: Path) -> None:
    def attempt(number: int) -> int | None:
        try:
            export_session(session(user(f"number {number}")), tmp_path / "same.md")
        except SapwoodError:
            return None
        return number

    with ThreadPoolExecutor(10) as pool:
        winners = [each for each in pool.map(attempt, range(10)) if each is not None]
    assert len(winners) == 1
    assert f"number {winners[0]}" in (tmp_path / "same.md").read_text()


def test_a_name_that_tells_no_kind_and_a_missing_place_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(SapwoodError, match=r"\.html, \.md or \.jsonl"):
        export_session(session(user("x")), tmp_path / "a.pdf")
    (tmp_path / "file").touch()
    with pytest.raises(SapwoodError, match="not written"):
        export_session(session(user("x")), tmp_path / "file" / "a.md")


def test_a_session_is_not_exported_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in session(user("x")).lines()))
    before = path.read_bytes()
    with (
        SessionManager.open(path, writer="none") as manager,
        pytest.raises(SapwoodError, match="itself"),
    ):
        export_session(manager, path, force=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../../etc/\x00passwd\u202e", "sapwood-etc-passwd"),
        ("𝒜" * 100, "sapwood-" + "𝒜" * 30),
        ("...", "sapwood-id"),
        ("--help", "sapwood-help"),
        ("\ud800", "sapwood-id"),
    ],
)
def test_a_hostile_name_makes_a_harmless_file_name(tmp_path: Path, name: str, stem: str) -> None:
    manager = SessionManager.in_memory(tmp_path, id="id")
    manager.append_message(user("x"))
    manager.append_session_info(name)
    names = {export_session(manager, tmp_path, kind="md").name for _ in range(12)}
    assert names == {f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, 13))}


def test_an_id_is_never_a_path(tmp_path: Path) -> None:
    source = tmp_path / "evil.jsonl"
    header = {"type": "session", "version": 3, "id": "../../evil/x", "timestamp": "", "cwd": "\0"}
    source.write_text(json.dumps(header) + "\n", "utf-8")
    (tmp_path / "in").mkdir()
    with SessionManager.open(source, writer="none") as manager:
        path = export_session(manager, tmp_path / "in")
    assert path == tmp_path / "in" / "sapwood-evil-x.html"


def test_places_that_take_no_file_are_one_line_and_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = SessionManager.in_memory("/nowhere")
    manager.append_message(user("x"))
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "dangling.md").symlink_to("nowhere.md")
    before = sorted(tmp_path.iterdir())
    gone = tmp_path / "gone"
    gone.mkdir()
    for name, said in (
        ("pipe.md", "no regular file"),
        ("loop.md", "symbolic links"),
        ("missing/a.md", "No such file"),
        ("n\0l.md", "no file can have this name"),
        ("x" * 300 + ".md", "too long"),
    ):
        with pytest.raises(SapwoodError, match=said):
            export_session(manager, tmp_path / name, force=True)
    with pytest.raises(SapwoodError, match="exists already"):
        export_session(manager, tmp_path / "dangling.md")
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(SapwoodError, match="not written"):
        export_session(manager)
    assert sorted(tmp_path.iterdir()) == before


def test_a_linked_name_of_the_session_is_the_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in session(user("x")).lines()))
    (tmp_path / "soft.jsonl").symlink_to(path)
    os.link(path, tmp_path / "hard.jsonl")
    with SessionManager.open(path, writer="none") as manager:
        for name in ("soft.jsonl", "hard.jsonl"):
            with pytest.raises(SapwoodError, match="itself"):
                export_session(manager, tmp_path / name, force=True)


@pytest.mark.parametrize("kind", ["html", "md", "jsonl"])
@pytest.mark.parametrize("force", [False, True])
def test_a_full_disk_and_a_read_only_folder_leave_nothing(
    tmp_path: Path, kind: ExportKind, force: bool
) -> None:
    manager = session(*(user("long " * 1000) for _ in range(10)))
    target = tmp_path / "out" / "a.file"
    target.parent.mkdir()
    if force:
        target.write_bytes(b"older")
    with file_size_limit(8192), pytest.raises(SapwoodError, match="not written"):
        export_session(manager, target, kind=kind, force=force)
    with unwritable(target.parent), pytest.raises(SapwoodError, match="not written"):
        export_session(manager, target, kind=kind, force=force)
    assert [path.read_bytes() for path in target.parent.iterdir()] == [b"older"] * force


def test_a_file_that_is_cut_short_meanwhile_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in session(user("x"), user("y")).lines()))
    with SessionManager.open(path, writer="none") as manager:
        os.truncate(path, 10)
        for kind in ("html", "md", "jsonl"):
            with pytest.raises(SapwoodError):
                export_session(manager, tmp_path / f"a.{kind}")
    assert [each.name for each in tmp_path.iterdir()] == ["s.jsonl"]


def test_a_circle_in_the_tree_exports(tmp_path: Path) -> None:
    path = tmp_path / "circle.jsonl"
    lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s", "timestamp": ""}]
    for entry_id, up in (("a", "c"), ("b", "a"), ("c", "b"), ("d", None), ("e", "e")):
        message = user(f"says {entry_id}")
        lines.append({"type": "message", "id": entry_id, "parentId": up, "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with SessionManager.open(path, writer="none") as manager:
        page = html(manager)
        assert all(f"says {entry_id}" in page for entry_id in "abcde")
        export_session(manager, tmp_path / "a.md")


def test_odd_entries_and_empty_sessions_export(tmp_path: Path) -> None:
    lines = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": 5},
        {"type": "message", "id": "a", "parentId": None, "timestamp": 7, "message": None},
        {"type": "message", "id": "b", "parentId": "b", "message": {"role": "user", "content": 3}},
        {"type": "message", "id": "c", "parentId": "zz", "message": {"role": 5, "content": [None]}},
        {"type": "compaction", "id": "d", "parentId": "c", "summary": None, "tokensBefore": "x"},
        {"type": "alien", "id": "e", "parentId": "d", "deep": {"x": ["\ud800"]}},
        {"type": "message", "id": "e", "parentId": "d", "message": {"role": "assistant"}},
        {"type": "context_edit", "id": "f", "parentId": "e", "targetId": "a", "replacement": None},
        {"type": "custom", "id": "g", "parentId": "f"},
    ]
    path = tmp_path / "odd.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with SessionManager.open(path, writer="none") as manager:
        for kind in ("html", "md", "jsonl"):
            assert export_session(manager, tmp_path, kind=kind, masker=Masker()).stat().st_size
    assert "<h1>" in html(SessionManager.in_memory("/work"))


def test_an_unknown_theme_and_unknown_tools_change_no_export(tmp_path: Path) -> None:
    agent_dir = tmp_path / "agent"
    agent_dir.mkdir()
    (agent_dir / "settings.json").write_text('{"theme": "gone with the extension"}', "utf-8")
    lines = tmp_path / "rich.jsonl"
    export_session(rich(), lines)
    page = tmp_path / "page.html"
    done = sapwood(["--export", str(lines), str(page)], cwd=tmp_path, agent_dir=agent_dir)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert "nameless_tool" in page.read_text("utf-8")
