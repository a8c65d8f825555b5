"""The editor alone: keys, history, completion, placeholders. Real keys through Textual's Pilot."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from sapwood.modes.tui.editor.editor import Editor, Sources
from sapwood.modes.tui.editor.files import files_below
from sapwood.modes.tui.editor.history import History
from sapwood.modes.tui.editor.menu import CompletionMenu

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
COMMANDS = [("model", "Choose a model"), ("tree", "Open the tree"), ("thinking", "Set the level")]
FILES = ["src/", "src/app.py", "my notes.md", "README.md"]


class EditorApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Editor.Submitted] = []
        sources = Sources(
            commands=lambda: COMMANDS,
            arguments=lambda name: [("high", ""), ("low", "")] if name == "thinking" else [],
            files=lambda: FILES,
        )
        self.menu = CompletionMenu()
        self.editor = Editor(self.menu, sources)

    def compose(self) -> ComposeResult:
        yield self.editor
        yield self.menu

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        self.sent.append(event)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_enter_sends_and_empties() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, *"hello", "shift+enter", *"there", "ctrl+j", "x", "enter")
        assert [event.text for event in app.sent] == ["hello\nthere\nx"]
        assert app.editor.text == ""


async def test_enter_on_blank_text_sends_nothing() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, "space", "enter")
        assert app.sent == []


async def test_editor_grows_with_its_lines() -> None:
    app = EditorApp()
    async with app.run_test(size=(40, 20)) as pilot:
        assert app.editor.size.height == 1
        await press(pilot, "a", "ctrl+j", "b", "ctrl+j", "c")
        assert app.editor.size.height == 3


async def test_history_goes_back_and_keeps_what_was_being_written() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, *"one", "enter", *"two", "enter", *"dra")
        await press(pilot, "up")
        assert app.editor.text == "two"
        await press(pilot, "up", "up")
        assert app.editor.text == "one"
        await press(pilot, "down", "down")
        assert app.editor.text == "dra"


async def test_cut_yank_and_undo() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, *"ab", "space", *"cd", "ctrl+w")
        assert app.editor.text == "ab "
        await press(pilot, "ctrl+y", "ctrl+y")
        assert app.editor.text == "ab cdcd"
        await press(pilot, "ctrl+u")
        assert app.editor.text == ""
        await press(pilot, "ctrl+underscore")
        assert app.editor.text == "ab cdcd"
        await press(pilot, "home", "ctrl+k")
        assert app.editor.text == ""


async def test_slash_menu_filters_and_runs() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, "/", "t")
        assert [choice.label for choice in app.menu.choices] == ["/tree", "/thinking"]
        await press(pilot, "down", "enter")
        assert [event.text for event in app.sent] == ["/thinking"]


async def test_tab_completes_a_command_then_its_argument() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, "/", "t", "h", "tab")
        assert app.editor.text == "/thinking "
        assert [choice.label for choice in app.menu.choices] == ["high", "low"]
        await press(pilot, "tab", "enter")
        assert app.sent[0].text == "/thinking high"


async def test_menu_opens_only_at_the_start_of_the_text() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, "a", "/")
        assert not app.menu.is_open
        await press(pilot, "ctrl+j", "/")
        assert not app.menu.is_open


async def test_at_completes_files_and_folders() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, *"see", "space", "@", "s", "r", "c")
        await press(pilot, "tab")
        assert app.editor.text == "see @src/"
        assert [choice.label for choice in app.menu.choices] == ["src/", "src/app.py"]
        await press(pilot, "down", "enter")
        assert app.editor.text == "see @src/app.py "
        await press(pilot, *"@notes", "tab")
        assert app.editor.text == 'see @src/app.py @"my notes.md" '


async def test_tab_completes_a_bare_path() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, *"READ", "tab")
        assert app.editor.text == "@README.md "


async def test_long_paste_is_a_placeholder_and_is_sent_in_full() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        long = "\n".join(f"line {number}" for number in range(30))
        app.editor.paste(long)
        assert app.editor.text == "[paste 1: 30 lines]"
        await press(pilot, "enter")
        assert app.sent[0].text == long


async def test_paste_is_made_harmless() -> None:
    app = EditorApp()
    async with app.run_test():
        app.editor.paste("a\x1b]52;c;eA==\x07b\r\nc\u202ed")
        assert "\x1b" not in app.editor.text
        assert "\u202e" not in app.editor.text
        assert app.editor.text.endswith("\nc\ufffdd")


async def test_text_that_comes_back_is_made_harmless() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        for put in (app.editor.set_text, app.editor.add_text, app.editor.restore):
            put("a\x1b[31mb\u202ec\r\nd")
            await pilot.pause()
            assert app.editor.text.startswith("a\ufffd[31mb\ufffdc\nd")
            assert app.editor.text.replace("\n", "").isprintable()


def test_files_whose_names_drive_a_terminal_are_not_offered(tmp_path: Path) -> None:
    for name in ("plain.txt", "evil\x1b[31m.txt", "back\u202ewards.txt", "日本 [red].txt"):
        (tmp_path / name).touch()
    assert files_below(tmp_path) == ["plain.txt", "日本 [red].txt"]


async def test_pasted_image_path_becomes_an_image(tmp_path: Path) -> None:
    picture = tmp_path / "shot one.png"
    picture.write_bytes(PNG)
    app = EditorApp()
    async with app.run_test() as pilot:
        app.editor.paste(str(picture).replace(" ", "\\ "))
        assert app.editor.text == f"[image 1: png, {len(PNG)} B] "
        await press(pilot, *"look", "enter")
        (sent,) = app.sent
        assert [image["mimeType"] for image in sent.images] == ["image/png"]
        assert base64.b64decode(sent.images[0]["data"]) == PNG


async def test_deleted_placeholder_sends_no_image() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        assert app.editor.attach_image(PNG)
        await press(pilot, "ctrl+u", "x", "enter")
        assert app.sent[0].images == []


async def test_text_that_is_no_image_is_not_attached() -> None:
    app = EditorApp()
    async with app.run_test():
        assert not app.editor.attach_image(b"plain text")
        assert app.editor.text == ""


async def test_text_given_back_stands_before_what_is_being_written() -> None:
    app = EditorApp()
    async with app.run_test() as pilot:
        await press(pilot, *"new")
        app.editor.add_text("queued one\nqueued two")
        assert app.editor.text == "queued one\nqueued two\n\nnew"


def test_history_reads_older_prompts_only_as_far_as_asked() -> None:
    read: list[str] = []

    def older() -> object:
        for text in ("c", "b", "a"):
            read.append(text)
            yield text

    history = History(older())  # type: ignore[arg-type]
    assert read == []
    assert history.older("") == "c"
    assert read == ["c"]
    assert history.older("") == "b"
    assert history.newer() == "c"
    assert history.newer() == ""
    assert history.newer() is None


@pytest.mark.parametrize("text", ["日本語 テキスト", "👩‍👩‍👧 family", "مرحبا بالعالم"])
async def test_wide_and_right_to_left_text_is_sent_as_typed(text: str) -> None:
    app = EditorApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.editor.insert(text)
        await press(pilot, "enter")
        assert app.sent[0].text == text
