"""The keys of the tree, by the names they have in ``keybindings.json``.

Capital letters are commands only until a search has begun; then they are typed like any letter.
``/`` begins a search without typing anything into it.
"""

from __future__ import annotations

from sapwood.modes.tui.keys import Action

_ROWS = (
    ("tui.select.up", "up", "move(-1)", "Up"),
    ("tui.select.down", "down", "move(1)", "Down"),
    ("tui.select.pageUp", "pageup left", "page(-1)", "One page up"),
    ("tui.select.pageDown", "pagedown right", "page(1)", "One page down"),
    ("app.tree.top", "home", "end(-1)", "First row"),
    ("app.tree.bottom", "end", "end(1)", "Last row"),
    ("app.tree.foldOrUp", "ctrl+left alt+left", "fold", "Fold, or go to the segment's start"),
    (
        "app.tree.unfoldOrDown",
        "ctrl+right alt+right",
        "unfold",
        "Unfold, or go to the next segment",
    ),
    ("app.tree.panLeft", "shift+left", "pan(-1)", "Pan left"),
    ("app.tree.panRight", "shift+right", "pan(1)", "Pan right"),
    ("app.tree.previewUp", "shift+up", "preview(-1)", "Scroll the preview up"),
    ("app.tree.previewDown", "shift+down", "preview(1)", "Scroll the preview down"),
    ("tui.select.confirm", "enter", "go", "Go on from here"),
    ("tui.select.cancel", "escape ctrl+c", "cancel", "Clear the search, then close"),
    ("app.tree.editLabel", "L", "label", "Label this entry"),
    ("app.tree.editLabelAlways", "f2", "edit_label", "Label this entry, also while searching"),
    ("app.tree.toggleLabelTimestamp", "T", "label_times", "Show when labels were set"),
    ("app.tree.toggleWeights", "W", "weights", "Show how many tokens entries weigh"),
    ("app.tree.filter.default", "ctrl+d", "filter('default')", "Hide settings and bookkeeping"),
    ("app.tree.filter.noTools", "ctrl+t", "filter('no-tools')", "Hide tool results, too"),
    ("app.tree.filter.userOnly", "ctrl+u", "filter('user-only')", "Only your messages"),
    ("app.tree.filter.labeledOnly", "ctrl+l", "filter('labeled-only')", "Only labelled entries"),
    ("app.tree.filter.all", "ctrl+a", "filter('all')", "Everything"),
    ("app.tree.filter.cycleForward", "ctrl+o", "cycle(1)", "Next filter"),
    ("app.tree.filter.cycleBackward", "ctrl+shift+o shift+ctrl+o", "cycle(-1)", "Previous filter"),
    ("app.tree.search", "slash", "begin_search", "Begin a search"),
    ("app.tree.deleteChar", "backspace", "delete_char", "Take back a letter of the search"),
    (
        "app.tree.deleteWord",
        "ctrl+w alt+backspace",
        "delete_word",
        "Take back a word of the search",
    ),
)

TREE: tuple[Action, ...] = tuple(
    Action(name, tuple(keys.split()), "tree", does, method) for name, keys, method, does in _ROWS
)

HINTS = (
    "Enter go on · type to search · ←→ page · Ctrl+←→ fold or jump · Esc close",
    "Shift+L label, T times, W tokens · Ctrl+D T U L A O filter · Shift+arrows pan",
)

TYPED = frozenset({"label_times", "weights", "label", "begin_search"})
"""Actions whose keys may be letters: letters that a search takes."""
