"""The tools of a session: all that are known, and those that are on.

What is on follows the active path: a tool that the path mentions is on or off as it says there, any
other as by default. Explicit flags beat both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sapwood.agent.tools import BUILTIN_TOOLS, Tool
from sapwood.errors import SapwoodError
from sapwood.session.replay import select

if TYPE_CHECKING:
    from sapwood.session.schema import JsonObject
    from sapwood.session.tree import SessionTree


class Toolset:
    """`defaults` are on where the path says nothing; `fixed` (flags) beats path and defaults."""

    def __init__(
        self,
        known: Mapping[str, Tool],
        defaults: Sequence[str],
        *,
        fixed: Sequence[str] | None = None,
    ) -> None:
        self.known: dict[str, Tool] = dict(known)
        self._defaults = tuple(defaults)
        self._fixed = fixed is not None
        self._active = self._existing(defaults if fixed is None else fixed)
        self._to_follow: SessionTree | None = None

    @property
    def active(self) -> list[str]:
        """The names of the tools that are on."""
        if self._to_follow is not None:
            self._read_path(self._to_follow)
            self._to_follow = None
        return list(self._active)

    @property
    def active_tools(self) -> list[Tool]:
        return [self.known[name] for name in self.active]

    def set_active(self, names: Iterable[str]) -> None:
        """Turn on exactly these; raises `SapwoodError` for a name that is not known."""
        wanted = list(dict.fromkeys(names))
        unknown = [name for name in wanted if name not in self.known]
        if unknown:
            raise SapwoodError(
                f"Unknown tool: {', '.join(unknown)}. Known tools: {', '.join(self.known)}."
            )
        self._active, self._to_follow = wanted, None

    def follow(self, tree: SessionTree) -> None:
        """Be as the active path of `tree` says; it is read when the tools are next asked for."""
        if not self._fixed:
            self._to_follow = tree

    def _read_path(self, tree: SessionTree) -> None:
        mentioned = mentioned_tools(tree)
        on = [name for name in self._defaults if mentioned.get(name, True)]
        on += [name for name, is_on in mentioned.items() if is_on]
        self._active = self._existing(on)

    def _existing(self, names: Iterable[str]) -> list[str]:
        return [name for name in dict.fromkeys(names) if name in self.known]


def mentioned_tools(tree: SessionTree) -> dict[str, bool]:
    """Each tool that the active path turned on or off, and which of the two came last.

    A compaction's checkpoint lists what was on; built-in tools that it lacks were off.
    """
    state: dict[str, bool] = {}
    for entry in select(tree).entries:
        if entry.type == "compaction":
            checkpoint = entry.data.get("systemMessage")
            if isinstance(checkpoint, dict):
                state = dict.fromkeys(BUILTIN_TOOLS, False)
                _apply(state, checkpoint)
        elif entry.message is not None and entry.message.get("role") == "system":
            _apply(state, entry.message)
    return state


def _apply(state: dict[str, bool], message: JsonObject) -> None:
    for field, is_on in (("toolsRemoved", False), ("toolsAdded", True)):
        for tool in message.get(field) or ():
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                state[tool["name"]] = is_on
