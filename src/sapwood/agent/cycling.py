"""Stepping through models and thinking levels.

Models are those of the setting ``enabledModels`` (or ``--models``), else all that can be used. The
first look at the lists of built-in providers takes 0.2 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from sapwood.models.patterns import ModelChoice
from sapwood.models.thinking import supported_levels

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession

T = TypeVar("T")


def is_scoped(session: AgentSession) -> bool:
    """Whether somebody chose the models to step through."""
    return bool(session.settings.values.enabled_models)


def choices(session: AgentSession) -> list[ModelChoice]:
    """The models to step through, in order, with the level that a pattern names."""
    patterns = session.settings.values.enabled_models
    if patterns:
        return session.catalogue.match(patterns)
    return [ModelChoice(model) for model in session.catalogue.available()]


def next_model(session: AgentSession, step: int = 1) -> ModelChoice | None:
    """The one after the model in use (`step` -1: before it); None when there is no other."""
    there = choices(session)
    current = session.model.ref if session.model else None
    at = next((place for place, each in enumerate(there) if each.model.ref == current), None)
    return _neighbour(there, at, step)


def levels(session: AgentSession) -> Sequence[str]:
    """The thinking levels that the model in use has."""
    return supported_levels(session.model) if session.model else ("off",)


def next_level(session: AgentSession) -> str | None:
    """The one after the level in force; None when there is no other."""
    there = levels(session)
    current = session.thinking_level
    if len(there) < 2:
        return None
    return _neighbour(there, there.index(current) if current in there else None, 1)


def _neighbour(row: Sequence[T], at: int | None, step: int) -> T | None:
    """The next in a ring; the first (or last) of it from outside."""
    if at is None:
        return row[0 if step > 0 else -1] if row else None
    return row[(at + step) % len(row)] if len(row) > 1 else None
