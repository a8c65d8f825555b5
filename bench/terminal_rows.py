"""The rows of the terminal UI: both programs in tmux, side by side, visit by visit.

Rows that share a visit are measured in one; the visits take turns, ours and the reference's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench import visits
from bench.programs import OURS, Home, Program, home, theirs
from bench.row import Figures, Row
from bench.server import Answer, serve

if TYPE_CHECKING:
    from bench.__main__ import Measure

Times = dict[str, float]
Visit = Callable[["Measure", Program, Home, Answer], Times]


def _figure(visit: Visit, rounds: int, key: str, measure: Measure) -> Figures:
    """One figure of a visit, ours and the reference's."""

    def run(program: Program) -> Times:
        answer = Answer()
        with serve(answer) as url, home(url, measure.files.project) as here:
            return visit(measure, program, here, answer)

    reference = measure.reference
    programs = [OURS, *([theirs(reference)] if reference else [])]
    tasks = [partial(run, program) for program in programs]
    medians = measure.in_turn(visit.__name__, tasks, rounds)
    return medians[0][key], medians[1][key] if reference else None


def _fresh(measure: Measure, program: Program, here: Home, answer: Answer) -> Times:
    return visits.fresh(program, here)


def _ten(measure: Measure, program: Program, here: Home, answer: Answer) -> Times:
    return visits.long_session(program, here, answer, Path(measure.files.tenth()))


def _hundred(measure: Measure, program: Program, here: Home, answer: Answer) -> Times:
    return visits.long_session(program, here, answer, Path(measure.files.big(compacted=False)))


def _picker(measure: Measure, program: Program, here: Home, answer: Answer) -> Times:
    return visits.picker(program, here, Path(measure.files.many()))


def _streaming(measure: Measure, program: Program, here: Home, answer: Answer) -> Times:
    return visits.streaming(program, here, answer, 300, 1500 // measure.files.scale)


_of_fresh = partial(partial, _figure, _fresh, 5)
_of_ten = partial(partial, _figure, _ten, 3)
_of_hundred = partial(partial, _figure, _hundred, 2)
_of_picker = partial(partial, _figure, _picker, 2)
_of_streaming = partial(partial, _figure, _streaming, 2)

TERMINAL_ROWS = (
    Row("ui-start", "UI, fresh: prompt painted", _of_fresh("prompt"), ratio=1),
    Row("ui-key", "… first key accepted, typed at launch", _of_fresh("key"), ratio=1),
    Row("ui-echo", "… echo of a key", _of_fresh("echo"), limit=30),
    Row("ui-memory", "… memory", _of_fresh("memory"), unit="MB"),
    Row("ui-10-key", "UI, 10 MB session: first key accepted", _of_ten("key"), ratio=0.35),
    Row("ui-10-echo", "… echo of a key", _of_ten("echo"), limit=30),
    Row("ui-10-memory", "… memory, tree seen", _of_ten("memory"), limit=250, unit="MB"),
    Row("ui-10-answer", "… Enter to first text, all history sent", _of_ten("answer"), ratio=1),
    Row("ui-100-key", "UI, 100 MB session: first key accepted", _of_hundred("key"), ratio=0.06),
    Row("ui-100-echo", "… echo of a key", _of_hundred("echo"), limit=30),
    Row("ui-100-memory", "… memory, tree seen", _of_hundred("memory"), limit=250, unit="MB"),
    Row("ui-5k-tree", "UI, tree of 5,000 entries: open", _of_ten("open"), ratio=0.5),
    Row("ui-5k-tree-key", "… a key", _of_ten("move"), limit=40),
    Row("ui-45k-tree", "UI, tree of 45,000 entries: open", _of_hundred("open"), ratio=0.3),
    Row("ui-45k-tree-key", "… a key", _of_hundred("move"), limit=40),
    Row("ui-45k-tree-filter", "… a filter switch", _of_hundred("filter"), limit=100),
    Row("ui-45k-tree-letter", "… a search letter", _of_hundred("letter"), limit=80),
    Row("ui-picker", "UI, picker over 2,000 sessions: first rows", _of_picker("rows"), limit=300),
    Row("ui-picker-all", "… all read", _of_picker("complete")),
    Row("ui-picker-key", "… a key", _of_picker("down"), limit=40),
    Row("ui-stream", "UI, 100 chunks/s of Markdown: one core",
        _of_streaming("share"), limit=30, unit="%"),
    Row("ui-stream-echo", "… echo of a key meanwhile, p95", _of_streaming("p95"), limit=50),
)  # fmt: skip
