"""What a tool is: a name and schema for the model, and a function that does the work.

A tool is plain data. Everything it may know of its surroundings comes in the ``ToolContext``; what
it found goes out as a ``ToolResult``. A failure that the model can act on is raised as
``ToolError``; ``running.run_tool`` turns it into an error result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from sapwood.errors import SapwoodError
from sapwood.session.schema import Json, JsonObject, ToolSpec, UserBlock


class ToolError(SapwoodError):
    """A tool could not do what was asked; the text is for the model and says what to do instead."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """``content`` goes to the model; ``details`` (JSON or None) is kept for people and exports."""

    content: list[UserBlock]
    details: Json = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ShellSettings:
    """``path`` None = bash where there is one; ``prefix`` is run before every command."""

    path: str | None = None
    prefix: str | None = None


def _ignore_update(partial: ToolResult) -> None:
    """The default listener of partial results: there is nobody to tell."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call runs.

    ``on_update`` takes partial results while the call runs. ``environment`` is added to that of
    every command (the ``PI_*`` variables of the session). ``resize_images`` allows images to be
    made smaller before they are sent.
    """

    cwd: Path
    on_update: Callable[[ToolResult], None] = _ignore_update
    environment: Mapping[str, str] = field(default_factory=dict)
    shell: ShellSettings = ShellSettings()
    resize_images: bool = True


Execute: TypeAlias = Callable[[str, JsonObject, ToolContext], Awaitable[ToolResult]]
"""``(call id, checked arguments, context) → result``; cancelling it stops the work."""


@dataclass(frozen=True, slots=True)
class Tool:
    """``parameters`` is a JSON schema; calls are checked against it before ``execute`` sees them.

    ``hint`` is one line for the system prompt's list of tools, ``guidelines`` are rules to add to
    it. ``prepare`` mends argument shapes that models are known to send, before the check.
    """

    name: str
    description: str
    parameters: JsonObject
    execute: Execute
    hint: str = ""
    guidelines: Sequence[str] = ()
    prepare: Callable[[JsonObject], JsonObject] | None = None

    @property
    def spec(self) -> ToolSpec:
        """How the tool is declared to the model."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }


def text_result(text: str, details: Json = None, *, is_error: bool = False) -> ToolResult:
    """A result of one text block."""
    return ToolResult([{"type": "text", "text": text}], details, is_error)


def closed_object(properties: JsonObject, required: Sequence[str]) -> JsonObject:
    """A strict object schema: no property but these."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
