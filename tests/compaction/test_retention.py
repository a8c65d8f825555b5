"""The extractor keeps what matters, on the smallest sessions of the retention bench."""

from __future__ import annotations

from itertools import product

import pytest
from bench.retention.facts import Kind
from bench.retention.measure import Score, play
from bench.retention.sessions import LANGUAGES, STORIES


@pytest.mark.parametrize("compactions", [1, 3, 5])
def test_facts_survive_compaction(compactions: int) -> None:
    compacted, truncated = Score(), Score()
    for story, language in product(STORIES, LANGUAGES):
        outcome = play(story, language, 50_000, compactions, None)
        compacted.add(outcome.compacted)
        truncated.add(outcome.truncated)
    for kind in (Kind.RULE, Kind.TASK):
        assert compacted.share(kind) >= 0.9
    for kind in (Kind.PATH, Kind.ERROR):
        assert compacted.share(kind) >= 0.8
    assert compacted.share() >= 2 * truncated.share()
