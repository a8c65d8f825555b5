"""Keys take effect in the order in which they are pressed, however fast they come.

Textual runs a binding when its key has gone up to the app, one message queue after the other; by
then letters that came later are in the text already, so that ``hi``, Enter, ``world`` in one burst
sends ``hiworld``. Whatever takes letters calls `run_bound` for the keys that are none.
"""

from __future__ import annotations

from typing import Any

from textual import events
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea


def types_text(event: events.Key) -> bool:
    """Whether the key is a character to insert; Alt and a character is none."""
    return event.is_printable and not event.key.startswith("alt+")


async def run_bound(taker: Widget | Screen[Any], event: events.Key) -> bool:
    """Do now what the key is bound to, from the focused widget up; False when it is to nothing."""
    if not await taker.app._check_bindings(event.key):
        return False
    event.stop()
    event.prevent_default()
    return True


class Field(Input):
    """A line to type in."""

    async def on_key(self, event: events.Key) -> None:
        if not types_text(event):
            await run_bound(self, event)


class Box(TextArea):
    """Some lines to type in; keys that are bound by a screen around it go before its own."""

    async def on_key(self, event: events.Key) -> None:
        if event.key in {"enter", "tab"} or not types_text(event):
            await run_bound(self, event)
