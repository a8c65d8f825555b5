"""Every key of the UI by the name it has in ``keybindings.json``, and what that file changes.

An action is bound once, here; screens and widgets turn the actions of their scope into Textual
bindings, and ``/hotkeys`` lists the same table. A name in the file that we do not know belongs to
somebody else and is ignored; a value of the wrong shape is a diagnostic.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.binding import Binding

FILE_NAME = "keybindings.json"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key does. ``keys`` are the defaults, in Textual's spelling."""

    id: str
    keys: tuple[str, ...]
    scope: str
    does: str
    method: str
    """The Textual action that is run."""


def _actions(scope: str, *rows: tuple[str, str, str, str]) -> tuple[Action, ...]:
    return tuple(
        Action(name, tuple(keys.split()), scope, does, method) for name, keys, method, does in rows
    )


CHAT = _actions(
    "chat",
    (
        "app.interrupt",
        "escape",
        "interrupt",
        "Stop what is running; twice on an empty editor: tree",
    ),
    ("app.clear", "ctrl+c", "clear_or_exit", "Copy what is selected; clear the editor; exit"),
    ("app.exit", "ctrl+d", "exit_if_empty", "Exit when the editor is empty"),
    ("app.suspend", "ctrl+z", "suspend_process", "Put Sapwood to sleep (fg wakes it)"),
    ("app.message.followUp", "alt+enter", "follow_up", "Queue the text for after this run"),
    ("app.message.dequeue", "alt+up", "dequeue", "Take queued messages back into the editor"),
    ("app.message.copy", "ctrl+x", "copy_answer", "Copy the last answer"),
    ("app.model.select", "ctrl+l", "command('model')", "Choose a model"),
    ("app.model.cycleForward", "ctrl+p", "cycle_model(1)", "Next model"),
    ("app.model.cycleBackward", "ctrl+shift+p", "cycle_model(-1)", "Previous model"),
    ("app.thinking.cycle", "shift+tab", "cycle_thinking", "Next thinking level"),
    ("app.thinking.toggle", "ctrl+t", "toggle_thinking", "Show or fold thinking"),
    ("app.tools.expand", "ctrl+o", "toggle_tools", "Show or fold tool output and summaries"),
    ("app.editor.external", "ctrl+g", "external_editor", "Write the text in your own editor"),
    ("app.clipboard.pasteImage", "ctrl+v", "paste_clipboard", "Paste an image or text"),
    ("tui.altScreen.search", "f3 alt+slash ctrl+shift+f", "search", "Search the conversation"),
    ("app.session.new", "", "command('new')", "Start a new session"),
    ("app.session.tree", "", "command('tree')", "Open the tree"),
    ("app.session.fork", "", "command('fork')", "Fork from an earlier message"),
    ("app.session.resume", "", "command('resume')", "Open another session"),
    ("tui.altScreen.pageUp", "pageup", "scroll_page(-1)", "Scroll back one page"),
    ("tui.altScreen.pageDown", "pagedown", "scroll_page(1)", "Scroll on one page"),
    ("tui.altScreen.lineUp", "", "scroll_line(-1)", "Scroll back one line"),
    ("tui.altScreen.lineDown", "", "scroll_line(1)", "Scroll on one line"),
    ("tui.altScreen.previousPrompt", "ctrl+up ctrl+shift+up", "jump_prompt(-1)", "Previous prompt"),
    ("tui.altScreen.nextPrompt", "ctrl+down ctrl+shift+down", "jump_prompt(1)", "Next prompt"),
    ("tui.altScreen.top", "ctrl+home", "scroll_top", "Go to the beginning"),
    ("tui.altScreen.bottom", "ctrl+end", "scroll_bottom", "Go to the end and follow"),
)

EDITOR = _actions(
    "editor",
    ("tui.input.submit", "enter", "submit", "Send; while the agent works: steer it"),
    ("tui.input.newLine", "shift+enter ctrl+j", "newline", "New line"),
    ("tui.input.tab", "tab", "complete", "Complete a command or path"),
    ("tui.editor.cursorUp", "up", "up", "Up; on the first line: older prompt"),
    ("tui.editor.cursorDown", "down", "down", "Down; on the last line: newer prompt"),
    ("tui.editor.cursorLeft", "left ctrl+b", "cursor_left", "Left"),
    ("tui.editor.cursorRight", "right ctrl+f", "cursor_right", "Right"),
    ("tui.editor.cursorWordLeft", "ctrl+left alt+left alt+b", "cursor_word_left", "Word left"),
    ("tui.editor.cursorWordRight", "ctrl+right alt+right alt+f", "cursor_word_right", "Word right"),
    ("tui.editor.cursorLineStart", "home ctrl+a", "cursor_line_start", "Start of the line"),
    ("tui.editor.cursorLineEnd", "end ctrl+e", "cursor_line_end", "End of the line"),
    ("tui.editor.deleteCharBackward", "backspace", "delete_left", "Delete to the left"),
    ("tui.editor.deleteCharForward", "delete", "delete_right", "Delete to the right"),
    (
        "tui.editor.deleteWordBackward",
        "ctrl+w alt+backspace",
        "kill_word_left",
        "Cut the word left",
    ),
    ("tui.editor.deleteWordForward", "alt+d alt+delete", "kill_word_right", "Cut the word right"),
    ("tui.editor.deleteToLineStart", "ctrl+u", "kill_to_start", "Cut to the start of the line"),
    ("tui.editor.deleteToLineEnd", "ctrl+k", "kill_to_end", "Cut to the end of the line"),
    ("tui.editor.yank", "ctrl+y", "yank", "Insert what was cut"),
    ("tui.editor.undo", "ctrl+underscore ctrl+minus", "undo", "Undo"),
)

