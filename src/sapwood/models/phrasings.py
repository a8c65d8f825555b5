"""The words that providers use for the same few failures, and the numbers inside them.

Facts gathered from providers' documentation, servers' sources and users' reports. Each phrase has a
test. A pattern names who says it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


OVERFLOW = _any_of(
    r"prompt is too long",  # Anthropic
    r"request_too_large",  # Anthropic, a body above its byte limit
    r"input is too long",  # Bedrock
    r"exceeds? (?:the|this model's|the model's) context (?:window|length|size)",  # OpenAI
    r"maximum context (?:length|size|window)",  # OpenAI, vLLM, DeepSeek, OpenRouter
    r"input token count[^.]{0,80}exceeds",  # Google
    r"maximum prompt length",  # xAI
    r"reduce the length of (?:the|your) (?:messages?|prompt|input)",  # Groq, OpenAI
    r"(?:prompt|input|message)[^.]{0,60}exceeds the limit of \d+",  # GitHub Copilot
    r"exceeds? the available context size",  # llama.cpp
    r"exceed_context_size",  # llama.cpp, its error type
    r"greater than the context length",  # LM Studio
    r"context (?:window|length) exceeds? limit",  # MiniMax
    r"exceeded model token limit",  # Moonshot
    r"too large for model with \d+ maximum context",  # Mistral
    r"model_context_window_exceeded",  # Anthropic, Z.AI: a stop reason
    r"prompt too long",  # Ollama
    r"exceeded (?:the )?(?:max(?:imum)? )?context (?:length|size|window)",  # Ollama
    r"\bcontext[_ ]length[_ ]exceeded\b",  # OpenAI's code, spread widely
    r"context ?window ?exceeded",  # LiteLLM's ContextWindowExceededError
    r"maximum allowed input length",  # Together
    r"maximum input length",  # SGLang, Bedrock
    r"longer than the (?:maximum model|model's context|context) length",  # vLLM, SGLang
    r"context shift is disabled",  # llama.cpp
    r"configured context size",  # Apple's and other on-device servers
    r"exceeds? (?:the )?max(?:imum)? (?:sequence )?length",  # DashScope, TGI
    r"token limit exceeded",
    r"too many (?:input )?tokens",  # Cohere, Bedrock
    r"prompt contains at least \d+ input tokens",  # newer vLLM
)

RATE_LIMIT = _any_of(
    r"rate[ _-]?limit",
    r"too[ _]many[ _]requests",
    r"tokens per (?:minute|day|hour)",
    r"requests per (?:minute|day|hour)",
    r"\bTPM\b",
    r"\bthrottl(?:ed|ing)",
    r"RESOURCE_EXHAUSTED",
    r"^429\b",
)
"""Never an overflow, though the words may speak of tokens."""

QUOTA = _any_of(
    r"insufficient[_ ]quota",
    r"insufficient (?:balance|credits?|funds)",
    r"exceeded your current quota",
    r"credit balance is too low",
    r"billing_(?:error|hard_limit)",
    r"payment required",
)
"""Waiting does not help."""

OUTPUT_LIMIT = _any_of(
    r"input length and `?max_tokens`? exceed",  # Anthropic
    r"max_(?:completion_)?tokens[^.]{0,40} is too large",  # OpenAI, vLLM
    r"max_tokens: \d+ > \d+",  # Anthropic: above the model's own output limit
    r"\d+ in the messages?, \d+ in the completion",  # OpenAI, vLLM
    r"max_new_tokens`? must be <=",  # TGI
    r"supports at most \d+ (?:completion|output) tokens",  # OpenAI
    r"maximum allowed number of output tokens",  # Anthropic
    r"in the input, \d+ (?:tokens )?in the (?:completion|output)",  # OpenRouter
)

REFUSED = _any_of(
    r"content[_ ](?:filter|policy)",
    r"flagged (?:by|as|for)",
    r"safety (?:system|settings|filter)",
    r"\bPROHIBITED_CONTENT\b",
)

NETWORK = _any_of(
    r"\bECONN(?:RESET|REFUSED|ABORTED)\b",
    r"\bE(?:TIMEDOUT|PIPE|AI_AGAIN|NETUNREACH|HOSTUNREACH)\b",
    r"\bENOTFOUND\b",
    r"connection (?:error|reset|refused|closed|aborted|lost)",
    r"\bsocket hang up\b",
    r"\bfetch failed\b",
    r"\bterminated\b",
    r"timed? ?out",
    r"incomplete chunked read",
    r"peer closed connection",
    r"server disconnected",
    r"network (?:error|is unreachable)",
    r"stream (?:ended|closed) (?:early|before|without)",
    r"response ended without",
)

OVERLOADED = _any_of(
    r"overloaded",
    r"server[_ ]error",
    r"internal (?:server )?error",
    r"service (?:is )?(?:temporarily )?unavailable",
    r"temporarily unavailable",
    r"bad gateway",
    r"gateway time-?out",
    r"at capacity",
    r"try again later",
)

AUTH = _any_of(
    r"invalid (?:x-)?api[ -]?key",
    r"incorrect api key",
    r"authentication[_ ]error",
    r"unauthori[sz]ed",
    r"permission[_ ](?:denied|error)",
    r"API key not valid",
)

BARE_400 = re.compile(r"^4(?:00|13)\b.{0,20}\(no body\)", re.IGNORECASE)

_LEADING_STATUS = re.compile(r"^(?:\w[\w ]{0,30}\()?([45]\d\d)\b(?!\.)", re.IGNORECASE)


def leading_status(text: str) -> int | None:
    """The HTTP status that a message starts with (``529 …``, ``OpenAI API error (413): …``)."""
    found = _LEADING_STATUS.match(text.strip())
    return int(found.group(1)) if found else None


@dataclass(frozen=True, slots=True)
class Limits:
    """Token figures named in a message; None where it names none."""

    context_window: int | None = None
    input_tokens: int | None = None
    max_output_tokens: int | None = None

    @property
    def input_exceeds_window(self) -> bool:
        return (
            self.context_window is not None
            and self.input_tokens is not None
            and self.input_tokens >= self.context_window
        )


_N = r"(\d[\d,_]*)"
_WINDOW = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"tokens? > {_N} maximum",
        rf"exceed context limit: \d+ \+ \d+ > {_N}",
        rf"(?:maximum|model's) context (?:length|size|window)(?: is| of)?:? \(?{_N}",
        rf"n_ctx\D{{0,4}}{_N}",
        rf"available context size \({_N}",
        rf"maximum number of tokens allowed \({_N}",
        rf"maximum prompt length is {_N}",
        rf"maximum allowed input length of {_N}",
        rf"maximum input length (?:is|of) {_N}",
        rf"(?:maximum model|context) length (?:of|is)(?: only)? \(?{_N}",
        rf"context length \({_N}",
        rf"configured context size \(?{_N}",
        rf"with {_N} maximum context",
        rf"exceeded model token limit: {_N}",
        rf"exceeds the limit of {_N}",
        rf"must be <= {_N}",
        rf"max(?:imum)? (?:sequence )?length (?:is|of|\()? ?{_N}",
    )
]
_INPUT = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"prompt is too long: {_N} tokens",
        rf"exceed context limit: {_N} \+",
        rf"{_N} in the messages?\b",
        rf"{_N} (?:of text input|in the input)",
        rf"n_prompt_tokens\D{{0,4}}{_N}",
        rf"messages resulted in {_N} tokens",
        rf"your request has {_N} input tokens",
        rf"input token count \({_N}",
        rf"Input length \(?{_N}",
        rf"Given: {_N} `?inputs",
        rf"request contains {_N} tokens",
        rf"prompt \({_N} tokens",
        rf"input \({_N} tokens",
        rf"request \({_N} tokens",
    )
]
_OUTPUT = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"max_tokens: \d+ > {_N}",
        rf"supports at most {_N} (?:completion|output) tokens",
    )
]


def _first_number(patterns: list[re.Pattern[str]], text: str) -> int | None:
    for pattern in patterns:
        if found := pattern.search(text):
            return int(re.sub(r"[,_]", "", found.group(1)))
    return None


def limits_in(text: str) -> Limits:
    """The window, input size and output limit (tokens) that a provider's words name."""
    return Limits(
        _first_number(_WINDOW, text), _first_number(_INPUT, text), _first_number(_OUTPUT, text)
    )


_WAIT = re.compile(
    r"(?:try again|retry)(?:ing)? (?:in|after) (?:about )?(\d+(?:\.\d+)?) ?(ms|milli|s|m)",
    re.IGNORECASE,
)
_MILLISECONDS = {"ms": 1, "milli": 1, "s": 1000, "m": 60_000}


def retry_after_ms(text: str) -> int | None:
    """How long the words ask to wait, in ms (``try again in 1.5s``)."""
    found = _WAIT.search(text)
    if found is None:
        return None
    return round(float(found.group(1)) * _MILLISECONDS[found.group(2).lower()])
