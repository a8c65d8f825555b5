"""What the commands print: lines fit for a terminal of any width, JSON fit for a program."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any

import click

from sapwood.session.codec import encode_line
from sapwood.session.javascript import parse_date
from sapwood.text import cell_width, fit, one_line


def columns() -> int:
    """The terminal's width; 80 where the output is piped."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def say(line: str = "") -> None:
    """One line on standard output; the caller has made it harmless."""
    click.echo(line)


def note(text: str) -> None:
    """One line on standard error, for what is not the answer."""
    click.echo(f"sapwood: {one_line(text)}", err=True)


def say_json(value: Any) -> None:
    click.echo(encode_line(value))


def paint(text: str, **style: Any) -> str:
    """``text`` in a style where colours are wanted: a terminal, and no ``NO_COLOR``."""
    if not text or os.environ.get("NO_COLOR") or not (sys.stdout and sys.stdout.isatty()):
        return text
    return click.style(text, **style)


def pad(text: str, cells: int) -> str:
    """``text`` in exactly ``cells`` columns."""
    text = fit(text, cells)
    return text + " " * (cells - cell_width(text))


def short_time(timestamp: str) -> str:
    """``MM-DD HH:MM`` in local time; blanks for what is no date."""
    return clock(parse_date(timestamp) if timestamp else float("nan"))


def clock(ms: float) -> str:
    """As `short_time`, of Unix milliseconds."""
    try:
        return time.strftime("%m-%d %H:%M", time.localtime(ms / 1000))
    except (ValueError, OverflowError, OSError):
        return " " * 11


def age(ms: float, now_ms: float) -> str:
    """How long ago, in one unit: ``5 min``, ``3 h``, ``12 d``."""
    minutes = max(0, int((now_ms - ms) // 60_000))
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h"
    return f"{minutes // (24 * 60)} d"
