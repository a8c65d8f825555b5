"""What the user asked for: the first request at length, the later ones shortened.

A nod ("go on", 好的) says nothing by itself. After a question of the assistant's it decides
something, so it stands with the question. Requests weigh more the more they lay down; a mere
question weighs little once it has been answered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sapwood.compaction.draft import CONCLUDED, INDISPENSABLE, SAID_BY_USER, Draft, Shelf
from sapwood.compaction.rules import stated_rules
from sapwood.compaction.sentences import joined, sentences, shorten, shorten_middle, without_code
from sapwood.compaction.serialize import plain_text
from sapwood.session.schema import Message

FIRST_REQUEST = "First request: "
LATER_REQUEST = "Then: "
LATER_LENGTH = 320
MOST_REQUESTS = 600
"""More of them never fit into a summary."""

NOD = 16
"""UTF-8 bytes up to which a message asks for nothing new: "sounds good", 继续."""

REPLY_LENGTH = 100
"""Characters up to which a message of the user's is a reply to the question before it."""


def add_first_request(draft: Draft, text: str, budget: int) -> None:
    """Put the request that a session began with first into Goal; it is never left out."""
    shortened = shorten_middle(_prose(text), first_length(budget))
    draft.add(Shelf.GOAL, FIRST_REQUEST + shortened, INDISPENSABLE)


def add_requests(draft: Draft, messages: Sequence[Message], *, first: str) -> None:
    """Put the requests of a span but the `first` into Goal, what they answer into Key Decisions."""
    question = ""
    for message in _newest(messages):
        if message["role"] == "assistant":
            text = plain_text(message.get("content"))
            question = question_in(text) if message.get("stopReason") == "stop" else ""
            continue
        if message["role"] != "user" or not (text := plain_text(message.get("content")).strip()):
            continue
        if question and len(text) <= REPLY_LENGTH and not text.endswith(("?", "？")):
            reply = f"Asked “{question}”, the user said: {text}"
            draft.add(Shelf.DECISIONS, reply, SAID_BY_USER)
        question = ""
        if text != first and len(text.encode("utf-8", "replace")) > NOD:
            request = shorten(_prose(text), LATER_LENGTH)
            draft.add(Shelf.GOAL, LATER_REQUEST + request, request_worth(request))


def _newest(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages from where the newest requests begin that can find room."""
    indices = [index for index, message in enumerate(messages) if message["role"] == "user"]
    return messages[indices[-MOST_REQUESTS] :] if len(indices) > MOST_REQUESTS else messages


def take_over_request(draft: Draft, item: str) -> None:
    """A line of an earlier summary's goal; the first request is known from the record."""
    if item.startswith(FIRST_REQUEST):
        return
    if item.startswith(LATER_REQUEST):
        draft.add(Shelf.GOAL, item, request_worth(item.removeprefix(LATER_REQUEST)))
    else:
        draft.add(Shelf.GOAL, shorten(item, 500), SAID_BY_USER)


def first_length(budget: int) -> int:
    """Characters for the first request in a summary of `budget` tokens."""
    return min(1500, max(80, budget // 4))


def request_worth(text: str) -> float:
    """What a request is worth, from 0.5 (a question) to 2 (it lays something down)."""
    said = sentences(text)
    if said and all(sentence.endswith(("?", "？")) for sentence in said):
        return CONCLUDED / 2
    if any(rule.strong for rule in stated_rules(text)):
        return SAID_BY_USER
    return CONCLUDED + 0.5 * (len(text) > LATER_LENGTH // 2)


def question_in(text: str) -> str:
    """The question that an answer ends with, and the sentence before it."""
    said = sentences(text[-2000:])
    for index in range(len(said) - 1, max(len(said) - 4, -1), -1):
        if said[index].endswith(("?", "？")):
            return shorten(joined(said[max(0, index - 1) :]), 240)
    return ""


def _prose(text: str) -> str:
    """A request without the code and logs pasted into it, unless there is nothing else."""
    prose = " ".join(without_code(text, "[…]").split())
    return prose if len(prose) > len("[…]") else text
