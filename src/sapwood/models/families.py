"""What a model's name tells about it: thinking, images, output limit.

A table of families, first match wins. It fills what neither ``models.json`` nor genai-prices says;
where it is wrong, ``modelOverrides`` in ``models.json`` has the last word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """``max_output_tokens`` None: unknown, none is sent where the wire format allows that."""

    reasoning: bool = False
    images: bool = False
    max_output_tokens: int | None = None


_FAMILIES: list[tuple[re.Pattern[str], Traits]] = [
    (re.compile(pattern, re.IGNORECASE), traits)
    for pattern, traits in (
        (r"claude-3-haiku|claude-3-(opus|sonnet)|claude-2", Traits(False, True, 4096)),
        (r"claude-3[.-]5", Traits(False, True, 8192)),
        (r"claude-opus-4[.-][01]|claude-4-opus", Traits(True, True, 32000)),
        (r"claude", Traits(True, True, 64000)),
        (r"gpt-4o", Traits(False, True, 16384)),
        (r"gpt-4\.1", Traits(False, True, 32768)),
        (r"gpt-oss", Traits(True, False, 32768)),
        (r"gpt-(5|6)|codex", Traits(True, True, 128000)),
        (r"(^|/)o[134](-|$)", Traits(True, True, 100000)),
        (r"gemini-(1|2\.0)", Traits(False, True, 8192)),
        (r"gemini", Traits(True, True, 65536)),
        (r"gemma-[34]", Traits(False, True, 8192)),
        (r"grok-(code|[4-9])", Traits(True, True)),
        (r"minimax-m|kimi-k2-thinking|glm-(4\.[5-9]|[5-9])", Traits(True)),
        (r"deepseek-(reasoner|r1|v3\.[1-9]|v[4-9])|qwq|qwen3|magistral", Traits(True)),
        (r"pixtral|vision|-vl\b|llava|mistral-(medium|small)", Traits(False, True)),
    )
]


def traits_of(model_id: str) -> Traits:
    """What the family of `model_id` is known for."""
    for pattern, traits in _FAMILIES:
        if pattern.search(model_id):
            return traits
    return Traits()


_NOT_FOR_CHAT = re.compile(
    r"embed|tts|audio|voice|voxtral|orpheus|realtime|transcri|whisper|live|image|dall|veo|banana"
    r"|vision-preview|ocr|moderation|guard|rerank|decision|computer-use|robotics|omni-|search"
    r"|deep-research|davinci|babbage|curie|^ada$|turbo-instruct|claude-v1|ft:",
    re.IGNORECASE,
)


def is_for_chat(model_id: str) -> bool:
    """Whether a listed model is one to hold a conversation with."""
    return not _NOT_FOR_CHAT.search(model_id)
