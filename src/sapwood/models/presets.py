"""The providers that need nothing but a key: how each is reached and where its key is looked for.

Anything else that speaks one of the same wire formats is added in ``models.json``.
"""

from __future__ import annotations

from dataclasses import dataclass

from sapwood.models.model import Api


@dataclass(frozen=True, slots=True)
class Preset:
    """One known provider.

    ``env``: variables that may hold the key, first one first. ``local``: runs on this machine and
    asks for no key. ``prices_id``: its name in genai-prices, which also lists its models.
    ``family``: prefixes of the models listed, where a provider resells many. ``default_model``:
    what a person with only this key gets.
    """

    id: str
    name: str
    api: Api
    base_url: str
    env: tuple[str, ...] = ()
    default_model: str | None = None
    prices_id: str | None = None
    family: tuple[str, ...] = ()
    local: bool = False


_OPENAI: Api = "openai-completions"
_ANTHROPIC: Api = "anthropic-messages"

PRESETS: dict[str, Preset] = {
    preset.id: preset
    for preset in (
        Preset(
            "anthropic",
            "Anthropic",
            _ANTHROPIC,
            "https://api.anthropic.com",
            ("ANTHROPIC_API_KEY",),
            "claude-sonnet-5-5",
            "anthropic",
            ("claude-",),
        ),
        Preset(
            "openai",
            "OpenAI",
            "openai-responses",
            "https://api.openai.com/v1",
            ("OPENAI_API_KEY",),
            "gpt-6.1-terra",
            "openai",
            ("gpt-", "o1", "o3", "o4", "codex-"),
        ),
        Preset(
            "google",
            "Google Gemini",
            "google-generative-ai",
            "https://generativelanguage.googleapis.com",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            "gemini-3.8-flash",
            "google",
            ("gemini-", "gemma-"),
        ),
        Preset(
            "openrouter",
            "OpenRouter",
            _OPENAI,
            "https://openrouter.ai/api/v1",
            ("OPENROUTER_API_KEY",),
            "anthropic/claude-sonnet-5.5",
            "openrouter",
        ),
        Preset(
            "deepseek",
            "DeepSeek",
            _OPENAI,
            "https://api.deepseek.com",
            ("DEEPSEEK_API_KEY",),
            "deepseek-v4-pro",
            "deepseek",
        ),
        Preset(
            "minimax",
            "MiniMax",
            _ANTHROPIC,
            "https://api.minimax.io/anthropic",
            ("MINIMAX_API_KEY",),
            "MiniMax-M2.7",
            "minimax",
        ),
        Preset(
            "mistral",
            "Mistral",
            _OPENAI,
            "https://api.mistral.ai/v1",
            ("MISTRAL_API_KEY",),
            "mistral-large-4",
            "mistral",
        ),
        Preset(
            "groq",
            "Groq",
            _OPENAI,
            "https://api.groq.com/openai/v1",
            ("GROQ_API_KEY",),
            "openai/gpt-oss-120b",
            "groq",
        ),
        Preset(
            "xai",
            "xAI",
            _OPENAI,
            "https://api.x.ai/v1",
            ("XAI_API_KEY",),
            "grok-code-fast-1",
            "x-ai",
        ),
        Preset(
            "moonshotai",
            "Moonshot",
            _OPENAI,
            "https://api.moonshot.ai/v1",
            ("MOONSHOT_API_KEY",),
            "kimi-k2.7-code",
            "moonshotai",
        ),
        Preset(
            "zai",
            "Z.ai",
            _OPENAI,
            "https://api.z.ai/api/paas/v4",
            ("ZAI_API_KEY",),
            "glm-5.3",
            "zai",
        ),
        Preset(
            "cerebras",
            "Cerebras",
            _OPENAI,
            "https://api.cerebras.ai/v1",
            ("CEREBRAS_API_KEY",),
            "gpt-oss-120b",
            "cerebras",
        ),
        Preset(
            "together",
            "Together",
            _OPENAI,
            "https://api.together.xyz/v1",
            ("TOGETHER_API_KEY",),
            None,
            "together",
        ),
        Preset(
            "fireworks",
            "Fireworks",
            _OPENAI,
            "https://api.fireworks.ai/inference/v1",
            ("FIREWORKS_API_KEY",),
            None,
            "fireworks",
        ),
        Preset("llamacpp", "llama.cpp", _OPENAI, "http://127.0.0.1:8080/v1", local=True),
        Preset("ollama", "Ollama", _OPENAI, "http://127.0.0.1:11434/v1", local=True),
        Preset("vllm", "vLLM", _OPENAI, "http://127.0.0.1:8000/v1", local=True),
        Preset("lmstudio", "LM Studio", _OPENAI, "http://127.0.0.1:1234/v1", local=True),
    )
}
"""In the order in which a default model is looked for."""
