"""One activity at a time: the table is complete, and every way out leads back."""

from __future__ import annotations

import asyncio

import pytest

from sapwood.agent.activity import RULES, Activities, Activity, BusyError, Rule


def test_every_operation_has_a_rule_for_every_activity() -> None:
    assert all(set(rules) == set(Activity) for rules in RULES.values())


def test_everything_is_allowed_when_idle() -> None:
    assert {rules[Activity.IDLE] for rules in RULES.values()} == {Rule.ALLOW}


@pytest.mark.parametrize("operation", ["compact", "navigate_tree", "fork", "switch_session"])
@pytest.mark.parametrize("activity", [Activity.COMPACTING, Activity.NAVIGATING])
def test_two_changes_of_the_branch_never_meet(operation: str, activity: Activity) -> None:
    activities = Activities()
    with activities.during(activity), pytest.raises(BusyError, match="Not possible now"):
        activities.rule(operation)
    assert activities.rule(operation) is Rule.ALLOW


def test_a_prompt_is_refused_in_a_run_and_queued_while_the_branch_changes() -> None:
    activities = Activities()
    for activity in (Activity.RUNNING, Activity.RETRYING):
        with activities.during(activity), pytest.raises(BusyError):
            activities.rule("prompt")
    for activity in (Activity.COMPACTING, Activity.NAVIGATING):
        with activities.during(activity):
            assert activities.rule("prompt") is Rule.QUEUE


def test_an_activity_inside_another_leads_back_to_it() -> None:
    activities = Activities()
    with activities.during(Activity.RUNNING):
        with pytest.raises(ZeroDivisionError), activities.during(Activity.COMPACTING):
            raise ZeroDivisionError
        assert activities.current is Activity.RUNNING
    assert activities.is_idle


async def test_waiting_for_idle_spans_activities_that_follow_at_once() -> None:
    activities = Activities()
    first = activities.during(Activity.COMPACTING)
    first.__enter__()
    waiting = asyncio.ensure_future(activities.wait_for_idle())
    await asyncio.sleep(0)
    first.__exit__(None, None, None)
    with activities.during(Activity.RUNNING):
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
    await asyncio.wait_for(waiting, 5)
