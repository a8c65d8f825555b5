"""A row of the bench's table: what is measured, and the goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.__main__ import Measure

Figures = tuple[float, float | None]
"""Ours and the reference's."""


@dataclass(frozen=True, slots=True)
class Row:
    """``ratio`` is the goal against the reference, ``limit`` an absolute one in ``unit``."""

    name: str
    title: str
    measure: Callable[[Measure], Figures]
    ratio: float | None = None
    limit: float | None = None
    unit: str = "ms"

    @property
    def goal_text(self) -> str:
        goals = []
        if self.ratio is not None:
            goals.append(f"≤ {self.ratio:g} ×")
        if self.limit is not None:
            goals.append(f"≤ {self.limit:g} {self.unit}")
        return ", ".join(goals)

    def met(self, ours: float, ratio: float | None) -> bool | None:
        """None when there is nothing to compare with."""
        checks = []
        if self.ratio is not None and ratio is not None:
            checks.append(ratio <= self.ratio)
        if self.limit is not None:
            checks.append(ours <= self.limit)
        return all(checks) if checks else None

    def figure(self, value: float) -> str:
        digits = 3 if value < 1 else 1 if value < 100 else 0
        return f"{value:,.{digits}f} {self.unit}"
