"""Making an `AgentSession`: settings, trust, models, tools, extensions and prompt put together."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError, SessionError

if TYPE_CHECKING:
    from sapwood.agent.extensions import ExtensionHost
    from sapwood.agent.session import AgentSession
    from sapwood.agent.settings import Settings
    from sapwood.agent.toolset import Toolset
    from sapwood.models.catalogue import Catalogue
    from sapwood.models.model import Model
    from sapwood.models.patterns import ModelChoice
    from sapwood.session.manager import SessionManager

DEFAULT_LEVEL = "medium"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How to open a session; everything left out is read from flags' defaults, files and the path.

    ``manager``: the record, None = a new session in ``cwd``. ``model``: a `Model` or a pattern
    ``[provider/]id[:thinking]``. ``models``: patterns of those to switch between, instead of the
    setting ``enabledModels``. ``tools`` and ``exclude_tools``: texts of the flags of that name.
    ``system_prompt`` and ``append_system_prompt``: texts or file names. ``trust``: whether the
    project's own settings, extensions and prompts count; None = as decided before, else no.
    """

    cwd: Path | str | None = None
    manager: SessionManager | None = None
    model: Model | str | None = None
    provider: str | None = None
    thinking_level: str | None = None
    api_key: str | None = None
    tools: str | None = None
    exclude_tools: str | None = None
    no_tools: bool = False
    system_prompt: str | None = None
    append_system_prompt: Sequence[str] = ()
    context_files: bool = True
    models: Sequence[str] | None = None
    extensions: Sequence[Path] = ()
    discover_extensions: bool = True
    trust: bool | None = None
    agent_dir: Path | None = None
    settings: Settings | None = None
    catalogue: Catalogue | None = None


async def create_agent_session(
    options: SessionOptions | None = None, **more: object
) -> AgentSession:
    """Open a session to work in. Give a `SessionOptions`, or its fields as keywords.

    Raises:
        SapwoodError: a setting, the model, a tool name or an extension in ``extensions`` cannot be
            used, the session's folder is gone, or its file cannot be opened.
    """
    if options is None:
        options = SessionOptions(**more)  # type: ignore[arg-type]
    return _Builder(options).build()


def _import_ahead(model: Model) -> None:
    """Import what the first request needs while the rest of the session is put together.

    What cannot be imported is told by the request itself.
    """

    def work() -> None:
        from sapwood.models.clients import preload

        with contextlib.suppress(SapwoodError):
            preload(model)

    threading.Thread(target=work, name="sapwood-imports", daemon=True).start()


