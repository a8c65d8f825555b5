"""Our messages as pydantic-ai's, for one model.

In: the messages of a `ModelRequest`, valid in the sense of `sapwood.context.pairing`. Out: what the
adapter of that model turns into its wire format. Left to do here is what depends on the model:

* Thinking goes back only to the model that did it, with its signature; other models' is left out.
* Tool call ids are made to fit the provider (`tool_ids`).
* An image for a model without vision becomes a line that says so.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sapwood.models.model import Model
from sapwood.models.tool_ids import ToolCallIds, item_part
from sapwood.session.schema import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserBlock,
)

if TYPE_CHECKING:
    from pydantic_ai import messages as pa

IMAGE_LEFT_OUT = "[An image was left out: this model cannot see images.]"
IMAGE_UNREADABLE = "[An image was left out: its data is not valid.]"


def to_provider_messages(
    model: Model, messages: Iterable[Message], provider_name: str
) -> list[pa.ModelMessage]:
    """The conversation for `model`; `provider_name` is what its adapter calls itself.

    Neighbouring user messages and tool results travel as one request, as strict servers want.
    """
    from pydantic_ai import messages as pa

    ids = ToolCallIds(model)
    history: list[pa.ModelMessage] = []
    pending: list[pa.ModelRequestPart] = []
    for message in messages:
        if message["role"] == "assistant":
            if pending:
                history.append(pa.ModelRequest(parts=pending))
                pending = []
            if parts := _assistant_parts(model, message, ids, provider_name):
                history.append(pa.ModelResponse(parts=parts, provider_name=provider_name))
        elif message["role"] == "toolResult":
            pending.append(_tool_result(model, message, ids))
        elif message["role"] == "user":
            pending.append(_user_prompt(model, message["content"]))
    if pending:
        history.append(pa.ModelRequest(parts=pending))
    return history


def _user_prompt(model: Model, content: str | list[UserBlock]) -> pa.UserPromptPart:
    from pydantic_ai import messages as pa

    return pa.UserPromptPart(content=_content(model, content))


def _tool_result(
    model: Model, message: ToolResultMessage, ids: ToolCallIds
) -> pa.ToolReturnPart[Any]:
    from pydantic_ai import messages as pa

    return pa.ToolReturnPart(
        tool_name=message["toolName"],
        content=_content(model, message["content"]),
        tool_call_id=ids.for_result(message["toolCallId"]),
        outcome="failed" if message.get("isError") else "success",
    )


def _content(
    model: Model, content: str | Sequence[UserBlock]
) -> str | list[str | pa.BinaryContent]:
    """One text, or texts and images in their order."""
    if isinstance(content, str):
        return content
    items = [
        _image(model, block) if block["type"] == "image" else block["text"] for block in content
    ]
    texts = [item for item in items if isinstance(item, str)]
    return "\n".join(texts) if len(texts) == len(items) else items


def _image(model: Model, block: ImageBlock) -> str | pa.BinaryContent:
    from pydantic_ai import messages as pa

    if not model.sees_images:
        return IMAGE_LEFT_OUT
    try:
        data = base64.b64decode(block["data"], validate=True)
    except (binascii.Error, ValueError):
        return IMAGE_UNREADABLE
    return pa.BinaryContent(data=data, media_type=block["mimeType"])


def _assistant_parts(
    model: Model, message: AssistantMessage, ids: ToolCallIds, provider_name: str
) -> list[pa.ModelResponsePart]:
    own = is_own(model, message)
    parts: list[pa.ModelResponsePart] = []
    for block in message["content"]:
        if block["type"] == "thinking":
            if own and (thinking := _thinking(model, block, provider_name)):
                parts.append(thinking)
        elif block["type"] == "text":
            parts.append(_text(model, block, provider_name, own))
        else:
            parts.append(_tool_call(model, block, ids, provider_name, own))
    return parts


def is_own(model: Model, message: AssistantMessage) -> bool:
    """Whether `model` itself wrote `message`, so that its signatures mean something to it."""
    return (message.get("provider"), message.get("api"), message.get("model")) == (
        model.provider,
        model.api,
        model.id,
    )


def _thinking(model: Model, block: ThinkingBlock, provider_name: str) -> pa.ThinkingPart | None:
    """A thinking block for the model that wrote it; None if it cannot be replayed."""
    from pydantic_ai import messages as pa

    text, signature = block["thinking"], block.get("thinkingSignature") or None
    if model.api == "openai-completions":
        # There the "signature" is the name of the field that held the reasoning.
        return pa.ThinkingPart(text, id=signature, provider_name=provider_name) if text else None
    if signature is None:
        return None
    if model.api == "openai-responses":
        return _reasoning_item(signature, provider_name)
    if block.get("redacted"):
        return pa.ThinkingPart(
            "", id="redacted_thinking", signature=signature, provider_name=provider_name
        )
    return pa.ThinkingPart(text, signature=signature, provider_name=provider_name)


def _reasoning_item(signature: str, provider_name: str) -> pa.ThinkingPart | None:
    """The Responses API's reasoning item, kept whole as JSON in the signature."""
    from pydantic_ai import messages as pa

    try:
        item = json.loads(signature)
        summary = "".join(str(part["text"]) for part in item.get("summary") or [])
        return pa.ThinkingPart(
            summary,
            id=item["id"],
            signature=item.get("encrypted_content") or None,
            provider_name=provider_name,
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _text(model: Model, block: TextBlock, provider_name: str, own: bool) -> pa.TextPart:
    from pydantic_ai import messages as pa

    signature = block.get("textSignature") if own else None
    part = pa.TextPart(block["text"])
    if signature and model.api == "google-generative-ai":
        part.provider_name = provider_name
        part.provider_details = {"thought_signature": signature}
    elif signature and model.api == "openai-responses":
        part.id, part.provider_name = _item_id(signature), provider_name
    return part


def _item_id(signature: str) -> str | None:
    """The id of a Responses message item: the signature itself, or inside it as JSON."""
    if not signature.startswith("{"):
        return signature
    try:
        item_id = json.loads(signature).get("id")
    except ValueError:
        return None
    return item_id if isinstance(item_id, str) else None


def _tool_call(
    model: Model, block: ToolCallBlock, ids: ToolCallIds, provider_name: str, own: bool
) -> pa.ToolCallPart:
    from pydantic_ai import messages as pa

    part = pa.ToolCallPart(
        tool_name=block["name"],
        args=block["arguments"],
        tool_call_id=ids.for_call(block["id"]),
    )
    if not own:
        return part
    if model.api == "openai-responses" and (item_id := item_part(block["id"])):
        part.id, part.provider_name = item_id, provider_name
    signature = block.get("thoughtSignature")
    if signature and model.api == "google-generative-ai":
        part.provider_name = provider_name
        part.provider_details = {"thought_signature": signature}
    return part
