"""The keys of the session picker, by the names they have in ``keybindings.json``."""

from __future__ import annotations

from sapwood.modes.tui.keys import Action

_ROWS = (
    ("tui.select.up", "up", "move(-1)", "Up"),
    ("tui.select.down", "down", "move(1)", "Down"),
    ("tui.select.pageUp", "pageup", "page(-1)", "One page up"),
    ("tui.select.pageDown", "pagedown", "page(1)", "One page down"),
    ("app.session.top", "home", "end(-1)", "First session"),
    ("app.session.bottom", "end", "end(1)", "Last session"),
    ("tui.select.confirm", "enter", "choose", "Open this session"),
    ("tui.select.cancel", "escape ctrl+c", "cancel", "Clear the search, then close"),
    ("tui.input.tab", "tab", "scope", "This folder or all folders"),
    ("app.session.togglePath", "ctrl+p", "paths", "Show folders and files"),
    ("app.session.toggleSort", "ctrl+s", "sort", "Sort in another way"),
    ("app.session.toggleNamedFilter", "ctrl+n", "named", "Only sessions with a name"),
    ("app.session.rename", "ctrl+r", "rename", "Rename"),
    ("app.session.delete", "ctrl+d", "delete", "Move to the trash, after a question"),
    ("app.session.deleteChar", "backspace", "delete_char", "Take back a letter of the search"),
    ("app.session.deleteWord", "ctrl+w alt+backspace", "delete_word", "Take back a word"),
    ("app.session.clearSearch", "ctrl+u", "clear_search", "Take back the whole search"),
)

PICKER: tuple[Action, ...] = tuple(
    Action(name, tuple(keys.split()), "picker", does, method) for name, keys, method, does in _ROWS
)

HINTS = (
    "Enter open · type to search · Tab this folder or all · Esc close",
    "Ctrl+S sort · Ctrl+N named · Ctrl+P paths · Ctrl+R rename · Ctrl+D delete",
)
