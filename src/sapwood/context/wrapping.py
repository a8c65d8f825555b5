"""Text of others inside tags of ours: nothing in it can close or fake the tags around it.

Summaries, commands and their output are given to a model between tags. Such text may itself hold
the same tags, by accident or on purpose. They are disarmed by one backslash: ``</summary>`` becomes
``<\\/summary>``, which a reader still understands and no reader takes for the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


def wrap(tag: str, text: str, disarmed: Iterable[str] = ()) -> str:
    """``text`` between lines of ``<tag>``; look-alikes of it and of ``disarmed`` are disarmed."""
    return f"<{tag}>\n{disarm(text, (tag, *disarmed))}\n</{tag}>"


def disarm(text: str, tags: Iterable[str]) -> str:
    """``text`` without anything that could open or close one of ``tags``."""
    return _look_alike(tuple(tags)).sub(r"<\\", text) if "<" in text else text


@cache
def _look_alike(tags: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, tags))
    return re.compile(rf"<(?=\s*/?\s*(?:{names})\b)", re.IGNORECASE)
