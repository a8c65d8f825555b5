"""Bracketed pastes arrive whole, whatever is in them and however the terminal cuts them up.

Textual's parser looks for keys inside a paste too: an escape byte there breaks it up, and what
follows is typed, Enter included. Here everything between the two brackets is text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.message import Message

from sapwood.text import printable

_EDGE = len(BRACKETED_PASTE_START) - 1


class PasteParser(XTermParser):
    """Reads a terminal's input; a paste becomes one `events.Paste` of harmless text."""

    _before = ""
    """The end of what came before, in which a bracket may have begun."""
    _pasted: list[str] | None = None
    """The pieces of the paste that has begun."""

    def feed(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
        while data:
            take = self._take_keys if self._pasted is None else self._take_paste
            messages, data = take(data)
            yield from messages

    def tick(self) -> Iterable[Message]:
        """An escape that nothing followed was a key, so no bracket has begun with it."""
        for message in super().tick():
            self._before = ""
            yield message

    def _take_keys(self, data: str) -> tuple[Iterable[Message], str]:
        """Messages up to the opening bracket, and what follows that."""
        seen = self._before + data
        at = seen.find(BRACKETED_PASTE_START)
        if at < 0:
            self._before = seen[-_EDGE:]
            return self._keys(data), ""
        end = at + len(BRACKETED_PASTE_START) - len(self._before)
        self._before, self._pasted = "", []
        return self._keys(data[:end]), data[end:]

    def _take_paste(self, data: str) -> tuple[Iterable[Message], str]:
        """The paste, once its closing bracket is there, and what follows that."""
        assert self._pasted is not None
        edge = self._pasted.pop() if self._pasted else ""
        text, bracket, rest = (edge + data).partition(BRACKETED_PASTE_END)
        if not bracket:
            self._pasted += [text[:-_EDGE], text[-_EDGE:]]
            return (), ""
        self._pasted.append(text)
        paste = events.Paste(printable("".join(self._pasted).replace("\0", "")))
        self._pasted = None
        return [*self._keys(BRACKETED_PASTE_END), paste], rest

    def _keys(self, data: str) -> list[Message]:
        """What Textual reads in it, without the empty pastes that brackets alone are to it."""
        return [
            message
            for message in super().feed(data)
            if not (isinstance(message, events.Paste) and not message.text)
        ]


def take_pastes_whole() -> None:
    """Let Textual's driver read the terminal with `PasteParser`."""
    if sys.platform != "win32":
        from textual.drivers import linux_driver

        linux_driver.XTermParser = PasteParser  # type: ignore[attr-defined]
