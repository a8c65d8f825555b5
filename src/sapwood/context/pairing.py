"""Whatever a projection holds, a request that every provider accepts comes out.

Pairing is a list of small rules, each a function from items to items that establishes one
property and keeps those of the rules before it. Each item keeps the entry it comes from: what a
rule moves or rewrites keeps its own, what it adds has that of the message that made it needed,
what it joins has the first's (the others are in ``merged``).

Not decided here: which thinking a model may see again (`sapwood.models.convert`), and whether a
request should be made at all (one that ends with an assistant message asks nothing).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sapwood.context.alternation import (
    answer_before_user,
    merge_assistants,
    merge_users,
    start_with_user,
)
from sapwood.context.answers import answer_calls
from sapwood.context.blocks import drop_empty, make_readable
from sapwood.context.images import limit_images
from sapwood.context.projection import Projected
from sapwood.session.garbage import collection_paused

Rule = Callable[[list[Projected]], list[Projected]]

RULES: tuple[Rule, ...] = (
    make_readable,
    drop_empty,
    answer_calls,
    limit_images,
    merge_users,
    merge_assistants,
    start_with_user,
    answer_before_user,
)


def pair(items: Iterable[Projected]) -> list[Projected]:
    """A valid conversation of user, assistant and tool result messages.

    Valid: it starts with the user; roles alternate as in `alternation`; every tool call is answered
    exactly once, right after its message, and nothing else is; no message and no text is empty;
    call ids are unique, arguments objects, all text well-formed Unicode.
    """
    paired = list(items)
    with collection_paused():
        for rule in RULES:
            paired = rule(paired)
    return paired
