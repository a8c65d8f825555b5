"""What a person does at the terminal, timed: each visit starts one program and uses it.

A visit gives figures in ms, MB and percent by name. Letters typed to time an echo are letters that
nothing else shows, each used once, so that the echo cannot be mistaken.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median, quantiles

from bench.generate import WORDS
from bench.programs import Home, Program, started
from bench.server import Answer
from bench.terminal import LETTERS, Terminal

Times = dict[str, float]

RULE = "─" * 40
"""Both programs frame their editor with one: the prompt is there."""
MARK = "›"
"""Both mark a row of a list with it."""
_WORD = f"(?:{'|'.join(WORDS)})"
_WORDS = f"{_WORD} {_WORD} {_WORD}"
"""What generated messages consist of, and nothing else."""


def fresh(program: Program, here: Home, keys: int = 20) -> Times:
    """Start without a session; a letter is typed at the moment of the launch."""
    with started(program, here) as (terminal, launched):
        terminal.type(LETTERS[-1])
        times = _start(terminal, launched, LETTERS[-1])
        terminal.settled(0.7)
        times["echo"] = median(_echoes(terminal, keys))
        times["memory"] = terminal.memory()
    return times


def long_session(
    program: Program, here: Home, answer: Answer, session: Path, keys: int = 12
) -> Times:
    """Open a long session, type, look around in its tree, and ask something.

    The first letter is typed when the prompt is there: what it waits for is the session.
    """
    copy = here.take_in(session)
    with started(program, here, "--session", str(copy)) as (terminal, launched):
        times = _start(terminal, launched)
        terminal.settled(1)
        times["echo"] = median(_echoes(terminal, keys))
        times |= _tree(terminal, program)
        times["memory"] = terminal.memory()
        times["answer"] = _answer(terminal, answer)
    return times


def picker(program: Program, here: Home, sessions: Path) -> Times:
    """``/resume`` over many sessions: first rows, and when everything has been read."""
    with started(program, here, "--session-dir", str(sessions)) as (terminal, launched):
        _start(terminal, launched)
        terminal.settled(1)
        terminal.type("/resume")
        terminal.settled(0.5)
        before = terminal.position
        hit = terminal.key("Enter")
        rows = terminal.until(_WORDS, before)
        complete = terminal.settled(2)
        terminal.settled()
        return {
            "rows": (rows - hit) * 1000,
            "complete": (complete - hit) * 1000,
            "down": _shown(terminal, *["Down"] * 8),
            "memory": terminal.memory(),
        }


def streaming(program: Program, here: Home, answer: Answer, lines: int, chunks: int) -> Times:
    """A Markdown answer at 100 chunks a second: what it costs, then typing while one streams."""
    with started(program, here) as (terminal, launched):
        _start(terminal, launched)
        terminal.settled(1)
        answer.chunks, answer.pause = chunks, 0.01
        answer.text = markdown("One", lines)
        _ask(terminal, "One begins")
        used, since = terminal.cpu(), time.perf_counter()
        terminal.until("One ends")
        share = (terminal.cpu() - used) / (time.perf_counter() - since)
        terminal.settled(0.7)
        answer.text = markdown("Two", lines)
        _ask(terminal, "Two begins")
        echoes = _echoes_until(terminal, "Two ends")
    return {"share": share * 100, "p95": quantiles(echoes, n=20)[-1], "median": median(echoes)}


def markdown(name: str, lines: int) -> str:
    """Prose, lists and code of about ``lines`` lines, between a line that begins and one that ends.

    Of 15 lines each.
    """
    steps = (
        f"""
## Step {number} of the plan

Read the **whole** file before `line {number}` is changed, and keep what the *tests* say about
it; a test that fails is **not** to be left out.

- first look at the caller, in `module_{number}`
- then at what it returns

```python
def step_{number}(value: int) -> int:
    return value + {number}
```
"""
        for number in range(lines // 15)
    )
    return f"{name} begins.\n{''.join(steps)}\n{name} ends.\n"


def _start(terminal: Terminal, launched: float, letter: str = "") -> Times:
    """The prompt painted, and the echo of the first letter: typed already, or typed now."""
    prompt = terminal.until(RULE)
    if not letter:
        letter = LETTERS[-1]
        terminal.type(letter)
    times = {"prompt": prompt - launched, "key": terminal.until(letter) - launched}
    terminal.settled(0.3)
    terminal.key("C-u")
    return {name: seconds * 1000 for name, seconds in times.items()}


def _echoes(terminal: Terminal, count: int) -> list[float]:
    """The echoes of ``count`` letters, each typed when the screen has come to rest."""
    times = []
    for letter in LETTERS[:count]:
        times.append(_echo(terminal, letter))
        terminal.settled(0.1)
    terminal.key("C-u")
    terminal.settled()
    return times


def _echo(terminal: Terminal, letter: str) -> float:
    since = terminal.position
    hit = terminal.type(letter)
    return (terminal.until(letter, since) - hit) * 1000


def _echoes_until(terminal: Terminal, text: str) -> list[float]:
    """Echoes of letters typed one after the other, until ``text`` is written."""
    times: list[float] = []
    while text.encode() not in terminal.output:
        letter = LETTERS[len(times) % len(LETTERS)]
        times.append(_echo(terminal, letter))
        terminal.wait(0.08)
    return times


def _shown(terminal: Terminal, *keys: str) -> float:
    """The median ms from one of these keys to the marked row as it is then.

    Ours draws a preview of a session, and what a search finds later, after that.
    """
    return median(terminal.reaction(key, sign=MARK) * 1000 for key in keys)


def _tree(terminal: Terminal, program: Program) -> Times:
    terminal.type("/tree")
    terminal.settled(0.5)
    times = {"open": terminal.reaction("Enter", sign=MARK) * 1000}
    times["move"] = _shown(terminal, "Up", "Up", "PageUp", "Up", "Up", "PageUp")
    times["filter"] = _shown(terminal, "C-u", "C-u", "C-t", "C-t")
    if program.search:
        terminal.reaction(program.search)
    times["letter"] = _shown(terminal, *"read")
    terminal.reaction("Escape", quiet=0.6)
    terminal.reaction("Escape", quiet=0.6)
    return times


def _ask(terminal: Terminal, begins: str) -> float:
    """Send a prompt; ms from Enter to the first text of the answer."""
    terminal.type("go")
    terminal.settled(0.4)
    hit = terminal.key("Enter")
    return (terminal.until(begins) - hit) * 1000


def _answer(terminal: Terminal, answer: Answer) -> float:
    """From Enter to the first text of an answer, with the whole history sent; the second time."""
    for name in ("One", "Two"):
        answer.text = f"{name} begins and ends."
        shown = _ask(terminal, f"{name} begins")
        terminal.settled(0.7)
    return shown
