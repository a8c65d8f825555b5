"""What was odd about a session, as values.

Loading never fails for an oddity inside a file: it is repaired in memory or left aside, the bytes
stay where they are, and one ``Diagnostic`` says so.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One oddity. ``line`` is 1-based; ``count`` says how many of the kind it stands for."""

    kind: str
    message: str
    entry_id: str | None = None
    line: int | None = None
    count: int = 1
