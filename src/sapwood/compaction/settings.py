"""When to compact and how much to keep: typed settings with their small-window rule.

All sizes are tokens. `parse_compaction_settings` raises `SettingsError` naming file, key and value;
each value of a model override falls back on its own. Source: the `compaction.*` settings of the
session format, plus two of ours (`model`, `thresholdPercent`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sapwood.errors import SettingsError

RESERVE_TOKENS = 16384
KEEP_RECENT_TOKENS = 20000
ASSUMED_WINDOW = 32_000
"""Tokens that a model of unknown window is trusted with."""
MAX_RESERVE_SHARE = 0.25
"""A reserve may take at most this share of a window, so that small windows stay usable."""


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """`enabled` governs only automatic compaction. `model_overrides`: "provider/model" → values.

    `model` names another model ("provider/id") for summaries. With `threshold_percent` (1-100, of
    the window) the lower of both thresholds wins.
    """

    enabled: bool = True
    reserve_tokens: int = RESERVE_TOKENS
    keep_recent_tokens: int = KEEP_RECENT_TOKENS
    model_overrides: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    model: str | None = None
    threshold_percent: int | None = None

    def for_model(self, provider: str, model_id: str) -> CompactionSettings:
        """The settings in force for one model: its own overrides, else the general values."""
        override = self.model_overrides.get(f"{provider}/{model_id}", {})
        return replace(
            self,
            reserve_tokens=override.get("reserveTokens", self.reserve_tokens),
            keep_recent_tokens=override.get("keepRecentTokens", self.keep_recent_tokens),
        )


@dataclass(frozen=True, slots=True)
class BranchSummarySettings:
    """`reserve_tokens` is left free of the branch; `skip_prompt` leaves branches without asking."""

    reserve_tokens: int = RESERVE_TOKENS
    skip_prompt: bool = False


def effective_reserve(window: int, settings: CompactionSettings) -> int:
    """The reserve in a window of `window` tokens, at most a quarter of it."""
    return min(settings.reserve_tokens, int(window * MAX_RESERVE_SHARE))


def threshold(window: int, settings: CompactionSettings) -> int:
    """The largest context, in tokens, that does not yet call for compaction."""
    limit = window - effective_reserve(window, settings)
    if settings.threshold_percent is not None:
        limit = min(limit, window * settings.threshold_percent // 100)
    return limit


def keep_budget(window: int | None, settings: CompactionSettings) -> int:
    """The tokens to keep verbatim: as set, but at most half of what fits below the threshold."""
    if window is None:
        return settings.keep_recent_tokens
    return min(settings.keep_recent_tokens, threshold(window, settings) // 2)


def summary_budget(window: int | None, settings: CompactionSettings) -> int:
    """The tokens a summary may have: four fifths of the reserve."""
    reserve = settings.reserve_tokens if window is None else effective_reserve(window, settings)
    return reserve * 4 // 5


def should_compact(context_tokens: int, context_window: int, settings: CompactionSettings) -> bool:
    """Whether a context of this size calls for automatic compaction."""
    return settings.enabled and context_tokens > threshold(context_window, settings)


def parse_compaction_settings(raw: Mapping[str, Any], file: str) -> CompactionSettings:
    """Read the `compaction` object of a settings file; unknown keys are ignored."""
    read = _Reader(raw, file, "compaction")
    return CompactionSettings(
        enabled=read.boolean("enabled", True),
        reserve_tokens=read.count("reserveTokens", RESERVE_TOKENS),
        keep_recent_tokens=read.count("keepRecentTokens", KEEP_RECENT_TOKENS),
        model_overrides=_parse_overrides(read.mapping("modelOverrides"), file),
        model=read.text("model"),
        threshold_percent=read.percent("thresholdPercent"),
    )


def parse_branch_summary_settings(raw: Mapping[str, Any], file: str) -> BranchSummarySettings:
    """Read the `branchSummary` object of a settings file; unknown keys are ignored."""
    read = _Reader(raw, file, "branchSummary")
    return BranchSummarySettings(
        reserve_tokens=read.count("reserveTokens", RESERVE_TOKENS),
        skip_prompt=read.boolean("skipPrompt", False),
    )


def _parse_overrides(raw: Mapping[str, Any], file: str) -> dict[str, dict[str, int]]:
    overrides: dict[str, dict[str, int]] = {}
    for model in raw:
        read = _Reader(raw, file, "compaction.modelOverrides")
        values = _Reader(read.mapping(model), file, f"compaction.modelOverrides.{model}")
        overrides[model] = {
            key: values.count(key, 0)
            for key in ("reserveTokens", "keepRecentTokens")
            if key in values.raw
        }
    return overrides


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed reads from one settings object, with errors that name file, key and value."""

    raw: Mapping[str, Any]
    file: str
    path: str

    def count(self, key: str, default: int) -> int:
        value = self.raw.get(key, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._error(key, value, "a whole number, 0 or more")
        return value

    def percent(self, key: str) -> int | None:
        if self.raw.get(key) is None:
            return None
        value = self.count(key, 0)
        if not 1 <= value <= 100:
            raise self._error(key, value, "a whole number from 1 to 100")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        value = self.raw.get(key, default)
        if not isinstance(value, bool):
            raise self._error(key, value, "true or false")
        return value

    def text(self, key: str) -> str | None:
        value = self.raw.get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise self._error(key, value, "a model name")
        return value

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self.raw.get(key, {})
        if not isinstance(value, Mapping):
            raise self._error(key, value, "an object")
        return value

    def _error(self, key: str, value: object, wanted: str) -> SettingsError:
        return SettingsError(f"{self.file}: {self.path}.{key} is {value!r}; it must be {wanted}")
