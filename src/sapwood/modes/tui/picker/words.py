"""What the picker says about itself: what is listed, what is hidden by what, why nothing is."""

from __future__ import annotations

from sapwood.modes.tui.picker.shelf import Shelf, Shown, Wanted
from sapwood.modes.tui.words import count_text


def title_words(shelf: Shelf, wanted: Wanted, shown: Shown) -> str:
    """``Sessions · this folder · 12 · newest first``."""
    scope = "all folders" if wanted.cwd is None else "this folder"
    size = count_text(len(shown.rows), "session")
    order = "best match first" if wanted.query.strip() else wanted.sort
    named = " · named only" if wanted.named_only else ""
    return f"{size} · {scope} · {order}{named}"


def hidden_words(shelf: Shelf, shown: Shown, elsewhere: int) -> str:
    """What is not shown: each count with the key that shows it."""
    parts = []
    if shown.unmatched:
        parts.append(f"{shown.unmatched:,} do not match")
    if shown.unnamed:
        parts.append(f"{shown.unnamed:,} without a name (Ctrl+N)")
    if elsewhere:
        parts.append(f"{elsewhere:,} in other folders (Tab)")
    if shelf.skipped:
        parts.append(f"{count_text(len(shelf.skipped), 'file')} not readable as a session")
    return "Hidden: " + " · ".join(parts) if parts else ""


def empty_words(wanted: Wanted, shown: Shown, elsewhere: int, *, loading: bool) -> list[str]:
    """Why there are no rows, and what to press; nothing while there are some."""
    if shown.rows:
        return []
    if loading:
        return ["Looking for sessions …"]
    tab = [f"{count_text(elsewhere, 'session')} in other folders: Tab."] if elsewhere else []
    if shown.unmatched:
        query = " ".join(wanted.query.split())
        return [f"No session holds “{query}”. Esc clears the search.", *tab]
    if shown.unnamed:
        count = count_text(shown.unnamed, "session")
        return [f"None has a name; {count} without one: Ctrl+N.", *tab]
    if wanted.cwd is not None:
        return ["No session in this folder yet.", *tab]
    return ["No sessions yet. Esc goes back."]
