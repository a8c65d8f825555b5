"""What a session consists of, for people who want to know: ``--verbose``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation


def what_is_loaded(conversation: Conversation) -> list[tuple[str, str]]:
    """What each part is called and what it is; parts that there are none of are left out."""
    source, shorthand = conversation.prompt_source, conversation.shorthand
    rows = [
        ("session", str(conversation.manager.path or "in memory")),
        ("model", _model(conversation)),
        ("tools", _listed(conversation.tools.active)),
        ("instructions", _listed(file.path for file in source.context_files)),
        ("templates", _listed(f"/{each.name}" for each in shorthand.templates)),
        ("skills", _listed(each.name for each in shorthand.skills)),
        ("extensions", _listed(conversation.extensions.loaded)),
    ]
    return [(name, text) for name, text in rows if text]


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))


def _model(conversation: Conversation) -> str:
    model, window = conversation.model, conversation.context_window
    if model is None:
        return ""
    size = f", window of {window:,} tokens" if window else ""
    return f"{model.ref}, thinking {conversation.thinking_level}{size}"
