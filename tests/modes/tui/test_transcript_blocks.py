"""What blocks show: every kind of entry, outcomes of tools, folds, hostile text, narrow widths."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from sapwood.modes.tui.theme import DARK
from sapwood.modes.tui.transcript.live import LiveRun
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.path import PathBlocks
from support.conversation import Talk, call

LOOK = Look(DARK, 60)


def shown(talk: Talk, look: Look = LOOK, live: LiveRun | None = None) -> str:
    """All blocks as text."""
    blocks = PathBlocks(talk.tree(), live or LiveRun())
    rows = [line.text.rstrip() for at in range(len(blocks)) for line in blocks.lines(at, look)]
    return "\n".join(rows)


def test_user_text_stands_behind_a_bar_and_wraps_at_words() -> None:
    talk = Talk()
    talk.user("Please fix the parser, it drops the last line of every file.\n\n  indented")
    assert shown(talk, Look(DARK, 40)) == (
        "\n▌ Please fix the parser, it drops the\n▌ last line of every file.\n▌\n▌   indented"
    )


def test_answer_is_markdown() -> None:
    talk = Talk()
    talk.answer("# Title\n\nSome *text* and `code`.\n\n1. one\n2. two\n\n```python\nx = 1\n```")
    assert shown(talk).split("\n") == [
        "",
        "  Title",
        "",
        "  Some text and code.",
        "",
        "   1 one",
        "   2 two",
        "",
        "    x = 1",
    ]


def test_html_in_an_answer_is_shown_as_written() -> None:
    talk = Talk()
    talk.answer(
        "Wrap it in <file name='a'>\n\n<script>alert(1)</script>\n\nand [bold]not markup[/]"
    )
    text = shown(talk)
    assert "<file name='a'>" in text
    assert "<script>alert(1)</script>" in text
    assert "[bold]not markup[/]" in text


def test_link_shows_its_address() -> None:
    talk = Talk()
    talk.answer("See [the docs](https://example.org/x).")
    assert "the docs (https://example.org/x)" in shown(talk)


def test_call_shows_the_end_of_its_output_and_counts_the_rest() -> None:
    talk = Talk()
    talk.answer("Counting", call("1", command="seq 20"))
    talk.result("1", "\n".join(str(number) for number in range(1, 21)))
    text = shown(talk)
    assert "  ● $ seq 20" in text
    assert "… 14 earlier lines · Ctrl+O" in text
    assert "│ 20" in text
    assert "│ 14\n" not in text
    unfolded = shown(talk, Look(DARK, 60, expanded=True))
    assert "│ 1\n" in unfolded
    assert "Ctrl+O" not in unfolded


def test_failed_call_is_marked_without_colour() -> None:
    talk = Talk()
    talk.answer(call("1", command="false"))
    talk.result("1", "Command exited with code 1", isError=True)
    assert "  ✗ $ false\n    │ Command exited with code 1" in shown(talk)


def test_call_without_result_is_open() -> None:
    talk = Talk()
    talk.answer(call("1", "read", path="a.py", offset=5, limit=10))
    assert "  ○ read a.py:5-14" in shown(talk)


def test_running_call_shows_its_live_output() -> None:
    talk, live = Talk(), LiveRun()
    talk.answer(call("1", command="make"))
    live.feed({"type": "tool_execution_start", "toolCallId": "1", "toolName": "bash", "args": {}})
    partial = {"content": [{"type": "text", "text": "compiling a.c"}]}
    live.feed({"type": "tool_execution_update", "toolCallId": "1", "partialResult": partial})
    assert "  ◌ $ make\n    │ compiling a.c" in shown(talk, live=live)


def test_parallel_calls_each_show_their_own_result() -> None:
    talk = Talk()
    talk.answer(call("1", "ls", path="a"), call("2", "ls", path="b"))
    talk.result("2", "two.txt")
    talk.result("1", "one.txt")
    text = shown(talk)
    assert text.index("ls a") < text.index("one.txt") < text.index("ls b") < text.index("two.txt")


def test_result_without_its_call_stands_alone() -> None:
    talk = Talk()
    talk.user("x")
    talk.result("lost", "orphaned output")
    assert "● bash" in shown(talk)
    assert "orphaned output" in shown(talk)


def test_edit_shows_its_diff() -> None:
    talk = Talk()
    talk.answer(call("1", "edit", path="a.py", oldText="x = 1", newText="x = 2"))
    talk.result("1", "Edited", details={"diff": " 1 import os\n-2 x = 1\n+2 x = 2"})
    assert "  ● edit a.py\n     1 import os\n    -2 x = 1\n    +2 x = 2" in shown(talk)


def test_edit_without_a_diff_shows_what_was_asked() -> None:
    talk = Talk()
    talk.answer(call("1", "edit", path="a.py", edits=[{"oldText": "x = 1", "newText": "x = 2"}]))
    talk.result("1", "Edited")
    assert "    - x = 1\n    + x = 2" in shown(talk)


def test_thinking_is_one_line_until_it_is_unfolded() -> None:
    talk = Talk()
    talk.answer({"type": "thinking", "thinking": "First.\nSecond."}, "Hello")
    assert "∴ Thought · 2 lines · Ctrl+T" in shown(talk)
    assert "First." not in shown(talk)
    assert "  ┊ First.\n  ┊ Second." in shown(talk, Look(DARK, 60, thinking=True))


def test_compaction_card_says_what_it_replaced_and_unfolds() -> None:
    talk = Talk()
    first = talk.user("x")
    talk.add("compaction", summary="## Goal\nShip it", firstKeptEntryId=first, tokensBefore=84_200)
    assert "Compacted · 84k → ~4 tokens, 84k saved · Ctrl+O" in shown(talk)
    assert "Ship it" not in shown(talk)
    assert "Ship it" in shown(talk, Look(DARK, 60, expanded=True))


def test_branch_summary_is_a_card() -> None:
    talk = Talk()
    talk.add("branch_summary", summary="Tried the other way", fromId="x")
    assert "Summary of the branch left behind" in shown(talk)
    assert "Tried the other way" in shown(talk, Look(DARK, 60, expanded=True))


def test_custom_message_shows_only_when_it_wants_to() -> None:
    talk = Talk()
    talk.add("custom_message", customType="note", content="Visible words", display=True)
    talk.add("custom_message", customType="note", content="Hidden words", display=False)
    assert "◇ note" in shown(talk)
    assert "Visible words" in shown(talk)
    assert "Hidden words" not in shown(talk)


def test_shell_command_of_the_user() -> None:
    talk = Talk()
    talk.message("bashExecution", None, command="git status", output="clean", exitCode=0)
    talk.message(
        "bashExecution", None, command="cat k", output="", exitCode=2, excludeFromContext=True
    )
    text = shown(talk)
    assert "  ● ! git status\n    │ clean" in text
    assert "  ✗ !! cat k · not in the context · exit 2" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"stopReason": "error", "errorMessage": "529 overloaded"}, "✗ 529 overloaded"),
        ({"stopReason": "error"}, "✗ The provider gave no reason"),
        ({"stopReason": "aborted"}, "✗ Stopped"),
        ({"stopReason": "length"}, "✗ The answer was cut off at the output limit"),
    ],
)
def test_answer_that_ended_badly_says_so(fields: dict[str, Any], words: str) -> None:
    talk = Talk()
    talk.answer("Half an", **fields)
    assert words in shown(talk)


def test_omitted_answer_is_marked() -> None:
    talk = Talk()
    target = talk.answer("Failed attempt", stopReason="error", errorMessage="boom")
    talk.add("context_edit", targetId=target, replacement=None)
    assert "left out of the context\n  Failed attempt" in shown(talk)


def test_bookkeeping_and_unknown_entries_show_nothing() -> None:
    talk = Talk()
    talk.add("label", targetId="0", label="x")
    talk.add("model_change", provider="p", modelId="m")
    talk.add("hologram", anything=1)
    talk.message("oracle", "unknown role")
    assert shown(talk) == ""


@pytest.mark.parametrize("content", [None, 7, {"a": 1}, [None, 3, {"type": "text"}, {}]])
@pytest.mark.parametrize("role", ["user", "assistant", "toolResult", "custom", "bashExecution"])
def test_content_of_any_shape_is_drawn_without_a_fuss(role: str, content: Any) -> None:
    talk = Talk()
    talk.message(role, content)
    shown(talk)


EVIL = (
    "before \x1b]52;c;ZXZpbA==\x07 \x1b[2J\x1b[31mred\x1b[0m \x9b1m "
    "\u202egnirts\u202c \x00\x08 after"
)


@pytest.mark.parametrize("look", [LOOK, Look(DARK, 60, expanded=True, thinking=True)])
def test_no_control_reaches_the_screen(look: Look) -> None:
    talk = Talk()
    talk.user(EVIL)
    talk.answer({"type": "thinking", "thinking": EVIL}, EVIL, f"```{EVIL}\n{EVIL}\n```")
    talk.answer(call("1", EVIL, **{EVIL: EVIL}), call("2", command=EVIL), errorMessage=EVIL)
    talk.result("1", EVIL)
    talk.result("2", EVIL, isError=True)
    talk.answer("x", stopReason="error", errorMessage=EVIL)
    talk.add("custom_message", customType=EVIL, content=EVIL, display=True)
    talk.add("compaction", summary=EVIL, firstKeptEntryId="0", tokensBefore=1)
    talk.message("bashExecution", None, command=EVIL, output=EVIL)
    text = shown(talk, look)
    forbidden = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n"}
    forbidden |= {chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
    assert not forbidden & set(text)
    assert "before" in text
    assert "after" in text


@pytest.mark.parametrize("width", [10, 24, 60, 200])
def test_no_line_is_wider_than_the_view(width: int) -> None:
    talk = Talk()
    wide = "日本語のとても長い文章がここにあります 👩‍👩‍👧👍🏽 " * 6
    talk.user(wide)
    talk.answer(wide, {"type": "thinking", "thinking": wide}, call("1", command=wide))
    talk.result("1", f"{wide}\n{'x' * 500}\n\tindented with a tab {wide}")
    talk.answer("| a | b |\n|---|---|\n| " + wide + " | y |\n\n> " + wide)
    talk.add("compaction", summary=wide, firstKeptEntryId="0", tokensBefore=123_456)
    for expanded in (False, True):
        look = Look(DARK, width, expanded=expanded, thinking=expanded)
        blocks = PathBlocks(talk.tree(), LiveRun())
        for at in range(len(blocks)):
            for line in blocks.lines(at, look):
                assert cell_len(line.text.rstrip()) <= max(width, 20), line.text


def test_huge_line_and_many_lines_are_cut_with_a_note() -> None:
    talk = Talk()
    talk.answer(call("1", command="cat big"), call("2", command="seq 50000"))
    talk.result("1", "x" * 10_000_000)
    talk.result("2", "\n".join(map(str, range(50_000))))
    look = Look(DARK, 100, expanded=True)
    text = shown(talk, look)
    assert text.count("\n") < 3_000
    assert "… 49,000 earlier lines" in text
    talk.user("y" * 10_000_000)
    assert "the rest is too long to show here" in shown(talk)


def test_path_follows_appends_and_moves() -> None:
    talk = Talk()
    first = talk.user("one")
    tree = talk.tree()
    blocks = PathBlocks(tree, LiveRun())
    from sapwood.session.entry import Entry

    message = {"role": "user", "content": "two", "timestamp": 0}
    data = {"type": "message", "id": "b", "parentId": first, "timestamp": "", "message": message}
    tree.append(Entry.of(data))
    assert blocks.sync()
    assert len(blocks.entries) == 2
    tree.move(first)
    assert not blocks.sync()
    assert [entry.id for entry in blocks.entries] == [first]


def test_result_that_arrives_later_is_shown_with_its_call() -> None:
    talk = Talk()
    talk.answer(call("1", command="ls"))
    tree = talk.tree()
    blocks = PathBlocks(tree, LiveRun())
    assert "○ $ ls" in blocks.lines(1, LOOK)[1].text
    talk.result("1", "a.txt")
    from sapwood.session.entry import Entry

    tree.append(Entry.of(talk.entries[-1]))
    blocks.sync()
    assert "● $ ls" in blocks.lines(1, LOOK)[1].text
    assert blocks.lines(2, LOOK) == []
