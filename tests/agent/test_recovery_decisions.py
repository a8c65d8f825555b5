"""What follows an answer, decision by decision."""

from __future__ import annotations

from typing import Any

import pytest

from sapwood.agent.recovery import (
    MAX_COMPACTIONS,
    Attempts,
    CompactAndRerun,
    CompactOnly,
    Decision,
    GiveUp,
    Resend,
    Retry,
    RetryPolicy,
    Settle,
    decide,
)
from sapwood.models.failures import Failure


def answer(stop_reason: str = "stop", **usage: int) -> Any:
    figures = {"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0} | usage
    return {"role": "assistant", "content": [], "stopReason": stop_reason, "usage": figures}


def decision(
    message: Any,
    failure: Failure | None = None,
    attempts: Attempts | None = None,
    policy: RetryPolicy | None = None,
    *,
    window: int | None = 8000,
    requested_max: int | None = 1000,
) -> Decision:
    return decide(
        message,
        failure,
        attempts or Attempts(),
        policy or RetryPolicy(),
        context_window=window,
        requested_max=requested_max,
    )


def test_an_answer_settles() -> None:
    assert decision(answer()) == Settle()
    assert decision(answer("aborted")) == Settle()


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "network"])
def test_passing_trouble_is_retried_with_doubling_pauses(kind: Any) -> None:
    failure = Failure(kind, "busy")
    policy = RetryPolicy(True, 3, 100, 60_000)
    pauses = [
        decision(answer("error"), failure, Attempts(retries=done), policy) for done in range(4)
    ]
    assert pauses == [Retry(1, 100), Retry(2, 200), Retry(3, 400), Settle()]


def test_the_servers_wish_is_honoured_up_to_the_limit() -> None:
    policy = RetryPolicy(True, 3, 100, 60_000)
    patient = Failure("rate_limit", "busy", retry_after_ms=7000)
    assert decision(answer("error"), patient, policy=policy) == Retry(1, 7000)
    endless = Failure("rate_limit", "busy", retry_after_ms=600_000)
    assert decision(answer("error"), endless, policy=policy) == Settle()


@pytest.mark.parametrize("kind", ["auth", "refused", "fatal"])
def test_other_failures_settle(kind: Any) -> None:
    assert decision(answer("error"), Failure(kind, "no")) == Settle()


def test_retrying_can_be_turned_off() -> None:
    failure = Failure("overloaded", "busy")
    assert decision(answer("error"), failure, policy=RetryPolicy(enabled=False)) == Settle()


def test_an_overflow_is_recovered_once_per_message() -> None:
    failure = Failure("overflow", "too long")
    attempts = Attempts()
    assert decision(answer("error"), failure, attempts) == CompactAndRerun()
    attempts.overflow_handled = True
    assert isinstance(decision(answer("error"), failure, attempts), GiveUp)
    attempts.accepted()
    assert decision(answer("error"), failure, attempts) == CompactAndRerun()


def test_two_compactions_without_an_answer_are_the_most() -> None:
    attempts = Attempts(compactions=MAX_COMPACTIONS)
    attempts.prompted()
    given_up = decision(answer("error"), Failure("overflow", "too long"), attempts)
    assert isinstance(given_up, GiveUp)
    assert "larger window" in given_up.reason


def test_too_much_output_asked_for_is_lowered_before_anything_is_compacted() -> None:
    failure = Failure("output_limit", "no room", context_window=8000, input_tokens=7200)
    assert decision(answer("error"), failure, requested_max=4000) == Resend(800)
    full = Failure("output_limit", "no room", context_window=8000, input_tokens=7900)
    assert decision(answer("error"), full, requested_max=4000) == CompactAndRerun()


def test_an_early_length_stop_is_run_again_once() -> None:
    cut = answer("length", output=50)
    attempts = Attempts()
    assert decision(cut, attempts=attempts) == CompactAndRerun()
    attempts.overflow_handled = True
    assert decision(cut, attempts=attempts) == Settle()


def test_a_length_stop_at_the_limit_is_an_answer() -> None:
    assert decision(answer("length", output=1000)) == Settle()


def test_usage_above_the_window_compacts_without_repeating() -> None:
    assert decision(answer(input=9000)) == CompactOnly()
    assert decision(answer(input=9000), window=None) == Settle()
