"""``models.json``: providers and models of one's own, and corrections to the built-in ones.

What is wrong in the file is said in one line each and skipped; the rest counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from sapwood.models.families import traits_of
from sapwood.models.model import APIS, Api, Model, ModelCost
from sapwood.models.presets import PRESETS

DEFAULT_MAX_OUTPUT = 16384
"""Output tokens of a listed model that states no ``maxTokens``."""


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """One provider as the file states it. ``key`` is unresolved; ``overrides`` are by model id."""

    id: str
    api: Api | None = None
    base_url: str | None = None
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    compat: Mapping[str, object] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    overrides: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


def load_models_json(path: Path) -> tuple[dict[str, ProviderConfig], list[str]]:
    """The providers in the file, and one line for each thing that is wrong with it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"{path}: cannot be read: {error.strerror}"]
    except (ValueError, RecursionError) as error:
        return {}, [f"{path}: not valid JSON: {error}"]
    providers = content.get("providers") if isinstance(content, dict) else None
    if not isinstance(providers, dict):
        return {}, [f'{path}: must be {{"providers": {{…}}}}']
    problems: list[str] = []
    configs: dict[str, ProviderConfig] = {}
    for provider_id, raw in providers.items():
        reader = _Reader(f"{path}: providers.{provider_id}", problems)
        if config := _provider(provider_id, raw, reader, path.parent):
            configs[provider_id] = config
    return configs, problems


class _Reader:
    """Takes typed values out of parsed JSON and says what is wrong with them."""

    def __init__(self, where: str, problems: list[str]) -> None:
        self.where = where
        self.problems = problems

    def below(self, name: str) -> _Reader:
        return _Reader(f"{self.where}.{name}", self.problems)

    def complain(self, what: str) -> None:
        self.problems.append(f"{self.where}{what}")

    def take(self, raw: Mapping[str, Any], key: str, fits: Callable[[Any], bool], kind: str) -> Any:
        """``raw[key]`` if it fits, None if it is missing or (with a complaint) of another kind."""
        value = raw.get(key)
        if value is None or fits(value):
            return value
        self.complain(f".{key}: must be {kind}")
        return None

    def text(self, raw: Mapping[str, Any], key: str) -> str | None:
        return cast("str | None", self.take(raw, key, _is_text, "a text"))

    def tokens(self, raw: Mapping[str, Any], key: str) -> int | None:
        return cast("int | None", self.take(raw, key, _is_count, "a whole number above 0"))

    def table(self, raw: Mapping[str, Any], key: str) -> dict[str, Any]:
        return self.take(raw, key, lambda v: isinstance(v, dict), "an object") or {}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _provider(
    provider_id: str, raw: object, reader: _Reader, folder: Path
) -> ProviderConfig | None:
    if not isinstance(raw, dict):
        reader.complain(": must be an object")
        return None
    api = reader.take(raw, "api", lambda v: v in APIS, f"one of {', '.join(APIS)}")
    headers = {k: v for k, v in reader.table(raw, "headers").items() if isinstance(v, str)}
    config = ProviderConfig(
        id=provider_id,
        api=api,
        base_url=reader.text(raw, "baseUrl"),
        key=reader.text(raw, "apiKey"),
        headers=headers,
        compat=reader.table(raw, "compat"),
        overrides={
            model_id: override
            for model_id, override in reader.table(raw, "modelOverrides").items()
            if isinstance(override, dict)
        },
    )
    if config.api == "scripted" and config.base_url:
        config = replace(config, base_url=str(folder / Path(config.base_url).expanduser()))
    return replace(config, models=tuple(_models(config, raw, reader)))


def _models(config: ProviderConfig, raw: Mapping[str, Any], reader: _Reader) -> list[Model]:
    entries = reader.take(raw, "models", lambda v: isinstance(v, list), "a list") or []
    models = []
    for position, entry in enumerate(entries):
        place = reader.below(f"models[{position}]")
        if not isinstance(entry, dict) or not _is_text(entry.get("id")):
            place.complain(": must be an object with an id")
        elif model := _model(config, entry, place):
            models.append(model)
    return models


def _model(config: ProviderConfig, raw: Mapping[str, Any], reader: _Reader) -> Model | None:
    preset = PRESETS.get(config.id)
    own_api = reader.take(raw, "api", lambda v: v in APIS, f"one of {', '.join(APIS)}")
    api = own_api or config.api or (preset.api if preset else None)
    base_url = (
        reader.text(raw, "baseUrl") or config.base_url or (preset.base_url if preset else None)
    )
    if api is None:
        reader.complain(": no api is stated, here or for the provider")
        return None
    if base_url is None:
        reader.complain(": no baseUrl is stated, here or for the provider")
        return None
    plain = Model(
        provider=config.id,
        id=raw["id"],
        api=api,
        name=raw["id"],
        base_url=base_url,
        max_output_tokens=DEFAULT_MAX_OUTPUT,
        headers=config.headers,
        compat=config.compat,
    )
    return with_fields(plain, raw, reader)


def with_fields(model: Model, raw: Mapping[str, Any], reader: _Reader) -> Model:
    """`model` with the fields that `raw` states in the spelling of ``models.json``."""
    changes: dict[str, Any] = {
        "name": reader.text(raw, "name"),
        "context_window": reader.tokens(raw, "contextWindow"),
        "max_output_tokens": reader.tokens(raw, "maxTokens"),
        "reasoning": reader.take(raw, "reasoning", lambda v: isinstance(v, bool), "true or false"),
        "cost": _cost(raw, reader),
    }
    inputs = reader.take(raw, "input", lambda v: isinstance(v, list), "a list")
    if inputs is not None:
        changes["inputs"] = tuple(str(item) for item in inputs)
    for name in ("headers", "compat"):
        if extra := reader.table(raw, name):
            changes[name] = {**getattr(model, name), **extra}
    return replace(model, **{name: value for name, value in changes.items() if value is not None})


def _cost(raw: Mapping[str, Any], reader: _Reader) -> ModelCost | None:
    table = reader.table(raw, "cost")
    if not table:
        return None
    below = reader.below("cost")
    prices = {
        ours: below.take(table, theirs, _is_price, "a price per million tokens") or 0.0
        for ours, theirs in (
            ("input", "input"),
            ("output", "output"),
            ("cache_read", "cacheRead"),
            ("cache_write", "cacheWrite"),
        )
    }
    return ModelCost(**prices)


def overridden(model: Model, config: ProviderConfig | None) -> Model:
    """A built-in `model` with what the file says about its provider and about itself."""
    if config is None:
        return model
    changes: dict[str, Any] = {"headers": {**model.headers, **config.headers}}
    if config.base_url:
        changes["base_url"] = config.base_url
    if config.api:
        changes["api"] = config.api
    if config.compat:
        changes["compat"] = {**model.compat, **config.compat}
    model = replace(model, **changes)
    override = config.overrides.get(model.id)
    return with_fields(model, override, _Reader("", [])) if override else model


def preset_model(provider: str, model_id: str, context_window: int | None = None) -> Model:
    """A model of a built-in provider, with what its name tells."""
    preset, traits = PRESETS[provider], traits_of(model_id)
    return Model(
        provider=provider,
        id=model_id,
        api=preset.api,
        name=model_id,
        base_url=preset.base_url,
        context_window=context_window,
        max_output_tokens=traits.max_output_tokens,
        reasoning=traits.reasoning,
        inputs=("text", "image") if traits.images else ("text",),
    )
