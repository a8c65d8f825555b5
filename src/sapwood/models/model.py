"""What a model is: the facts that decide how it is asked and what a request costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Api: TypeAlias = Literal[
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
    "scripted",
]
"""The wire format a provider speaks."""

APIS: tuple[str, ...] = get_args(Api)


@dataclass(frozen=True, slots=True)
class ModelCost:
    """US dollars per million tokens, as ``models.json`` states them."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0


@dataclass(frozen=True, slots=True)
class Model:
    """One model of one provider.

    ``context_window`` and ``max_output_tokens`` are tokens; None means unknown, and an unknown
    window is learnt from the first overflow message. ``cost`` None means: look the price up in
    genai-prices. ``base_url`` is the path of the script for the api ``scripted``. ``compat`` holds
    the quirks that ``models.json`` declares for servers that are only nearly compatible.
    """

    provider: str
    id: str
    api: Api
    name: str = ""
    base_url: str | None = None
    context_window: int | None = None
    max_output_tokens: int | None = None
    reasoning: bool = False
    inputs: tuple[str, ...] = ("text",)
    cost: ModelCost | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    compat: Mapping[str, object] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """``provider/id``, the form that names this model anywhere."""
        return f"{self.provider}/{self.id}"

    @property
    def sees_images(self) -> bool:
        return "image" in self.inputs