SEARCH = _actions(
    "search",
    ("tui.altScreen.searchNext", "enter up", "step(1)", "Older hit"),
    ("tui.altScreen.searchPrevious", "down shift+enter shift+f3", "step(-1)", "Newer hit"),
    ("tui.altScreen.searchClose", "escape ctrl+c", "leave", "Back to the editor"),
)

ACTIONS: tuple[Action, ...] = CHAT + EDITOR


def bindings(actions: Iterable[Action]) -> list[Binding]:
    """Textual bindings for some actions; their ids let the keymap replace the keys.

    An action without a default key is bound to a key nobody can press, so that a keymap can give
    it one.
    """
    from textual.binding import Binding

    return [
        Binding(",".join(action.keys) or f"unbound-{action.id}", action.method, id=action.id)
        for action in actions
    ]


def load_keymap(agent_dir: Path) -> tuple[dict[str, str], list[str]]:
    """Read ``keybindings.json``: Textual keymap (id → keys) and one line for each oddity."""
    path = agent_dir / FILE_NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError, RecursionError) as error:
        return {}, [f"{path} cannot be read, the default keys stay: {error}"]
    if not isinstance(raw, dict):
        return {}, [f"{path} holds no object, the default keys stay"]
    return keymap_of(raw, str(path))


def keymap_of(raw: Mapping[str, Any], source: str = FILE_NAME) -> tuple[dict[str, str], list[str]]:
    """Textual keymap and diagnostics for the parsed file; an empty list unbinds an action."""
    keymap: dict[str, str] = {}
    problems: list[str] = []
    for name, value in raw.items():
        if name.startswith("$"):
            continue
        keys = [value] if isinstance(value, str) else value
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            problems.append(f"{source}: {name} needs a key or a list of keys")
            continue
        wanted = ",".join(textual_key(key) for key in keys) or f"unbound-{name}"
        # Terminals send Ctrl+_ for Ctrl+-.
        keymap[name] = wanted.replace("ctrl+minus", "ctrl+minus,ctrl+underscore")
    return keymap, problems


_NAMES = {
    "esc": "escape",
    "return": "enter",
    "pageUp": "pageup",
    "pageDown": "pagedown",
    "-": "minus",
    "_": "underscore",
    "=": "equals_sign",
    "/": "slash",
    "\\": "backslash",
    ".": "full_stop",
    ",": "comma",
    ";": "semicolon",
    "'": "apostrophe",
    "`": "grave_accent",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "?": "question_mark",
    "!": "exclamation_mark",
    "@": "at",
    "+": "plus",
    "*": "asterisk",
    "#": "number_sign",
    ":": "colon",
}


def textual_key(key: str) -> str:
    """``ctrl+shift+o``, ``pageUp``, ``shift+l`` … in Textual's spelling.

    A shifted letter without other modifiers is the capital letter, as terminals send it.
    """
    *modifiers, name = key.split("+") if not key.endswith("+") else [*key[:-2].split("+"), "+"]
    wanted = sorted({modifier.strip().lower() for modifier in modifiers if modifier.strip()})
    name = _NAMES.get(name, name.lower())
    if wanted == ["shift"] and len(name) == 1 and name.isalpha():
        return name.upper()
    return "+".join([*wanted, name])


_SHOWN = {
    "escape": "Esc",
    "enter": "Enter",
    "pageup": "PageUp",
    "pagedown": "PageDown",
    "underscore": "-",
    "minus": "-",
    "slash": "/",
}


def shown_key(key: str) -> str:
    """A key as people write it: ``ctrl+shift+o`` → ``Ctrl+Shift+O``."""
    parts = [_SHOWN.get(part, part.capitalize()) for part in key.split("+")]
    return "+".join(parts)


def keys_of(action: Action, keymap: Mapping[str, str]) -> tuple[str, ...]:
    """The keys in force for an action, in Textual's spelling; empty when it is unbound."""
    keys = keymap[action.id].split(",") if action.id in keymap else action.keys
    return tuple(key for key in keys if not key.startswith("unbound-"))


def teach_legacy_keys() -> None:
    """Let Textual's parser know keys with Alt of terminals without the Kitty protocol (ESC CR …).

    Without this they arrive without the Alt: a follow-up would steer instead.
    """
    from enum import Enum

    from textual import _ansi_sequences

    class Legacy(Enum):
        ALT_ENTER = "alt+enter"
        ALT_BACKSPACE = "alt+backspace"
        ALT_SLASH = "alt+slash"

    sequences: dict[str, Any] = _ansi_sequences.ANSI_SEQUENCES_KEYS  # type: ignore[assignment]
    sequences["\x1b\r"] = (Legacy.ALT_ENTER,)
    sequences["\x1b[27;3;13~"] = (Legacy.ALT_ENTER,)
    sequences["\x1b\x7f"] = (Legacy.ALT_BACKSPACE,)
    sequences["\x1b/"] = (Legacy.ALT_SLASH,)
