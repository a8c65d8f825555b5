"""Naming a model: exactly, by a part of its name, by a glob; with a thinking level behind a colon.

The order for one name: exactly as written (ids may hold slashes and colons), then without a
``:level`` at its end, then a part of an available model's id or name. Of several that a part fits,
an alias is preferred to a dated version, and the latest of each.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sapwood.errors import ModelError
from sapwood.models.model import Model
from sapwood.models.scripted import SCRIPTED
from sapwood.models.thinking import ThinkingLevel, is_level

if TYPE_CHECKING:
    from sapwood.models.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model, and the thinking level that was named with it, if any."""

    model: Model
    thinking_level: ThinkingLevel | None = None


def split_level(pattern: str) -> tuple[str, ThinkingLevel | None]:
    """``name:high`` → (``name``, ``high``); a colon before anything else belongs to the name."""
    name, colon, level = pattern.rpartition(":")
    if colon and name and is_level(level):
        return name, level  # type: ignore[return-value]
    return pattern, None


def find_model(catalogue: Catalogue, pattern: str, provider: str | None = None) -> ModelChoice:
    """The model that `pattern` means, within `provider` if given. Raises `ModelError`."""
    pattern = pattern.strip()
    if not pattern:
        raise ModelError("No model is named; give one as provider/id")
    name, level = split_level(pattern)
    for candidate, its_level in ((pattern, None), (name, level)):
        if model := _stated(catalogue, candidate, provider):
            return ModelChoice(model, its_level)
    for candidate, its_level in ((pattern, None), (name, level)):
        if model := _by_part(catalogue, candidate, provider):
            return ModelChoice(model, its_level)
    if model := _at_its_word(catalogue, name, provider):
        return ModelChoice(model, level)
    raise ModelError(_nothing_fits(catalogue, pattern))


def _stated(catalogue: Catalogue, name: str, provider: str | None) -> Model | None:
    """A model that a list holds under exactly this name."""
    scope, model_id = _split_provider(catalogue, name, provider)
    if scope == SCRIPTED:
        return catalogue.get(scope, model_id)
    wanted = model_id.casefold()
    providers = [scope] if scope else _ready_first(catalogue)
    for each in providers:
        for model in catalogue.provider_models(each):
            if model.id.casefold() == wanted:
                return model
    return None


def _by_part(catalogue: Catalogue, name: str, provider: str | None) -> Model | None:
    """The best of the models that have `name` as a part."""
    scope, part = _split_provider(catalogue, name, provider)
    pool = catalogue.provider_models(scope) if scope else catalogue.available()
    wanted = part.casefold()
    fitting = [m for m in pool if wanted in m.id.casefold() or wanted in m.name.casefold()]
    return max(fitting, key=_preference) if fitting else None


_DATED = re.compile(r"\d{4}-?\d{2}-?\d{2}$|-\d{3,4}$")


def _preference(model: Model) -> tuple[bool, list[tuple[int, str]]]:
    numbers = [
        (int(piece), "") if piece.isdigit() else (-1, piece)
        for piece in re.split(r"(\d+)", model.id)
    ]
    return not _DATED.search(model.id), numbers


def _at_its_word(catalogue: Catalogue, name: str, provider: str | None) -> Model | None:
    """An id that no list knows, of a provider that was named with it."""
    scope, model_id = _split_provider(catalogue, name, provider)
    return catalogue.get(scope, model_id) if scope and model_id else None


def _split_provider(
    catalogue: Catalogue, name: str, provider: str | None
) -> tuple[str | None, str]:
    """The provider that `name` begins with, and the rest; ids may hold slashes of their own."""
    known = _known_providers(catalogue)
    if provider is not None:
        scope = provider_called(catalogue, provider)
        prefix = f"{scope}/".casefold()
        return scope, name[len(prefix) :] if name.casefold().startswith(prefix) else name
    head, slash, rest = name.partition("/")
    if slash and head.casefold() in known:
        return known[head.casefold()], rest
    return None, name


def provider_called(catalogue: Catalogue, name: str) -> str:
    """The provider's name as it is written; raises `ModelError` if there is none."""
    known = _known_providers(catalogue)
    if name.casefold() not in known:
        raise ModelError(f"No provider is called {name}; known: {', '.join(known.values())}")
    return known[name.casefold()]


def _known_providers(catalogue: Catalogue) -> dict[str, str]:
    return {each.casefold(): each for each in [*catalogue.provider_ids, SCRIPTED]}


def _ready_first(catalogue: Catalogue) -> list[str]:
    """Providers with a key before those without, so that a bare id means what can be used."""
    return sorted(catalogue.provider_ids, key=lambda each: not catalogue.has_key(each))


def _nothing_fits(catalogue: Catalogue, pattern: str) -> str:
    names = [model.ref for model in catalogue.available()]
    close = difflib.get_close_matches(pattern, names, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(close)}?" if close else "; see --list-models"
    return f"No model fits “{pattern}”{hint}"


def match_models(pool: list[Model], patterns: list[str]) -> list[ModelChoice]:
    """The models of `pool` that `patterns` fit, each once, in the order of the patterns.

    A pattern with ``*``, ``?`` or ``[`` is a glob over ``provider/id`` and id; any other is a part
    of either. A ``:level`` behind it goes with each model.
    """
    chosen: dict[str, ModelChoice] = {}
    for pattern in patterns:
        name, level = split_level(pattern.strip())
        for model in pool:
            if name and model.ref not in chosen and _fits(model, name.casefold()):
                chosen[model.ref] = ModelChoice(model, level)
    return list(chosen.values())


def _fits(model: Model, name: str) -> bool:
    ref, model_id = model.ref.casefold(), model.id.casefold()
    if any(sign in name for sign in "*?["):
        return fnmatch.fnmatchcase(ref, name) or fnmatch.fnmatchcase(model_id, name)
    return name in ref
