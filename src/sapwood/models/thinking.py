"""Thinking levels: which ones a model has, the nearest one it can do, and token budgets.

A level is a wish. ``clamp_level`` turns it into what the model can do, so a session may keep the
wish while models change.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from sapwood.models.model import Model

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]

LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)
"""From no thinking to the most."""

MIN_BUDGET = 1024
"""The smallest thinking budget that Anthropic's API takes (tokens)."""

MIN_ANSWER = 1024
"""Tokens always left for the answer beside a thinking budget."""

_BUDGETS: dict[str, int] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16384,
    "xhigh": 32768,
    "max": 32768,
}


def is_level(text: str) -> bool:
    """Whether `text` is the name of a thinking level."""
    return text in LEVELS


def supported_levels(model: Model) -> tuple[ThinkingLevel, ...]:
    """The levels that make a difference for `model`; ``compat.thinkingLevels`` narrows them."""
    if not model.reasoning:
        return ("off",)
    declared = model.compat.get("thinkingLevels")
    if isinstance(declared, list):
        narrowed = tuple(level for level in LEVELS if level in declared)
        if narrowed:
            return narrowed
    return LEVELS


def clamp_level(model: Model, level: str) -> ThinkingLevel:
    """The level nearest to `level` that `model` has: the next lower one, else the lowest.

    A text that names no level counts as ``off``.
    """
    supported = supported_levels(model)
    wanted = LEVELS.index(level) if level in LEVELS else 0
    at_most = [each for each in supported if LEVELS.index(each) <= wanted]
    return at_most[-1] if at_most else supported[0]


def thinking_budget(level: ThinkingLevel, max_tokens: int) -> int | None:
    """Thinking tokens for `level` that leave room for an answer within `max_tokens`.

    None when `level` is off, or when `max_tokens` has no room for thinking and an answer: the
    budget counts towards the output limit, and a request whose budget reaches it is refused.
    """
    if level == "off" or max_tokens < MIN_BUDGET + MIN_ANSWER:
        return None
    return min(_BUDGETS[level], max_tokens - MIN_ANSWER)
