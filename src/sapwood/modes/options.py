"""What the command line of the agent said, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFlags:
    """Field names follow the flags; texts are as they were typed."""

    messages: tuple[str, ...] = ()
    print_mode: bool = False
    mode: str = "text"
    continue_recent: bool = False
    resume: bool = False
    session: str | None = None
    session_id: str | None = None
    fork: str | None = None
    session_dir: Path | None = None
    no_session: bool = False
    name: str | None = None
    provider: str | None = None
    model: str | None = None
    models: str | None = None
    api_key: str | None = None
    thinking: str | None = None
    tools: str | None = None
    exclude_tools: str | None = None
    no_tools: bool = False
    system_prompt: str | None = None
    append_system_prompt: tuple[str, ...] = ()
    no_context_files: bool = False
    extensions: tuple[Path, ...] = ()
    no_extensions: bool = False
    trust: bool | None = None
    list_models: str | None = None
    export: Path | None = None
    offline: bool = False
    verbose: bool = False
