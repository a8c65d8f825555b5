"""Settings: each value falls back on its own, errors name the key, small windows work."""

from __future__ import annotations

import pytest

from sapwood.compaction.settings import (
    CompactionSettings,
    keep_budget,
    parse_branch_summary_settings,
    parse_compaction_settings,
    should_compact,
    threshold,
)
from sapwood.errors import SettingsError


def test_defaults() -> None:
    settings = parse_compaction_settings({}, "settings.json")
    assert settings == CompactionSettings(True, 16384, 20000)


def test_an_override_holds_for_its_model_and_leaves_the_other_values() -> None:
    settings = parse_compaction_settings(
        {"keepRecentTokens": 7, "modelOverrides": {"openai/gpt": {"reserveTokens": 5}}}, "s"
    )
    own = settings.for_model("openai", "gpt")
    other = settings.for_model("openai", "gpt-2")
    assert (own.reserve_tokens, own.keep_recent_tokens) == (5, 7)
    assert (other.reserve_tokens, other.keep_recent_tokens) == (16384, 7)


@pytest.mark.parametrize(
    ("raw", "key", "value"),
    [
        ({"reserveTokens": -1}, "compaction.reserveTokens", "-1"),
        ({"keepRecentTokens": "many"}, "compaction.keepRecentTokens", "'many'"),
        ({"reserveTokens": 1.5}, "compaction.reserveTokens", "1.5"),
        ({"reserveTokens": True}, "compaction.reserveTokens", "True"),
        ({"enabled": "yes"}, "compaction.enabled", "'yes'"),
        ({"thresholdPercent": 0}, "compaction.thresholdPercent", "0"),
        ({"thresholdPercent": 101}, "compaction.thresholdPercent", "101"),
        ({"model": ""}, "compaction.model", "''"),
        ({"modelOverrides": []}, "compaction.modelOverrides", "[]"),
        (
            {"modelOverrides": {"a/b": {"reserveTokens": -3}}},
            "compaction.modelOverrides.a/b.reserveTokens",
            "-3",
        ),
    ],
)
def test_an_invalid_value_is_named_with_its_file_and_key(raw: dict, key: str, value: str) -> None:
    with pytest.raises(SettingsError) as error:
        parse_compaction_settings(raw, "/home/me/settings.json")
    assert "/home/me/settings.json" in str(error.value)
    assert key in str(error.value)
    assert value in str(error.value)


def test_branch_summary_settings() -> None:
    settings = parse_branch_summary_settings({"reserveTokens": 9, "skipPrompt": True}, "s")
    assert (settings.reserve_tokens, settings.skip_prompt) == (9, True)
    with pytest.raises(SettingsError, match="skipPrompt"):
        parse_branch_summary_settings({"skipPrompt": 1}, "s")


def test_the_reserve_takes_at_most_a_quarter_of_a_small_window() -> None:
    settings = CompactionSettings()
    assert threshold(8192, settings) == 6144
    assert not should_compact(6144, 8192, settings)
    assert should_compact(6145, 8192, settings)
    assert threshold(200_000, settings) == 200_000 - 16384


@pytest.mark.parametrize("window", [0, 1, 100, 4096, 8192, 32_768, 200_000, 1_000_000])
def test_the_kept_tail_fits_below_the_threshold(window: int) -> None:
    settings = CompactionSettings(keep_recent_tokens=10**9)
    assert keep_budget(window, settings) <= threshold(window, settings)


def test_the_lower_threshold_wins() -> None:
    assert threshold(100_000, CompactionSettings(threshold_percent=50)) == 50_000
    assert threshold(100_000, CompactionSettings(threshold_percent=95)) == 100_000 - 16384


def test_disabled_settings_stop_automatic_compaction_only() -> None:
    assert not should_compact(10**9, 1000, CompactionSettings(enabled=False))
