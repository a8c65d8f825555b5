"""What the tree says about itself: how much is shown, by which filter, and why nothing is."""

from __future__ import annotations

from sapwood.library.tree_rows import TreeFilter
from sapwood.modes.tui.tree.browser import TreeBrowser
from sapwood.modes.tui.words import count_text

_SHOWN = {
    TreeFilter.DEFAULT: "without bookkeeping",
    TreeFilter.NO_TOOLS: "without tools",
    TreeFilter.USER_ONLY: "your messages only",
    TreeFilter.LABELED_ONLY: "labelled only",
    TreeFilter.ALL: "everything",
}


def title_words(browser: TreeBrowser) -> str:
    """``Tree · 12 of 90 entries · without tools · row 3``."""
    total, shown = len(browser.view.entries), len(browser.rows)
    size = count_text(total, "entry", "entries")
    if shown != total:
        size = f"{shown:,} of {size}"
    place = f" · row {browser.cursor + 1:,}" if shown else ""
    unread = browser.unread if browser.search.strip() else 0
    left = f" · searching {unread:,} more" if unread else ""
    return f"Tree · {size} · {_SHOWN[browser.shown]}{place}{left}"


def empty_words(browser: TreeBrowser) -> list[str]:
    """Why there are no rows, and what to press; nothing while there are some."""
    if len(browser.rows):
        return []
    if not browser.view.entries:
        return ["Nothing has been said yet. Esc goes back."]
    search = browser.search.strip()
    if not search:
        hidden = count_text(len(browser.view.entries), "entry", "entries")
        return [
            f"No row: “{_SHOWN[browser.shown]}” hides all {hidden}.",
            "Ctrl+D shows them again.",
        ]
    if browser.unread:
        return [f"Nothing holds “{search}” so far.", "Esc stops the search."]
    found = browser.without_filter()
    if found:
        rows = count_text(found, "row") + (" holds" if found == 1 else " hold")
        return [
            f"No row holds “{search}” with “{_SHOWN[browser.shown]}”.",
            f"{rows} it among all entries: Ctrl+A. Esc clears the search.",
        ]
    return [f"No entry holds “{search}”.", "Esc clears the search."]
