"""What a model is sent: the one way to make a request of a projection."""

from __future__ import annotations

from dataclasses import dataclass, field

from sapwood.context.convert import to_model_messages
from sapwood.context.disown import disown_changed
from sapwood.context.pairing import pair
from sapwood.context.projection import Projected, Projection
from sapwood.session.replay import replay_prompt
from sapwood.session.schema import Message, SystemMessage, ToolSpec


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request in our own shape; `sapwood.models` turns it into a provider's.

    ``messages`` are by user, assistant and tool only, valid in the sense of `pairing.pair`;
    ``items`` are the same with the entries they come from.
    """

    system_prompt: str
    tools: list[ToolSpec]
    messages: list[Message]
    items: list[Projected] = field(default_factory=list)


def build_request(projection: Projection) -> ModelRequest:
    """The request for a projection: prompt and tools replayed, messages converted and paired.

    A compaction that stored no prompt does not lose it: the one in force before it goes on.
    """
    messages = projection.messages
    inherited = projection.inherited_prompt
    if inherited is not None:
        messages = [inherited, *messages]
    prompt = replay_prompt(messages)
    items = pair(to_model_messages(disown_changed(projection)))
    return ModelRequest(
        system_prompt=prompt_text(prompt),
        tools=list(prompt.get("toolsAdded", [])) if prompt is not None else [],
        messages=[item.message for item in items],
        items=items,
    )


def prompt_text(prompt: SystemMessage | None) -> str:
    """A replayed prompt as one text: its content, then its sections, with blank lines between."""
    if prompt is None:
        return ""
    content = prompt["content"]
    texts = [content if isinstance(content, str) else "", *prompt.get("sections", {}).values()]
    return "\n\n".join(text for text in texts if text)
