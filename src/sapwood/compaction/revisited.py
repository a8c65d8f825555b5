"""Open tasks that a later answer speaks of.

Nothing here can know whether they are done. But a task whose every word comes up again in a closing
answer was taken up, and a reader who is told so looks before doing it once more.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sapwood.compaction.draft import Draft, Shelf

TAKEN_UP = " (came up again since; may be done)"
LOOKED_AT = 40
"""How many open tasks, newest first, are compared with an answer."""

_WORD = re.compile(r"[a-z0-9_]{4,}|[\u3400-\u9fff]{2,}")


def mark_taken_up(draft: Draft, answer: str) -> None:
    """Mark the tasks on the shelf whose words all stand in `answer`; call it before its own."""
    tasks = draft.items[Shelf.TASKS]
    if not tasks:
        return
    said = _words(answer)
    marked = {task for task in list(tasks)[-LOOKED_AT:] if _is_taken_up(task, said)}
    if marked:
        draft.items[Shelf.TASKS] = {
            task + TAKEN_UP if task in marked else task: worth for task, worth in tasks.items()
        }


def _is_taken_up(task: str, said: frozenset[str]) -> bool:
    words = _words(task)
    return len(words) > 1 and words <= said and not task.endswith(TAKEN_UP)


@lru_cache(maxsize=4 * LOOKED_AT)
def _words(text: str) -> frozenset[str]:
    """Words of four letters and more; of Chinese, every two characters that stand together."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word[0] < "\u3400":
            found.add(word)
        else:
            found.update(word[index : index + 2] for index in range(len(word) - 1))
    return frozenset(found)
