"""How much of what was said is read closely for decisions, tasks and facts: the newest, by speaker.

A summary holds some thousand tokens, and newer items go before older ones, so there is a point from
where on reading back finds nothing that would get in. It is set far out: a session of a million
tokens, most of it tool results, is read from its start. The user's rules and requests are found
elsewhere, however old they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from sapwood.compaction.draft import CONCLUDED, SAID_BY_USER, SAID_IN_PASSING
from sapwood.compaction.sentences import ends
from sapwood.compaction.serialize import plain_text
from sapwood.session.schema import Message

REACH = {SAID_BY_USER: 240_000, CONCLUDED: 240_000, SAID_IN_PASSING: 120_000}
"""Characters that are read of the user's messages, of closing answers, and of all other talk."""


def worth_of(message: Message) -> float | None:
    """What the sentences of a message are worth; None when they are not to be read."""
    match message["role"]:
        case "user":
            return SAID_BY_USER
        case "assistant":
            return CONCLUDED if message.get("stopReason") == "stop" else SAID_IN_PASSING
        case "custom":
            return SAID_IN_PASSING
        case _:
            return None


def texts_to_read(messages: Sequence[Message]) -> list[str]:
    """The text of each message as far as it is read; empty where it is not."""
    room = dict(REACH)
    texts: list[str] = []
    for message in reversed(messages):
        worth = worth_of(message)
        text = plain_text(message.get("content")) if worth is not None and room[worth] else ""
        if worth is not None and text:
            text = ends(text, room[worth])
            room[worth] -= len(text)
        texts.append(text)
    texts.reverse()
    return texts
