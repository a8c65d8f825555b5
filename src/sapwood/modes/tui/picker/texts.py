"""What was said in sessions, read in a thread once somebody searches, newest sessions first.

Memory is bounded: what does not fit is not searched, and the picker says so.
"""

from __future__ import annotations

from sapwood.errors import SapwoodError
from sapwood.session.info import SessionInfo

ROOM = 40_000_000
"""Characters of all sessions together."""

EACH = 4_000_000
"""Characters of one session."""


class Texts:
    """Texts by file. Only one thread adds to them."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[int, str, str]] = {}
        self._size = 0
        self.cut: set[str] = set()
        """Files whose text is not searched to its end."""

    def read(self, info: SessionInfo) -> None:
        """Read the text of a session unless it is known as it is now."""
        key = str(info.path)
        known = self._texts.get(key)
        if known is not None and known[0] == info.message_count:
            return
        try:
            text = info.all_messages_text if self._size < ROOM else ""
        except SapwoodError:
            text = ""
        if self._size >= ROOM or len(text) > EACH:
            self.cut.add(key)
        text = text[:EACH]
        self._size += len(text)
        self._texts[key] = info.message_count, text, text.lower()

    def __len__(self) -> int:
        return len(self._texts)

    def original(self, info: SessionInfo) -> str:
        """The text as it was written; "" while it is not read."""
        return self._texts.get(str(info.path), (0, "", ""))[1]

    def lower(self, info: SessionInfo) -> str:
        return self._texts.get(str(info.path), (0, "", ""))[2]
