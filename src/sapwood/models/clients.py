"""The adapter of pydantic-ai that speaks to a model, with its HTTP connections.

Connections are kept per event loop and used again, so that a turn costs no new handshake. The SDK
of a provider is an extra of ours; a missing one is named with the command that installs it.
"""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.util
import logging
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sapwood.errors import ModelError
from sapwood.models.model import Api, Model
from sapwood.session.garbage import collection_paused

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from pydantic_ai.models import Model as Adapter

_EXTRAS: dict[Api, tuple[str, str]] = {
    "anthropic-messages": ("anthropic", "anthropic"),
    "openai-completions": ("openai", "openai"),
    "openai-responses": ("openai", "openai"),
    "google-generative-ai": ("google.genai", "google"),
}
"""The module that each wire format needs, and the extra that brings it."""

_ADAPTERS: dict[Api, str] = {
    "anthropic-messages": "pydantic_ai.models.anthropic",
    "openai-completions": "pydantic_ai.models.openai",
    "openai-responses": "pydantic_ai.models.openai",
    "google-generative-ai": "pydantic_ai.models.google",
}

NO_KEY = "none"
"""Sent by clients that insist on a key to servers that ask for none."""

_adapters: WeakKeyDictionary[AbstractEventLoop, dict[tuple[object, ...], Adapter[Any]]] = (
    WeakKeyDictionary()
)


def require_extra(model: Model) -> None:
    """Raises `ModelError`, with the command to install it, if the model's SDK is missing."""
    needed = _EXTRAS.get(model.api)
    if needed is None:
        return
    module, extra = needed
    try:
        found = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        raise ModelError(
            f"{model.ref} needs the {extra} client, which is not installed: "
            f"pip install 'sapwood[{extra}]'"
        )


def preload(model: Model) -> None:
    """Import what `stream` needs for `model` (1-3 s). Blocking: call it in a thread, early."""
    if model.api == "scripted":
        return
    require_extra(model)
    # httpx brings rich for a command of its own, and does without it if that is not there.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    with collection_paused():
        importlib.import_module("pydantic_ai.direct")
        importlib.import_module(_ADAPTERS[model.api])
    gc.freeze()  # a thousand modules: not worth a look again, and least of all at the exit


def adapter_for(model: Model, api_key: str | None) -> Adapter[Any]:
    """The adapter for `model` in the running event loop; made once, then kept."""
    import asyncio

    kept = _adapters.setdefault(asyncio.get_running_loop(), {})
    identity = (model.api, model.provider, model.base_url, model.id, api_key, model.reasoning)
    if identity not in kept:
        _keep_developers_warnings_off_the_screen()
        kept[identity] = _make_adapter(model, api_key or NO_KEY)
    return kept[identity]


@functools.cache
def _keep_developers_warnings_off_the_screen() -> None:
    """Libraries advise their users' programmers; the person at the terminal is not one of them."""
    for name in ("google_genai", "openai", "anthropic"):
        logging.getLogger(name).addHandler(logging.NullHandler())


async def close_connections() -> None:
    """Close the connections that the running event loop keeps."""
    import asyncio

    adapters = _adapters.pop(asyncio.get_running_loop(), {})
    for adapter in adapters.values():
        close = getattr(getattr(adapter, "client", None), "close", None)
        result = close() if callable(close) else None
        if asyncio.iscoroutine(result):
            await result


def _make_adapter(model: Model, api_key: str) -> Adapter[Any]:
    if model.api == "anthropic-messages":
        return _anthropic(model, api_key)
    if model.api == "google-generative-ai":
        return _google(model, api_key)
    return _openai(model, api_key)


def _anthropic(model: Model, api_key: str) -> Adapter[Any]:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(api_key=api_key, base_url=model.base_url, max_retries=0)
    _send_as_it_is(client.beta.messages, "messages")
    return AnthropicModel(model.id, provider=AnthropicProvider(anthropic_client=client))


def _send_as_it_is(resource: Any, field: str) -> None:
    """Let the history, ``field`` of a request, go into the body as pydantic-ai wrote it.

    The SDKs look through all of it for fields to rename and files to read, of which it has none.
    That takes a second for 10 MB, in which a terminal hears no key.
    """
    create = resource.create

    @functools.wraps(create)
    async def create_unread(**arguments: Any) -> Any:
        body = {**(arguments.get("extra_body") or {}), field: arguments[field]}
        return await create(**{**arguments, field: [], "extra_body": body})

    resource.create = create_unread


def _google(model: Model, api_key: str) -> Adapter[Any]:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=api_key, base_url=model.base_url)
    return GoogleModel(model.id, provider=provider)


def _openai(model: Model, api_key: str) -> Adapter[Any]:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = AsyncOpenAI(api_key=api_key, base_url=model.base_url, max_retries=0)
    _send_as_it_is(client.chat.completions, "messages")
    _send_as_it_is(client.responses, "input")
    provider: Provider[AsyncOpenAI]
    if model.provider == "openai":
        provider = OpenAIProvider(openai_client=client)
    else:
        provider = OpenAICompatibleProvider(model.provider, openai_client=client)
    if model.api == "openai-responses":
        return OpenAIResponsesModel(model.id, provider=provider)
    quirks = OpenAIModelProfile(
        # A stream that just stops was cut: an answer without its end must not look finished.
        openai_chat_streaming_requires_finish_reason=True,
        # Most compatible servers know only the older name of the output limit.
        openai_chat_supports_max_completion_tokens=(
            model.compat.get("maxTokensField", _default_max_tokens_field(model))
            == "max_completion_tokens"
        ),
    )
    return OpenAIChatModel(model.id, provider=provider, profile=quirks)


def _default_max_tokens_field(model: Model) -> str:
    return "max_completion_tokens" if model.provider == "openai" else "max_tokens"
