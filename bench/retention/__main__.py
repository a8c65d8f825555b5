"""How much of a long session survives its compactions.

`python -m bench.retention [--quick] [--model provider/id]` compares plain truncation with the
extractor, or with the summaries of a model.
"""

from __future__ import annotations

import argparse
import time
from itertools import product

from bench.retention.facts import Kind
from bench.retention.measure import Score, play
from bench.retention.sessions import LANGUAGES, STORIES

SIZES = (50_000, 150_000, 400_000)
COMPACTIONS = (1, 3, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the smallest sessions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", metavar="MODEL", help="who writes the summaries: provider/id")
    arguments = parser.parse_args()
    sizes = SIZES[:1] if arguments.quick else SIZES
    print("| compactions | context | how | " + " | ".join(Kind) + " | all |")
    print("|" + "---|" * (len(Kind) + 4))
    for count in COMPACTIONS:
        compacted, truncated = Score(), Score()
        context = session = 0
        start = time.perf_counter()
        for story, language, size in product(STORIES, LANGUAGES, sizes):
            outcome = play(story, language, size, count, arguments.model, arguments.seed)
            compacted.add(outcome.compacted)
            truncated.add(outcome.truncated)
            context += outcome.context_tokens
            session += outcome.session_tokens
        share = f"{context / session:.0%} of the session"
        print(_row(count, share, "truncation", truncated))
        print(_row(count, share, arguments.model or "extractor", compacted))
        seconds = time.perf_counter() - start
    print(f"\n{compacted.planted.total()} facts in the last row; {seconds:.1f} s for its sessions.")


def _row(count: int, context: str, how: str, score: Score) -> str:
    shares = " | ".join(f"{score.share(kind):.0%}" for kind in Kind)
    return f"| {count} | {context} | {how} | {shares} | {score.share():.0%} |"


if __name__ == "__main__":
    main()
