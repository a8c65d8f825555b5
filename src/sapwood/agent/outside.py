"""One question to a model outside the conversation, as extensions ask it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sapwood.agent.conversation import now_ms
from sapwood.context.request import ModelRequest
from sapwood.errors import ModelError
from sapwood.models.stream import stream
from sapwood.models.usage import no_usage

if TYPE_CHECKING:
    from sapwood.agent.conversation import Conversation
    from sapwood.models.failures import Failure
    from sapwood.models.model import Model
    from sapwood.session.schema import AssistantMessage, Usage, UserMessage


LONGEST_TOKEN = 12
"""Characters that a token has at most, on the average of a text."""


@dataclass(frozen=True, slots=True)
class OutsideCompletion:
    """``error`` is one line, None when ``text`` is a whole answer."""

    text: str
    usage: Usage | None = None
    error: str | None = None


async def ask_once(
    conversation: Conversation,
    model: Model,
    prompt: str,
    *,
    system_prompt: str,
    level: str,
    max_tokens: int,
) -> tuple[AssistantMessage, Failure | None]:
    """One request without tools; raises `ModelError` when there is no key for the model.

    A model that goes on far beyond `max_tokens`, which its server should not let it, is cut off.
    """
    user: UserMessage = {"role": "user", "content": prompt, "timestamp": now_ms()}
    options = conversation.stream_options(model, level=level, max_tokens=max_tokens)
    answer = stream(model, ModelRequest(system_prompt, [], [user], []), options)
    room = max_tokens * LONGEST_TOKEN
    try:
        async for event in answer:
            room -= len(event.get("delta", ""))
            if room < 0:
                return _cut_off(model), None
            if event["type"] in ("done", "error"):
                return event["message"], event.get("failure")
    finally:
        await answer.aclose()
    raise RuntimeError("the model's stream ended without a result")


def _cut_off(model: Model) -> AssistantMessage:
    return {
        "role": "assistant",
        "content": [],
        "api": model.api,
        "provider": model.provider,
        "model": model.id,
        "usage": no_usage(),
        "stopReason": "length",
        "timestamp": now_ms(),
    }


async def complete_outside(
    conversation: Conversation, prompt: str, system_prompt: str, name: str | None, max_tokens: int
) -> OutsideCompletion:
    """Ask the model called `name`, None = the session's. Failures are in ``error``."""
    try:
        model = conversation.catalogue.find(name).model if name else conversation.model
        if model is None:
            raise ModelError("No model is set.")
        message, failure = await ask_once(
            conversation,
            conversation.model_in_force(model),
            prompt,
            system_prompt=system_prompt,
            level="off",
            max_tokens=max_tokens,
        )
    except ModelError as error:
        return OutsideCompletion("", error=str(error))
    error_text = failure.message if failure else None
    return OutsideCompletion(answer_text(message), message["usage"], error_text)


def answer_text(message: AssistantMessage) -> str:
    return "".join(block["text"] for block in message["content"] if block["type"] == "text")
