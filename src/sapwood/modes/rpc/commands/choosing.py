"""Which model answers, and how much it thinks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sapwood.agent import cycling
from sapwood.errors import ModelError
from sapwood.session.shapes import UNSET

if TYPE_CHECKING:
    from sapwood.models.catalogue import Catalogue
    from sapwood.models.model import Model
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import Json, JsonObject


async def set_model(driver: Driver, request: Request) -> Json:
    catalogue = driver.session.catalogue
    model = _named(catalogue, request.text("provider"), request.text("modelId"))
    driver.session.set_model(model)
    return model_object(model)


def _named(catalogue: Catalogue, provider: str, model_id: str) -> Model:
    """The model of exactly this name; a built-in provider may have some that no list knows."""
    if provider in catalogue.configs:
        known = {model.id: model for model in catalogue.provider_models(provider)}
        found = known.get(model_id)
    else:
        found = catalogue.get(provider, model_id)
    if found is None:
        raise ModelError(f"There is no model {provider}/{model_id}.")
    return found


async def cycle_model(driver: Driver, request: Request) -> Json:
    """The next of those to switch between; null when there is no other."""
    session = driver.session
    choice = cycling.next_model(session)
    if choice is None:
        return None
    session.set_model(choice.model, choice.thinking_level)
    return {
        "model": model_object(choice.model),
        "thinkingLevel": session.thinking_level,
        "isScoped": cycling.is_scoped(session),
    }


async def get_available_models(driver: Driver, request: Request) -> Json:
    models = await asyncio.to_thread(driver.session.catalogue.available)
    return {"models": [model_object(model) for model in models]}


async def set_thinking_level(driver: Driver, request: Request) -> Json:
    driver.session.set_thinking_level(request.text("level"))
    return UNSET


async def cycle_thinking_level(driver: Driver, request: Request) -> Json:
    """The next level the model has; null when there is no other."""
    level = cycling.next_level(driver.session)
    if level is None:
        return None
    driver.session.set_thinking_level(level)
    return {"level": level}


async def get_available_thinking_levels(driver: Driver, request: Request) -> Json:
    return {"levels": list(cycling.levels(driver.session))}


def model_object(model: Model) -> JsonObject:
    """A model as the protocol describes it; what is not known is 0 or empty. No keys, no headers.

    Costs are US dollars per million tokens.
    """
    cost = model.cost
    return {
        "id": model.id,
        "name": model.name or model.id,
        "api": model.api,
        "provider": model.provider,
        "baseUrl": model.base_url or "",
        "reasoning": model.reasoning,
        "input": list(model.inputs),
        "cost": {
            "input": cost.input if cost else 0,
            "output": cost.output if cost else 0,
            "cacheRead": cost.cache_read if cost else 0,
            "cacheWrite": cost.cache_write if cost else 0,
        },
        "contextWindow": model.context_window or 0,
        "maxTokens": model.max_output_tokens or 0,
    }