class _Builder:
    def __init__(self, options: SessionOptions) -> None:
        from sapwood.session.paths import agent_dir

        self.options = options
        self.agent_dir = options.agent_dir or agent_dir()
        self.manager = options.manager or self._new_manager()
        self.cwd = self.manager.cwd
        self.notices: list[str] = []

    def _new_manager(self) -> SessionManager:
        from sapwood.session.manager import SessionManager

        return SessionManager.create(Path(self.options.cwd or os.getcwd()))

    def build(self) -> AgentSession:
        from sapwood.models.catalogue import Catalogue

        options = self.options
        if not self.cwd.is_dir():
            raise SessionError(f"The session's folder {self.cwd} does not exist any more.")
        trusted = self._is_trusted()
        settings = self._settings(trusted)
        catalogue = options.catalogue or Catalogue.load(self.agent_dir)
        model, level = self._model(catalogue, settings)
        if model is not None:
            _import_ahead(model)
        extensions = self._extensions(settings, trusted)
        from sapwood.agent.conversation import Conversation
        from sapwood.agent.prompt_source import PromptSource
        from sapwood.agent.session import AgentSession
        from sapwood.agent.shorthand import Shorthand

        shorthand = Shorthand.load(self.agent_dir, self.cwd if trusted else None)
        conversation = Conversation(
            settings=settings,
            catalogue=catalogue,
            extensions=extensions,
            tools=self._toolset(settings, extensions),
            prompt_source=PromptSource.load(
                self.cwd,
                self.agent_dir,
                trusted=trusted,
                system_prompt=options.system_prompt,
                append_system_prompt=options.append_system_prompt,
                with_context_files=options.context_files,
                skills=shorthand.skills,
            ),
            shorthand=shorthand,
            model=model,
            thinking_level=level,
            given_key=(model.provider, options.api_key) if model and options.api_key else None,
        )
        session = AgentSession(
            conversation,
            self.manager,
            keep_model=options.model is not None,
            keep_level=self._level_is_given,
        )
        session.notices[:0] = [
            *self.notices,
            *catalogue.problems,
            *(str(problem) for problem in extensions.problems),
            *shorthand.problems,
            *self._oddities(),
        ]
        extensions.post("session_start", {"reason": "open"})
        return session

    def _oddities(self) -> list[str]:
        """What is odd about the session's file and the active path, in one line each."""
        from sapwood.session.replay import select

        found = [*self.manager.diagnostics, *select(self.manager.tree).diagnostics]
        return [
            f"{one.message} ({one.count} times)" if one.count > 1 else one.message
            for one in dict.fromkeys(found)
        ]

    def _is_trusted(self) -> bool:
        from sapwood.agent.settings import Settings
        from sapwood.agent.trust import is_trusted

        user = self.options.settings or Settings.load(self.agent_dir, None, False)
        trusted = is_trusted(
            self.agent_dir,
            self.cwd,
            override=self.options.trust,
            default=user.values.default_project_trust,
        )
        if trusted is None:
            self.notices.append(
                "This project's own settings and extensions are left out until it is trusted; "
                "use --approve, or /trust."
            )
        return bool(trusted)

    def _settings(self, trusted: bool) -> Settings:
        from sapwood.agent.settings import Settings

        settings = self.options.settings or Settings.load(self.agent_dir, self.cwd, trusted)
        if self.options.models is None:
            return settings
        return settings.changed("enabledModels", [*self.options.models])

    def _extensions(self, settings: Settings, trusted: bool) -> ExtensionHost:
        from sapwood.agent.extensions import ExtensionHost
        from sapwood.agent.extensions.api import ExtensionError

        paths = [*self.options.extensions]
        if self.options.discover_extensions:
            paths += settings.extension_paths
        host = ExtensionHost.load(
            self.agent_dir,
            self.cwd if trusted else None,
            paths=paths,
            discover=self.options.discover_extensions,
        )
        asked_for = {path.stem for path in self.options.extensions}
        for problem in host.problems:
            if problem.extension in asked_for:  # it may be what keeps the tools in check
                raise ExtensionError(str(problem))
        return host

    def _toolset(self, settings: Settings, extensions: ExtensionHost) -> Toolset:
        from sapwood.agent.tools import BUILTIN_TOOLS, create_tools, default_names, select_tools
        from sapwood.agent.toolset import Toolset

        options = self.options
        known = {tool.name: tool for tool in create_tools(BUILTIN_TOOLS)} | extensions.tools
        own = default_names(settings.values.default_tools, list(known))
        defaults = [*own, *extensions.tools]
        fixed: list[str] | None = None
        if options.no_tools:
            fixed = []
        elif options.tools is not None or options.exclude_tools is not None:
            fixed = select_tools(list(known), defaults, options.tools, options.exclude_tools)
        return Toolset(known, defaults, fixed=fixed)

    def _model(self, catalogue: Catalogue, settings: Settings) -> tuple[Model | None, str]:
        """The model and level to begin with, where flags or settings name them."""
        values, wanted = settings.values, self.options.model
        named_level = default_level = None
        if isinstance(wanted, str):
            choice = catalogue.find(wanted, self.options.provider)
            model: Model | None = choice.model
            named_level = choice.thinking_level
        elif wanted is not None:
            model = wanted
        else:
            default = self._default_choice(catalogue, settings)
            model = default.model if default else None
            default_level = default.thinking_level if default else None
        level = self.options.thinking_level or named_level
        self._level_is_given = level is not None
        if level is None:
            of_model = values.model_thinking_levels.get(model.ref) if model else None
            level = default_level or of_model or values.default_thinking_level or DEFAULT_LEVEL
        return model, level

    def _default_choice(self, catalogue: Catalogue, settings: Settings) -> ModelChoice | None:
        """The default model; where models are enabled by patterns, one of them."""
        from sapwood.models.patterns import ModelChoice, match_models

        default = self._default_model(catalogue, settings)
        patterns = settings.values.enabled_models
        if patterns:
            in_scope = match_models([default] if default else [], patterns)
            in_scope = in_scope or catalogue.match(patterns, self.options.provider)
            if in_scope:
                return in_scope[0]
            self.notices.append(f"No available model fits {', '.join(patterns)}.")
        model = default or catalogue.default(self.options.provider)
        return ModelChoice(model) if model else None

    def _default_model(self, catalogue: Catalogue, settings: Settings) -> Model | None:
        values = settings.values
        provider = values.default_provider
        if not provider or not values.default_model:
            return None
        if self.options.provider not in (None, provider):
            return None
        model = catalogue.get(provider, values.default_model)
        if model is None:
            self.notices.append(
                f"The default model {provider}/{values.default_model} is not known."
            )
        return model
