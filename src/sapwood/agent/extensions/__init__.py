"""Extensions: Python files and packages that listen, decide, and add tools and commands."""

from __future__ import annotations

from sapwood.agent.extensions.api import Command, ExtensionApi, ExtensionError
from sapwood.agent.extensions.host import ExtensionHost, ExtensionProblem
from sapwood.agent.extensions.session import Completion, ExtensionSession, Headless, Ui

__all__ = [
    "Command",
    "Completion",
    "ExtensionApi",
    "ExtensionError",
    "ExtensionHost",
    "ExtensionProblem",
    "ExtensionSession",
    "Headless",
    "Ui",
]
