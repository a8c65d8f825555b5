"""Key names of ``keybindings.json``, what the file changes, and keys of old terminals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.binding import Binding
from textual.events import Key

from sapwood.modes.tui.keys import (
    ACTIONS,
    CHAT,
    bindings,
    keymap_of,
    keys_of,
    load_keymap,
    shown_key,
    teach_legacy_keys,
    textual_key,
)


@pytest.mark.parametrize(
    ("written", "textual"),
    [
        ("ctrl+o", "ctrl+o"),
        ("shift+ctrl+o", "ctrl+shift+o"),
        ("alt+up", "alt+up"),
        ("pageUp", "pageup"),
        ("esc", "escape"),
        ("return", "enter"),
        ("shift+l", "L"),
        ("shift+enter", "shift+enter"),
        ("ctrl+-", "ctrl+minus"),
        ("ctrl+]", "ctrl+right_square_bracket"),
        ("ctrl++", "ctrl+plus"),
        ("Ctrl+Alt+X", "alt+ctrl+x"),
        ("f5", "f5"),
    ],
)
def test_key_spelling(written: str, textual: str) -> None:
    assert textual_key(written) == textual


def test_file_replaces_adds_and_unbinds(tmp_path: Path) -> None:
    file = tmp_path / "keybindings.json"
    changes = {
        "$schema": "x",
        "app.tools.expand": "ctrl+e",
        "app.session.new": ["ctrl+shift+n", "f2"],
        "app.thinking.toggle": [],
        "somebody.elses.action": "ctrl+q",
    }
    file.write_text(json.dumps(changes), "utf-8")
    keymap, problems = load_keymap(tmp_path)
    assert problems == []
    by_id = {action.id: action for action in ACTIONS}
    assert keys_of(by_id["app.tools.expand"], keymap) == ("ctrl+e",)
    assert keys_of(by_id["app.session.new"], keymap) == ("ctrl+shift+n", "f2")
    assert keys_of(by_id["app.thinking.toggle"], keymap) == ()
    assert keys_of(by_id["app.model.select"], keymap) == ("ctrl+l",)


def test_missing_file_changes_nothing(tmp_path: Path) -> None:
    assert load_keymap(tmp_path) == ({}, [])


@pytest.mark.parametrize("content", ["{", "[]", "\xff"])
def test_damaged_file_leaves_the_defaults(tmp_path: Path, content: str) -> None:
    (tmp_path / "keybindings.json").write_text(content, "latin-1")
    keymap, problems = load_keymap(tmp_path)
    assert keymap == {}
    assert len(problems) == 1
    assert "the default keys stay" in problems[0]


def test_wrong_value_is_told_and_the_rest_counts() -> None:
    keymap, problems = keymap_of({"app.exit": 7, "app.clear": "ctrl+k"})
    assert keymap == {"app.clear": "ctrl+k"}
    assert problems == ["keybindings.json: app.exit needs a key or a list of keys"]


def test_every_action_is_bound_once_by_name() -> None:
    names = [action.id for action in ACTIONS]
    assert len(names) == len(set(names))
    made = bindings(CHAT)
    assert all(isinstance(binding, Binding) for binding in made)
    assert [binding.id for binding in made] == [action.id for action in CHAT]


def test_no_two_chat_actions_share_a_default_key() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))


def test_shown_key() -> None:
    assert shown_key("ctrl+shift+o") == "Ctrl+Shift+O"
    assert shown_key("pageup") == "PageUp"


@pytest.mark.parametrize(
    ("sequence", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b[13;3u", "alt+enter"),
        ("\x1b[13;2u", "shift+enter"),
        ("\x1b[1;3A", "alt+up"),
        ("\x1b[Z", "shift+tab"),
        ("\x1b\x7f", "alt+backspace"),
        ("\n", "ctrl+j"),
    ],
)
def test_terminal_sequences(sequence: str, key: str) -> None:
    teach_legacy_keys()
    parser = XTermParser()
    events = [event for event in parser.feed(sequence) if isinstance(event, Key)]
    assert [event.key for event in events] == [key]
