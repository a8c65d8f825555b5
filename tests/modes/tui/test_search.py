"""Searching the conversation: what is found, where one goes, what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sapwood.modes.tui.theme import DARK
from sapwood.modes.tui.transcript.find import Finder, folded, spans
from sapwood.modes.tui.transcript.lines import paragraph
from sapwood.session.manager import SessionManager
from support.conversation import Talk, call
from support.tui import Ui, make_place, running_ui

STEPS: list[dict[str, Any]] = [
    {
        "thinking": "a deep thought about needles",
        "text": "Let me look for the **first** needle.",
        "tools": [{"name": "bash", "arguments": {"command": "seq 30; echo needle; seq 40 60"}}],
    },
    {"text": "There are\n\n" + "\n\n".join(f"paragraph {n}" for n in range(60)) + "\n\nno more."},
]


def found(finder: Finder) -> int:
    while not finder.done:
        finder.read_on(1)
    return finder.total


def test_what_is_shown_is_found_and_nothing_else() -> None:
    talk = Talk()
    talk.message("system", "the needle of the prompt")
    talk.user("a Needle")
    talk.answer(
        {"type": "thinking", "thinking": "needle"},
        "a `needle` and a **nee**dle",
        call("1", "bash", command="find needle"),
        call("2", "edit", path="x", edits=[{"oldText": "needle", "newText": "pin"}]),
    )
    talk.result("1", "needle\nneedle")
    talk.result("2", "Edited: needle", toolName="edit", details={"diff": "- needle\n+ pin"})
    talk.message("bashExecution", None, command="echo needle", output="needle")
    talk.add("custom_message", customType="x", content="needle", display=True)
    talk.add("custom_message", customType="x", content="needle", display=False)
    talk.add("compaction", summary="the needle so far", firstKeptEntryId="x", tokensBefore=1)
    talk.add("label", targetId="00000001", label="needle")
    assert found(Finder(talk.tree().path(), "NEEDLE")) == 1 + 5 + 2 + 2 + 1 + 1


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("one two three four five six seven eight nine ten", "four five six"),
        ("one\n\n  two   three", "ONE two three"),
        ("日本語のテキスト と emoji 👩‍👩‍👧 here", "テキスト と emoji"),
        ("İstanbul ß ﬁne", "ß ﬁne"),
        ("a * b and `c` d", "a b and c"),
    ],
)
def test_a_text_is_found_on_the_lines_it_is_drawn_as(text: str, query: str) -> None:
    lines = paragraph(text, 12, DARK["text"])
    assert len(lines) > 1
    (place,) = spans(lines, folded(query))
    shown = "".join(lines[at].text[start:end] for at, start, end in place)
    assert folded(shown).replace(" ", "") == folded(query).replace(" ", "")


async def search(ui: Ui, text: str) -> None:
    await ui.press("f3")
    await ui.press(*text)
    await ui.until(lambda: "Searching" not in bar(ui) and "…" not in bar(ui))


def bar(ui: Ui) -> str:
    lines = [line for line in ui.screen_text.split("\n") if line.startswith(" Search ")]
    return lines[0] if lines else ""


async def test_next_and_previous_unfold_and_count(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, STEPS)) as ui:
        await ui.send("find the needle")
        assert "paragraph 59" in ui.screen_text
        await search(ui, "needle")
        assert "1 of 5" in bar(ui)
        assert "│ needle" in ui.screen_text, "folded output is unfolded at a hit"
        await ui.press("enter")
        assert "2 of 5" in bar(ui)
        assert "$ seq 30; echo needle" in ui.screen_text
        await ui.press("up", "up")
        assert "4 of 5" in bar(ui)
        assert "a deep thought about needles" in ui.screen_text
        await ui.press("f3")
        assert "5 of 5" in bar(ui)
        assert "▌ find the needle" in ui.screen_text
        assert "a deep thought" not in ui.screen_text, "folded again when one goes on"
        await ui.press("enter")
        assert "1 of 5" in bar(ui), "around the end"
        await ui.press("down")
        assert "5 of 5" in bar(ui)


async def test_escape_goes_back_to_the_editor_and_keeps_its_text(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, STEPS)) as ui:
        await ui.send("find the needle")
        await ui.type("half a thought")
        await search(ui, "paragraph 7")
        assert "paragraph 7" in ui.screen_text
        await ui.press("escape")
        assert bar(ui) == ""
        assert "paragraph 7" in ui.screen_text, "the view stays"
        await ui.press("s")
        assert ui.chat.editor.text == "half a thoughts"


async def test_nothing_is_found(tmp_path: Path) -> None:
    async with running_ui(make_place(tmp_path, STEPS)) as ui:
        await ui.send("find the needle")
        await search(ui, "haystack")
        assert "Nothing found" in bar(ui)
        await ui.press("enter", "escape")
        assert "paragraph 59" in ui.screen_text


async def test_it_begins_where_one_is(tmp_path: Path) -> None:
    place = make_place(tmp_path, [{"text": "\n\n".join(f"the word {n}" for n in range(50))}])
    async with running_ui(place) as ui:
        for number in range(3):
            await ui.send(f"question {number}")
        await ui.press("ctrl+up", "ctrl+up", "ctrl+up")
        assert ui.screen_text.lstrip("\n").startswith("▌ question 0")
        await search(ui, "question")
        assert "3 of 3" in bar(ui)


async def test_a_long_session_is_searched_while_keys_are_heard(tmp_path: Path) -> None:
    talk = Talk()
    for number in range(15_000):
        talk.user(f"prompt {number}")
        talk.answer(f"answer {number} " + "word " * 20)
        talk.answer("a remark")
    manager = SessionManager.in_memory(tmp_path, entries=talk.entries)
    async with running_ui(make_place(tmp_path, STEPS), manager) as ui:
        await ui.press("f3")
        await ui.press(*"answer 3")
        await ui.until(lambda: " of " in bar(ui))
        first = bar(ui)
        assert "answer 3" not in "".join(ui.chat.editor.text)
        await ui.press("enter")
        assert "2 of " in bar(ui), "the newest are there before all is read"
        await ui.until(lambda: "…" not in bar(ui))
        assert f" of {sum(str(n).startswith('3') for n in range(15_000)):,} " in bar(ui)
        assert first.split(" of ")[0].endswith("1")
        assert "answer 3999" in ui.screen_text
