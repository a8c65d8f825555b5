"""The tools a model may call, by name. The modules of single tools are loaded when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from sapwood.agent.tools.tool import (
    Execute,
    ShellSettings,
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    closed_object,
    text_result,
)

BUILTIN_TOOLS = ("read", "bash", "edit", "write", "grep", "find", "ls")
DEFAULT_TOOLS = ("read", "bash", "edit", "write")

__all__ = [
    "BUILTIN_TOOLS",
    "DEFAULT_TOOLS",
    "Execute",
    "ShellSettings",
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "closed_object",
    "create_tools",
    "default_names",
    "default_tools",
    "select_tools",
    "text_result",
]


def create_tools(names: Sequence[str]) -> list[Tool]:
    """The built-in tools of these names, in this order.

    Raises:
        ToolError: a name is not that of a built-in tool.
    """
    return [_load(name) for name in names]


def default_tools() -> list[Tool]:
    """What a session starts with unless told otherwise."""
    return create_tools(DEFAULT_TOOLS)


def _load(name: str) -> Tool:
    if name not in BUILTIN_TOOLS:
        raise ToolError(f"There is no tool {name!r}; there are {', '.join(BUILTIN_TOOLS)}")
    tool = import_module(f"sapwood.agent.tools.{name}").TOOL
    assert isinstance(tool, Tool)
    return tool


def default_names(setting: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """What is on by default, from setting ``defaultTools``: names, or only ``+a`` and ``-b``.

    Names that are not known here are passed over: the file is shared with other programs.
    """
    if setting is None:
        return [*DEFAULT_TOOLS]
    changes = setting and all(entry[:1] in ("+", "-") for entry in setting)
    here = [entry for entry in setting if entry.lstrip("+-") in known]
    return select_tools(known, DEFAULT_TOOLS if changes else (), ",".join(here))


def select_tools(
    known: Sequence[str],
    defaults: Sequence[str],
    wanted: str | None = None,
    excluded: str | None = None,
) -> list[str]:
    """Which of the ``known`` tools are on, from the texts of ``--tools`` and ``--exclude-tools``.

    ``wanted`` is a list ``a,b``, which replaces the defaults, or only ``+a,-b``, which changes
    them. Names may hold ``*``.

    Raises:
        ToolError: a name fits no known tool.
    """
    chosen = list(defaults)
    entries = _entries(wanted)
    if entries and not all(entry[0] in "+-" for entry in entries):
        chosen = []
    for entry in entries:
        names = _matching(entry.lstrip("+-"), known)
        if entry[0] == "-":
            chosen = [name for name in chosen if name not in names]
        else:
            chosen += [name for name in names if name not in chosen]
    for entry in _entries(excluded):
        names = _matching(entry, known)
        chosen = [name for name in chosen if name not in names]
    return chosen


def _entries(text: str | None) -> list[str]:
    return [entry.strip() for entry in (text or "").split(",") if entry.strip()]


def _matching(pattern: str, known: Sequence[str]) -> list[str]:
    from fnmatch import fnmatchcase

    names = [name for name in known if fnmatchcase(name, pattern)]
    if not names:
        raise ToolError(f"There is no tool {pattern!r}; there are {', '.join(known)}")
    return names
