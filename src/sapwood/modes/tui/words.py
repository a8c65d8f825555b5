"""Small numbers and spans of time as words, the same everywhere in the UI."""

from __future__ import annotations


def tokens_text(count: int) -> str:
    """Tokens: ``812``, ``8.1k``, ``128k``, ``1.2M``."""
    if count < 1_000:
        return str(count)
    if count < 10_000:
        return f"{count / 1_000:.1f}k".replace(".0k", "k")
    if count < 1_000_000:
        return f"{count // 1_000}k"
    return f"{count / 1_000_000:.1f}M".replace(".0M", "M")


def cost_text(dollars: float) -> str:
    """US dollars: ``$0``, ``$0.004``, ``$1.20``."""
    if dollars <= 0:
        return "$0"
    return f"${dollars:.3f}" if dollars < 0.01 else f"${dollars:.2f}"


def span_text(seconds: float) -> str:
    """How long something takes: ``8s``, ``2m 05s``, ``1h 02m``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


def age_text(seconds: float) -> str:
    """How long ago: ``now``, ``5m``, ``3h``, ``2d``, ``6w``, ``2y``."""
    for size, unit in ((31_536_000, "y"), (604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return "now"


def moment_text(timestamp: str) -> str:
    """A stored time as people read it: ``2026-12-01 05:56 UTC``; what has another form as it is."""
    if len(timestamp) >= 20 and timestamp[10] == "T" and timestamp.endswith("Z"):
        return f"{timestamp[:10]} {timestamp[11:16]} UTC"
    return timestamp


def count_text(count: int, noun: str, plural: str | None = None) -> str:
    """``1 entry``, ``12 entries``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
