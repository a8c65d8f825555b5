"""The sessions that the screens of the tree and the picker show: an afternoon of work.

A total that is off by a cent: one way is tried, left with a summary, another one found.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from sapwood.session.manager import SessionManager
from sapwood.session.origin import Origin

MINUTE_MS = 60_000

LEFT = """## Goal
Make invoice totals agree with the sum of their printed lines.

## Progress
- [x] Rounded each line with round(x, 2) in money.py
- [ ] test_totals still fails for 3 × 0.335

## Key decisions
- Rounding floats is not enough: 0.335 is stored as 0.33500000000000002
"""
SUMMARY = """## Goal
Make invoice totals agree with the sum of their printed lines.

## Constraints
- "No new dependencies, and the public API stays as it is."

## Progress
- [x] money.py counts in Decimal; invoice.py rounds once per line
- [ ] The changelog
"""


class Story:
    """Writes one session whose clock starts ``minutes`` ago."""

    def __init__(self, project: Path, session_dir: Path, minutes: float) -> None:
        self._now = int(time.time() * 1000 - minutes * MINUTE_MS)
        origin = Origin(now=self._tick)
        self.manager = SessionManager.create(project, session_dir, origin=origin)

    def _tick(self) -> int:
        self._now += 1000
        return self._now

    def later(self, minutes: float) -> None:
        self._now += int(minutes * MINUTE_MS)

    def user(self, text: str) -> str:
        return self._message({"role": "user", "content": text})

    def answer(self, text: str, *calls: dict[str, Any], context: int = 9_000) -> str:
        """``context``: how many tokens the request is said to have had."""
        blocks = [{"type": "text", "text": text}] if text else []
        usage = {"input": 900, "output": 140, "cacheRead": context - 900, "cacheWrite": 0}
        return self._message(
            {
                "role": "assistant",
                "content": [*blocks, *calls],
                "api": "scripted",
                "provider": "scripted",
                "model": "demo-model",
                "stopReason": "toolUse" if calls else "stop",
                "usage": {**usage, "totalTokens": context + 140},
            }
        )

    def result(self, tool: dict[str, Any], text: str, *, failed: bool = False) -> str:
        return self._message(
            {
                "role": "toolResult",
                "toolCallId": tool["id"],
                "toolName": tool["name"],
                "content": [{"type": "text", "text": text}],
                "isError": failed,
            }
        )

    def work(self, text: str, name: str, output: str, **arguments: Any) -> str:
        """An answer that calls one tool, and what it gives."""
        tool = {"type": "toolCall", "id": f"call_{self._now}", "name": name, "arguments": arguments}
        self.answer(text, tool)
        return self.result(tool, output)

    def _message(self, message: Any) -> str:
        return self.manager.append_message({**message, "timestamp": self._tick()})


def totals(project: Path, session_dir: Path) -> SessionManager:
    """The session with two branches, a label, a branch summary and a compaction."""
    story = Story(project, session_dir, 195)
    record = story.manager
    story.user("Invoice totals are off by a cent now and then. Find out why, no new dependencies.")
    story.work("", "grep", "money.py:12: return price * count", pattern="price", path="src")
    story.work("", "read", "def line_total(price: float, count: int): ...", path="src/money.py")
    found = story.answer("Prices are floats, and each line is rounded only when it is printed.")
    story.later(4)
    story.user("Then round each line.")
    story.work("", "edit", "Edited src/money.py", path="src/money.py")
    story.work("", "bash", "1 failed: test_totals (3 × 0.335)", command="python -m pytest -q")
    dead_end = story.answer("One test still fails: 0.335 is no exact float, so rounding goes down.")
    record.append_label_change(dead_end, "dead end")
    story.later(35)
    record.branch_with_summary(found, LEFT)
    story.user("Use Decimal from the standard library instead.")
    edit = story.work("", "edit", "Edited src/money.py", path="src/money.py")
    story.work("", "bash", "48 passed in 1.21s", command="python -m pytest -q")
    works = story.answer("All 48 tests pass. Prices stay `float` at the border of the API.")
    record.append_label_change(works, "works")
    story.later(120)
    record.append_compaction(SUMMARY, edit, 88_400)
    story.user("Write the changelog line, please.")
    story.work("", "edit", "Edited CHANGELOG.md", path="CHANGELOG.md")
    story.answer(
        "Done: *Totals are the sum of the printed lines.* Three things changed:\n\n"
        "1. `money.py` counts in `Decimal`.\n"
        "2. `invoice.py` rounds **once** per line.\n"
        "3. A test holds 3 × 0.335.",
        context=12_300,
    )
    record.append_session_info("Totals off by a cent")
    return record


def others(project: Path, session_dir: Path) -> None:
    """What else the picker lists: three sessions of other days."""
    for minutes, turns, prompt, name in (
        (60 * 26, 9, "Write a parser for the access log", None),
        (60 * 24 * 3, 4, "Why does the import take three seconds?", "Slow import"),
        (60 * 24 * 12, 17, "Collect the release notes since 1.1", "Release 1.2"),
    ):
        story = Story(project, session_dir, minutes)
        for number in range(turns):
            story.user(prompt if number == 0 else "Go on.")
            story.answer("Done so far; the next step is clear.")
        if name is not None:
            story.manager.append_session_info(name)
        story.manager.close()
