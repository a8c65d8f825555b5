"""`python -m bench.hostile`: badly behaved summarizers and what a compaction makes of them.

The cases are those of tests/compaction/test_hostile_summarizers.py.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.hostile_summarizers import CASES, run_case


def main() -> None:
    print("| summarizer | requests | wasted | written by | tokens | notice |")
    print("|---|---|---|---|---|---|")
    for case in CASES:
        outcome = asyncio.run(run_case(case))
        author = "extractor" if outcome.from_extractor else "model"
        tokens = f"{outcome.tokens_before} → {outcome.tokens_after}"
        print(
            f"| {case.name} | {outcome.requests} | {outcome.wasted} | {author} | {tokens} "
            f"| {outcome.notice} |"
        )


if __name__ == "__main__":
    main()
