"""All models that can be asked: the built-in providers, ``models.json``, and the keys for them.

The lists of built-in models come from genai-prices and are read when first needed (0.2 s); a model
named exactly needs at most its window from there. Models stated in ``models.json`` need nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sapwood.errors import ModelError
from sapwood.models.auth import AuthStore, fit_to_send, needs_a_command, resolve_value
from sapwood.models.families import is_for_chat
from sapwood.models.model import Model
from sapwood.models.models_json import (
    ProviderConfig,
    load_models_json,
    overridden,
    preset_model,
)
from sapwood.models.patterns import ModelChoice, find_model, match_models, provider_called
from sapwood.models.presets import PRESETS
from sapwood.models.scripted import SCRIPTED, scripted_model


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What is known of models. Cheap to make; ``problems`` says what is wrong with
    ``models.json`` and ``auth.json``."""

    agent_dir: Path
    configs: Mapping[str, ProviderConfig]
    problems: tuple[str, ...]
    auth: AuthStore
    environ: Mapping[str, str]

    @classmethod
    def load(cls, agent_dir: Path, environ: Mapping[str, str] | None = None) -> Catalogue:
        """Read ``models.json`` of `agent_dir`; `environ` defaults to the process's environment."""
        configs, problems = load_models_json(agent_dir / "models.json")
        auth = AuthStore(agent_dir / "auth.json")
        if complaint := auth.problem():
            problems.append(complaint)
        return cls(
            agent_dir,
            configs,
            tuple(problems),
            auth,
            os.environ if environ is None else environ,
        )

    @property
    def provider_ids(self) -> list[str]:
        """Providers of ``models.json`` first, then the built-in ones."""
        return list(dict.fromkeys([*self.configs, *PRESETS]))

    def get(self, provider: str, model_id: str) -> Model | None:
        """The model named exactly, as a session records it; None if the provider is unknown.

        A known provider may have models that no list knows yet: its id is taken at its word.
        """
        if provider == SCRIPTED:
            return scripted_model(model_id)
        config = self.configs.get(provider)
        for model in config.models if config else ():
            if model.id == model_id:
                return model
        preset = PRESETS.get(provider)
        if preset is not None:
            return overridden(
                preset_model(provider, model_id, self._window(provider, model_id)), config
            )
        if config is not None and config.models:
            return replace(config.models[0], id=model_id, name=model_id, context_window=None)
        return None

    def _window(self, provider: str, model_id: str) -> int | None:
        prices_id = PRESETS[provider].prices_id
        if prices_id is None:
            return None
        from sapwood.models.prices import known_window

        return known_window(prices_id, model_id)

    def provider_models(self, provider: str) -> list[Model]:
        """The models known of one provider, stated ones first."""
        config, preset = self.configs.get(provider), PRESETS.get(provider)
        models = {model.id: model for model in (config.models if config else ())}
        if preset is not None and preset.prices_id is not None:
            from sapwood.models.prices import known_models

            for info in known_models(preset.prices_id):
                listed = is_for_chat(info.id) and info.id.startswith(preset.family or "")
                if listed and info.id not in models:
                    built_in = preset_model(provider, info.id, info.context_window)
                    models[info.id] = overridden(built_in, config)
        return list(models.values())

    def models(self) -> list[Model]:
        """Every model known."""
        return [m for provider in self.provider_ids for m in self.provider_models(provider)]

    def available(self) -> list[Model]:
        """The models whose provider has a key, or needs none."""
        ready = [provider for provider in self.provider_ids if self.has_key(provider)]
        return [model for provider in ready for model in self.provider_models(provider)]

    def search(self, text: str = "") -> list[Model]:
        """Available models whose ``provider/id`` or name holds every word of `text`."""
        words = text.casefold().split()
        return [
            model
            for model in self.available()
            if all(word in f"{model.ref} {model.name}".casefold() for word in words)
        ]

    def find(self, pattern: str, provider: str | None = None) -> ModelChoice:
        """The model that `pattern` (``[provider/]id[:thinking]``) means; see `patterns`.

        Raises `ModelError` if nothing fits.
        """
        return find_model(self, pattern, provider)

    def match(self, patterns: list[str], provider: str | None = None) -> list[ModelChoice]:
        """The available models, of `provider` if given, that any of `patterns` (globs or names)
        fits, in pattern order."""
        available = self.available()
        pool = [model for model in available if provider in (None, model.provider)]
        return match_models(pool, patterns)

    def default(self, provider: str | None = None) -> Model | None:
        """The model to begin with when nothing says which: that of `provider`, or of the first
        provider with a key. Raises `ModelError` if there is no such provider."""
        if provider is not None:
            return self._default_of(provider_called(self, provider))
        ready = (each for each in self.provider_ids if self.has_key(each))
        return next(filter(None, map(self._default_of, ready)), None)

    def _default_of(self, provider: str) -> Model | None:
        config, preset = self.configs.get(provider), PRESETS.get(provider)
        if config is not None and config.models:
            return config.models[0]
        if preset is not None and preset.default_model is not None:
            return self.get(provider, preset.default_model)
        return None

    def has_key(self, provider: str) -> bool:
        """Whether a key is stated for `provider`, or none is needed. Runs no command.

        A local server counts only when ``models.json`` mentions it: that nothing listens there is
        not known before asking.
        """
        config, preset = self.configs.get(provider), PRESETS.get(provider)
        if provider == SCRIPTED or (config is not None and config.models and preset is None):
            return True
        if config is not None and (config.key or (preset is not None and preset.local)):
            return True
        if self.auth.saved(provider) is not None:
            return True
        return preset is not None and any(self.environ.get(name) for name in preset.env)

    def key_for(self, model: Model, given: str | None = None) -> str | None:
        """The key to ask `model` with; `given` (``--api-key``) comes first. None: none is needed.

        Raises `ModelError` that says how to get going when a key is needed and none is found, and
        for a key that cannot be sent.
        """
        key = given or self._found_key(model)
        return fit_to_send(key, f"The key of {model.provider}") if key else None

    def key_takes_long(self, model: Model) -> bool:
        """Whether `key_for` would run a command first."""
        config = self.configs.get(model.provider)
        stated = config.key if config is not None and config.key else None
        return needs_a_command(stated or self.auth.saved(model.provider) or "")

    def _found_key(self, model: Model) -> str | None:
        provider, what = model.provider, f"The key of {model.provider}"
        config, preset = self.configs.get(provider), PRESETS.get(provider)
        if config is not None and config.key:
            return resolve_value(config.key, self.environ, what)
        if saved := self.auth.saved(provider):
            return resolve_value(saved, self.environ, what)
        for name in preset.env if preset else ():
            if value := self.environ.get(name, "").strip():
                return value
        if preset is None or preset.local:
            return None
        raise ModelError(
            f"No key for {preset.name}: set {preset.env[0]}, use --api-key, "
            f"or save one with /login {provider}"
        )
