"""Levels are clamped to what a model has; budgets leave room for the answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.models.model import Model
from sapwood.models.thinking import LEVELS, clamp_level, supported_levels, thinking_budget

PLAIN = Model("p", "m", "openai-completions")
THINKER = Model("p", "m", "openai-completions", reasoning=True)


def test_a_model_that_does_not_think_has_only_off() -> None:
    assert supported_levels(PLAIN) == ("off",)
    assert {clamp_level(PLAIN, level) for level in LEVELS} == {"off"}


def test_a_thinking_model_has_every_level() -> None:
    assert [clamp_level(THINKER, level) for level in LEVELS] == list(LEVELS)


@pytest.mark.parametrize(
    ("wanted", "given_level"),
    [("off", "low"), ("minimal", "low"), ("medium", "low"), ("high", "high"), ("max", "high")],
)
def test_declared_levels_narrow_to_the_next_lower_one(wanted: str, given_level: str) -> None:
    model = Model("p", "m", "scripted", reasoning=True, compat={"thinkingLevels": ["low", "high"]})

    assert clamp_level(model, wanted) == given_level


def test_an_unknown_level_counts_as_off() -> None:
    assert clamp_level(THINKER, "enormous") == "off"


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LEVELS), st.integers(min_value=1, max_value=200_000))
def test_a_budget_always_leaves_room_for_the_answer(level: str, max_tokens: int) -> None:
    budget = thinking_budget(level, max_tokens)  # type: ignore[arg-type]

    if level == "off":
        assert budget is None
    if budget is not None:
        assert 1024 <= budget <= max_tokens - 1024
