"""Sapwood: a coding agent around an append-only session tree and context compaction.

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.agent.create import SessionOptions, create_agent_session
    from sapwood.agent.session import AgentSession
    from sapwood.context.projection import build_session_context, project
    from sapwood.errors import SapwoodError
    from sapwood.session.manager import SessionManager
    from sapwood.session.tree import SessionTree

__version__ = "0.1.0"

__all__ = [
    "AgentSession",
    "SapwoodError",
    "SessionManager",
    "SessionOptions",
    "SessionTree",
    "build_session_context",
    "create_agent_session",
    "project",
]

_HOMES = {
    "AgentSession": "sapwood.agent.session",
    "SapwoodError": "sapwood.errors",
    "SessionManager": "sapwood.session.manager",
    "SessionOptions": "sapwood.agent.create",
    "SessionTree": "sapwood.session.tree",
    "build_session_context": "sapwood.context.projection",
    "create_agent_session": "sapwood.agent.create",
    "project": "sapwood.context.projection",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sapwood' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
