"""Context windows learnt from a provider's refusal, kept in the session as ``custom`` entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.models.model import Model
    from sapwood.session.manager import SessionManager
    from sapwood.session.tree import SessionTree

CUSTOM_TYPE = "sapwood.window"


def learned_windows(tree: SessionTree) -> dict[str, int]:
    """Tokens by ``provider/id``; the newest entry counts."""
    windows: dict[str, int] = {}
    for entry in tree.entries:
        if entry.type != "custom" or entry.data.get("customType") != CUSTOM_TYPE:
            continue
        data = entry.data.get("data")
        if not isinstance(data, dict):
            continue
        tokens = data.get("contextWindow")
        if isinstance(tokens, int) and tokens > 0:
            windows[f"{data.get('provider')}/{data.get('model')}"] = tokens
    return windows


def store_window(manager: SessionManager, model: Model, tokens: int) -> None:
    manager.append_custom_entry(
        CUSTOM_TYPE, {"provider": model.provider, "model": model.id, "contextWindow": tokens}
    )
